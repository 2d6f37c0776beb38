import { UINT64_MAX } from '../text/numbers.ts';

const MAX_BYTES = 256;
/** Its parts cannot be read in two ways, so that it takes no longer than the text is. */
const syntax = /^v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** A version as Masterminds/semver v3.5.0 reads it: `v` in front, missing parts and leading zeros are allowed. */
export class Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  /** As it was written. */
  readonly original: string;

  constructor(parts: Omit<Version, 'toString' | 'compare'>) {
    this.major = parts.major;
    this.minor = parts.minor;
    this.patch = parts.patch;
    this.prerelease = parts.prerelease;
    this.metadata = parts.metadata;
    this.original = parts.original;
  }

  toString(): string {
    const prerelease = this.prerelease === '' ? '' : `-${this.prerelease}`;
    const metadata = this.metadata === '' ? '' : `+${this.metadata}`;
    return `${this.major}.${this.minor}.${this.patch}${prerelease}${metadata}`;
  }

  /** -1, 0 or 1; metadata does not count. */
  compare(other: Version): number {
    return (
      compareOrdered(this.major, other.major) ||
      compareOrdered(this.minor, other.minor) ||
      compareOrdered(this.patch, other.patch) ||
      comparePrerelease(this.prerelease, other.prerelease)
    );
  }
}

/** A `*semver.Version`, as a template holds it. */
export class VersionPointer {
  readonly kind = 'ptr';
  readonly typeName = '*semver.Version';
  readonly version: Version;

  constructor(version: Version) {
    this.version = version;
  }
}

/** The version, or what is wrong with the text. */
export function parseVersion(text: string): Version | string {
  if (text.length > MAX_BYTES) return `version string is too long (max ${MAX_BYTES} bytes)`;
  const match = syntax.exec(text);
  if (!match) return 'invalid semantic version';
  const numbers = [match[1], match[2]?.slice(1), match[3]?.slice(1)].map((digits) => BigInt(digits ?? '0'));
  const [major = 0n, minor = 0n, patch = 0n] = numbers;
  if (numbers.some((number) => number > UINT64_MAX)) return 'error parsing version segment: value out of range';
  const [prerelease = '', metadata = ''] = match.slice(4);
  if (prerelease.split('.').some((part) => /^0[0-9]+$/.test(part))) return 'version segment starts with 0';
  return new Version({ major, minor, patch, prerelease, metadata, original: text });
}

const compareOrdered = <T extends bigint | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

export function comparePrerelease(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = comparePart(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers by value and before words; what is missing comes first. */
function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return -1;
  if (b === '') return 1;
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left === undefined) return right === undefined ? compareOrdered(a, b) : 1;
  return right === undefined ? -1 : compareOrdered(left, right);
}

function numberOf(part: string): bigint | undefined {
  if (!/^[0-9]+$/.test(part)) return undefined;
  const value = BigInt(part);
  return value > UINT64_MAX ? undefined : value;
}
