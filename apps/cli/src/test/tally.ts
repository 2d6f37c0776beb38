/** What became of some tests. */
export interface Tally {
  passed: number;
  failed: number;
  /** Names of what was left out, which counts neither way. */
  notRun: string[];
}

/** The fields we read of the report that vitest writes with `--reporter=json` (the shape is Jest's). */
export interface VitestReport {
  success: boolean;
  testResults: {
    name: string;
    status: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

/** Counts a report. A file that could not be loaded, and a run that failed without a failed test, count as one failure each. */
export function tallyVitest(report: VitestReport): Tally {
  const tally: Tally = { passed: 0, failed: 0, notRun: [] };
  for (const file of report.testResults) {
    for (const test of file.assertionResults) {
      if (test.status === 'passed') tally.passed++;
      else if (test.status === 'failed') tally.failed++;
      else tally.notRun.push(test.fullName.trim());
    }
    const brokenFile = file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed');
    if (brokenFile) tally.failed++;
  }
  if (!report.success && tally.failed === 0) tally.failed++;
  return tally;
}

export function sumTallies(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((sum, tally) => sum + tally.passed, 0),
    failed: tallies.reduce((sum, tally) => sum + tally.failed, 0),
    notRun: tallies.flatMap((tally) => tally.notRun),
  };
}
