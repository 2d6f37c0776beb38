/** What became of some tests. */
export interface Tally {
  passed: number;
  /** A line for each: its name and the first line of why. */
  failed: string[];
  /** Names of what was left out, which counts neither way. */
  notRun: string[];
}

/** The fields we read of the report that vitest writes with `--reporter=json` (the shape is Jest's). */
export interface VitestReport {
  success: boolean;
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { status: string; fullName: string; failureMessages?: readonly string[] | null }[];
  }[];
}

/** Counts a report. A file that could not be loaded, and a run that failed without a failed test, are one failure each. */
export function tallyVitest(report: VitestReport): Tally {
  const tally: Tally = { passed: 0, failed: [], notRun: [] };
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === 'passed') tally.passed++;
      else if (test.status === 'failed') tally.failed.push(failure(test.fullName.trim(), test.failureMessages?.[0]));
      else tally.notRun.push(test.fullName.trim());
    }
    const brokenFile = file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed');
    if (brokenFile) tally.failed.push(failure(file.name, file.message));
  }
  if (!report.success && tally.failed.length === 0) tally.failed.push('the run itself, though none of its tests did');
  return tally;
}

function failure(name: string, message: string | undefined): string {
  const [reason] = (message ?? '').trim().split('\n');
  return reason ? `${name}: ${reason}` : name;
}

export function sumTallies(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((sum, tally) => sum + tally.passed, 0),
    failed: tallies.flatMap((tally) => tally.failed),
    notRun: tallies.flatMap((tally) => tally.notRun),
  };
}
