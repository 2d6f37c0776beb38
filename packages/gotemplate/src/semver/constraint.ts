import { Regex } from '../text/regex.ts';
import { comparePrerelease, parseVersion, type Version } from './version.ts';

/** Version constraints as Masterminds/semver v3.5.0 reads them. */

const MAX_BYTES = 512;
const MAX_GROUPS = 32;

const VERSION =
  'v?([0-9|x|X|\\*]+)(\\.[0-9|x|X|\\*]+)?(\\.[0-9|x|X|\\*]+)?' +
  '(-([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?' +
  '(\\+([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?';
const OPERATORS = '=||!=|>|<|>=|=>|<=|=<|~|~>|\\^';
const ONE = `^\\s*(${OPERATORS})\\s*(${VERSION})\\s*$`;
const RANGE = `\\s*(${VERSION})\\s+-\\s+(${VERSION})\\s*`;
const EACH = `(${OPERATORS})\\s*(${VERSION})`;
const GROUP = `^(\\s*(${OPERATORS})\\s*(${VERSION})\\s*)((?:\\s+|,\\s*)(${OPERATORS})\\s*(${VERSION})\\s*)*$`;

interface Comparison {
  readonly operator: string;
  readonly version: Version;
  /** Which part was left open, by a wildcard or by being absent. */
  readonly open: 'major' | 'minor' | 'patch' | undefined;
}

/** All comparisons of a group must hold, and one group. */
export interface Constraint {
  readonly groups: readonly {
    readonly comparisons: readonly Comparison[];
    /** One comparison names a prerelease, so that the whole group admits them. */
    readonly prereleases: boolean;
  }[];
}

const MAX_KNOWN = 100;
const known = new Map<string, Constraint | string>();

/** The constraint, or what is wrong with the text. */
export function parseConstraint(text: string): Constraint | string {
  const parsed = known.get(text) ?? readConstraint(text);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, parsed);
  return parsed;
}

function readConstraint(text: string): Constraint | string {
  if (text.length > MAX_BYTES) return `constraint string is too long (max ${MAX_BYTES} bytes)`;
  const alternatives = rewriteRanges(text).split('||');
  if (alternatives.length > MAX_GROUPS) return `too many constraint groups (max ${MAX_GROUPS})`;
  const groups: Constraint['groups'][number][] = [];
  for (const alternative of alternatives) {
    if (!Regex.compile(GROUP).matches(alternative)) return `improper constraint: ${JSON.stringify(alternative)}`;
    const comparisons: Comparison[] = [];
    for (const match of Regex.compile(EACH).findAll(alternative, -1)) {
      const comparison = parseComparison(groupText(alternative, match, 0));
      if (typeof comparison === 'string') return comparison;
      comparisons.push(comparison);
    }
    groups.push({ comparisons, prereleases: comparisons.some(({ version }) => version.prerelease !== '') });
  }
  return { groups };
}

/** The text of a group; empty when it took no part. */
function groupText(text: string, match: readonly number[], index: number): string {
  const [start = -1, end = -1] = match.slice(2 * index, 2 * index + 2);
  return start < 0 ? '' : text.slice(start, end);
}

/** `1.2 - 1.4` is `>= 1.2, <= 1.4`. */
function rewriteRanges(text: string): string {
  let rewritten = text;
  for (const match of Regex.compile(RANGE).findAll(text, -1)) {
    const [low, high] = [groupText(text, match, 1), groupText(text, match, 11)];
    rewritten = rewritten.replace(groupText(text, match, 0), () => `>= ${low}, <= ${high} `);
  }
  return rewritten;
}

const isWildcard = (part: string) => part === '' || part === 'x' || part === 'X' || part === '*';

function parseComparison(text: string): Comparison | string {
  const match = Regex.compile(ONE).find(text);
  if (!match) return `improper constraint: ${JSON.stringify(text)}`;
  const group = (index: number) => groupText(text, match, index);
  const [major, minor, patch, prerelease] = [group(3), group(4), group(5), group(6)];
  const [written, open] = isWildcard(major)
    ? ([`0.0.0${prerelease}`, 'major'] as const)
    : isWildcard(minor.slice(1))
      ? ([`${major}.0.0${prerelease}`, 'minor'] as const)
      : isWildcard(patch.slice(1))
        ? ([`${major}${minor}.0${prerelease}`, 'patch'] as const)
        : ([group(2), undefined] as const);
  const version = parseVersion(written);
  return typeof version === 'string' ? 'constraint parser error' : { operator: group(1), version, open };
}

export function satisfies(constraint: Constraint, version: Version): boolean {
  return constraint.groups.some(({ comparisons, prereleases }) => {
    if (version.prerelease !== '' && !prereleases) return false;
    return comparisons.every((comparison) => holds(comparison, version));
  });
}

function holds(comparison: Comparison, version: Version): boolean {
  switch (comparison.operator) {
    case '!=':
      return isOther(comparison, version);
    case '>':
      return isGreater(comparison, version);
    case '<':
      return version.compare(comparison.version) < 0;
    case '>=':
    case '=>':
      return version.compare(comparison.version) >= 0;
    case '<=':
    case '=<':
      return isAtMost(comparison, version);
    case '~':
    case '~>':
      return isTilde(comparison, version);
    case '^':
      return isCaret(comparison, version);
    default:
      return comparison.open === undefined ? version.compare(comparison.version) === 0 : isTilde(comparison, version);
  }
}

function isOther({ version: wanted, open }: Comparison, version: Version): boolean {
  if (open === undefined) return version.compare(wanted) !== 0;
  if (version.major !== wanted.major) return true;
  if (open === 'minor') return false;
  if (version.minor !== wanted.minor) return true;
  if (open === 'major') return version.patch !== wanted.patch || version.compare(wanted) !== 0;
  return comparePrerelease(version.prerelease, wanted.prerelease) !== 0;
}

function isGreater({ version: wanted, open }: Comparison, version: Version): boolean {
  if (open === undefined) return version.compare(wanted) > 0;
  if (version.major !== wanted.major) return version.major > wanted.major;
  if (open === 'minor') return false;
  if (open === 'patch') return version.minor > wanted.minor;
  return version.compare(wanted) > 0;
}

function isAtMost({ version: wanted, open }: Comparison, version: Version): boolean {
  if (open === undefined) return version.compare(wanted) <= 0;
  if (version.major !== wanted.major) return version.major < wanted.major;
  return version.minor <= wanted.minor || open === 'minor';
}

function isTilde({ version: wanted, open }: Comparison, version: Version): boolean {
  if (version.compare(wanted) < 0) return false;
  const isZero = wanted.major === 0n && wanted.minor === 0n && wanted.patch === 0n;
  if (isZero && open !== 'minor' && open !== 'patch') return true;
  return version.major === wanted.major && (version.minor === wanted.minor || open === 'minor');
}

function isCaret({ version: wanted, open }: Comparison, version: Version): boolean {
  if (version.compare(wanted) < 0 || version.major !== wanted.major) return false;
  if (wanted.major > 0n || open === 'minor') return true;
  if (version.minor !== wanted.minor) return false;
  return wanted.minor > 0n || open === 'patch' || version.patch === wanted.patch;
}
