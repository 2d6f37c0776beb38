import { compareChartVersions } from '../version/chart-order.ts';
import { meetsConstraint } from '../version/constraint.ts';

interface SemverCase {
  readonly id: string;
  readonly constraint?: string;
  readonly version?: string;
  readonly order?: readonly [string, string];
}

/** Answers one version request (a line of JSON: `{id, constraint, version}` or `{id, order}`) with a line: `{id, ok, satisfied | cmp, error}`. */
export function evalSemver(line: string): string {
  const { id, constraint = '', version = '', order } = JSON.parse(line) as SemverCase;
  try {
    const answer = order ? { cmp: compareChartVersions(order[0], order[1]) } : { satisfied: meetsConstraint(constraint, version) };
    return JSON.stringify({ id, ok: true, ...answer, error: '' });
  } catch (error) {
    return JSON.stringify({ id, ok: false, error: error instanceof Error ? error.message : String(error) });
  }
}
