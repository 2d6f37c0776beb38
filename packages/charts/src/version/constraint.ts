import { HivekeepError } from '@hivekeep/contracts';
import { bytesOf, parseConstraint, parseVersion, satisfies } from '@hivekeep/gotemplate';

/**
 * Whether a version meets a constraint by the rules of Masterminds/semver v3.5.0 (`>=1.2, <2 || ^3`). Throws `chart/invalid` when
 * either is malformed; so that a prerelease meets a constraint, the constraint must name one.
 */
export function meetsConstraint(constraint: string, version: string): boolean {
  const wanted = parseConstraint(bytesOf(constraint));
  if (typeof wanted === 'string')
    throw new HivekeepError(
      'chart/invalid',
      `expected a version constraint such as ">=1.2, <2", found ${JSON.stringify(constraint)}: ${wanted}`,
    );
  const found = parseVersion(bytesOf(version));
  if (typeof found === 'string')
    throw new HivekeepError('chart/invalid', `expected a version such as 1.2.3, found ${JSON.stringify(version)}: ${found}`);
  return satisfies(wanted, found);
}
