import { VersionPointer } from '../semver/version.ts';
import { quote } from '../text/quote.ts';
import { monthNames } from '../time/civil.ts';
import { formatTime } from '../time/format.ts';
import { Instant } from '../time/instant.ts';
import { Sized, type Value } from '../values.ts';

/** How `time.Time` prints. */
const TIME_LAYOUT = '2006-01-02 15:04:05.999999999 -0700 MST';

/** What a type's own `String` method gives; undefined for types that have none. */
export function stringOf(value: Value): string | undefined {
  if (value instanceof Instant) return formatTime(value, TIME_LAYOUT);
  if (value instanceof VersionPointer) return value.version.toString();
  return value instanceof Sized ? value.text : undefined;
}

/** What a type's own `GoString` method gives, for `%#v`. */
export function goStringOf(value: Value): string | undefined {
  if (!(value instanceof Instant)) return undefined;
  const { year, month, day, hour, minute, second, nanosecond } = value.civil();
  const zone = value.zone.name === 'UTC' ? 'time.UTC' : `time.Location(${quote(value.zone.name)})`;
  return `time.Date(${year}, time.${monthNames[month - 1]}, ${day}, ${hour}, ${minute}, ${second}, ${nanosecond}, ${zone})`;
}

/** The inner fields of a type of Go's own, as a verb without `String` shows them. */
export function fieldsOf(value: Value): [string, Value][] {
  if (value instanceof VersionPointer) {
    const { major, minor, patch, prerelease, metadata, original } = value.version;
    const segments: [string, bigint][] = [
      ['major', major],
      ['minor', minor],
      ['patch', patch],
    ];
    return [
      ...segments.map(([name, segment]): [string, Value] => [name, new Sized('uint64', segment)]),
      ['pre', prerelease],
      ['metadata', metadata],
      ['original', original],
    ];
  }
  if (!(value instanceof Instant)) return [];
  const seconds = value.nanoseconds / 1_000_000_000n + 62_135_596_800n;
  return [
    ['wall', new Sized('uint64', BigInt.asUintN(30, value.nanoseconds % 1_000_000_000n))],
    ['ext', new Sized('int64', seconds)],
    ['loc', new Sized('uint64', 0n, { typeName: '*time.Location', text: '<nil>' })],
  ];
}
