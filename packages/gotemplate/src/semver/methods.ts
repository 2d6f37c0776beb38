import { type FunctionTable, fn } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { Sized } from '../values.ts';
import { parseVersion, Version, VersionPointer } from './version.ts';

const uint64 = (value: bigint) => new Sized('uint64', value);

/** The methods of `*semver.Version` whose arguments a template can give. */
export function versionMethods({ version }: VersionPointer): FunctionTable {
  return {
    Major: fn([], () => uint64(version.major)),
    Minor: fn([], () => uint64(version.minor)),
    Patch: fn([], () => uint64(version.patch)),
    Prerelease: fn([], () => version.prerelease),
    Metadata: fn([], () => version.metadata),
    Original: fn([], () => version.original),
    String: fn([], () => version.toString()),
    IncMajor: fn([], () => next(version, { major: version.major + 1n, minor: 0n, patch: 0n })),
    IncMinor: fn([], () => next(version, { minor: version.minor + 1n, patch: 0n })),
    IncPatch: fn([], () => next(version, { patch: version.prerelease === '' ? version.patch + 1n : version.patch })),
    SetPrerelease: fn(['string'], (prerelease) => labelled(version, { prerelease, metadata: version.metadata })),
    SetMetadata: fn(['string'], (metadata) => labelled(version, { prerelease: version.prerelease, metadata })),
    Compare: fn(['version'], (other) => BigInt(version.compare(other.version))),
    Equal: fn(['version'], (other) => version.compare(other.version) === 0),
    LessThan: fn(['version'], (other) => version.compare(other.version) < 0),
    LessThanEqual: fn(['version'], (other) => version.compare(other.version) <= 0),
    GreaterThan: fn(['version'], (other) => version.compare(other.version) > 0),
    GreaterThanEqual: fn(['version'], (other) => version.compare(other.version) >= 0),
  };
}

function withOriginal(parts: Omit<Version, 'original' | 'toString' | 'compare'>, from: Version): VersionPointer {
  const text = new Version({ ...parts, original: '' }).toString();
  return new VersionPointer(new Version({ ...parts, original: (from.original.startsWith('v') ? 'v' : '') + text }));
}

function next(version: Version, raised: { major?: bigint; minor?: bigint; patch?: bigint }): VersionPointer {
  const { major, minor, patch } = version;
  return withOriginal({ major, minor, patch, prerelease: '', metadata: '', ...raised }, version);
}

function labelled(version: Version, labels: { prerelease: string; metadata: string }): VersionPointer {
  const suffix = (labels.prerelease === '' ? '' : `-${labels.prerelease}`) + (labels.metadata === '' ? '' : `+${labels.metadata}`);
  if (typeof parseVersion(`1.0.0${suffix}`) === 'string') throw new CallFailure('invalid prerelease or metadata string');
  const { major, minor, patch } = version;
  return withOriginal({ major, minor, patch, ...labels }, version);
}
