import { HivekeepError } from '@hivekeep/contracts';
import { parseVersion } from '@hivekeep/gotemplate';
import { compareChartVersions } from '../version/chart-order.ts';
import { meetsConstraint } from '../version/constraint.ts';

/** Whether two versions of a chart are the same: a leading `v` and build metadata make no difference. */
export function sameChartVersion(a: string, b: string): boolean {
  return compareChartVersions(a, b) === 0;
}

/** Major, minor and patch of an engine's version; undefined when it has none. */
export function reducedVersion(engine: string): string | undefined {
  const version = parseVersion(engine);
  return typeof version === 'string' ? undefined : `${version.major}.${version.minor}.${version.patch}`;
}

/** Whether a version meets a constraint; undefined when that is none. */
export function checkConstraint(constraint: string, version: string): boolean | undefined {
  try {
    return meetsConstraint(constraint, version);
  } catch (error) {
    if (!HivekeepError.is(error, 'chart/invalid')) throw error;
    return undefined;
  }
}
