import { floorDiv, SECOND } from './civil.ts';

export interface Zone {
  /** Go's location name: `UTC`, `Europe/Paris`; empty for an offset alone. */
  readonly name: string;
  /** Seconds east of UTC at an instant, and how the zone is called then (empty: by its offset). */
  readonly at: (nanoseconds: bigint) => { readonly offset: number; readonly abbreviation: string };
}

export const utc: Zone = fixedZone('UTC', 0);

/** A zone that is always so many seconds east of UTC. */
export function fixedZone(abbreviation: string, offset: number): Zone {
  const answer = { offset, abbreviation };
  return { name: abbreviation, at: () => answer };
}

/** Winter and summer names where the JavaScript engine only knows offsets. */
const abbreviations: Readonly<Record<string, readonly [string, string?]>> = {
  'Africa/Cairo': ['EET', 'EEST'],
  'Africa/Johannesburg': ['SAST'],
  'Africa/Lagos': ['WAT'],
  'Africa/Nairobi': ['EAT'],
  'Asia/Calcutta': ['IST'],
  'Asia/Hong_Kong': ['HKT'],
  'Asia/Jakarta': ['WIB'],
  'Asia/Jerusalem': ['IST', 'IDT'],
  'Asia/Karachi': ['PKT'],
  'Asia/Manila': ['PST'],
  'Asia/Seoul': ['KST'],
  'Asia/Shanghai': ['CST'],
  'Asia/Taipei': ['CST'],
  'Asia/Tokyo': ['JST'],
  'Australia/Sydney': ['AEST', 'AEDT'],
  'Europe/Dublin': ['GMT', 'IST'],
  'Europe/Lisbon': ['WET', 'WEST'],
  'Europe/London': ['GMT', 'BST'],
  'Europe/Moscow': ['MSK'],
  'Pacific/Auckland': ['NZST', 'NZDT'],
};

const known = new Map<string, Zone | undefined>();
const MAX_KNOWN = 1000;

/** A zone of the IANA database by its name, as the JavaScript engine has it; undefined when there is none. "" is UTC. */
export function ianaZone(name: string): Zone | undefined {
  if (name === '' || name === 'UTC') return utc;
  if (known.has(name)) return known.get(name);
  if (known.size >= MAX_KNOWN) known.clear();
  const zone = readZone(name);
  known.set(name, zone);
  return zone;
}

/** The engine takes names in any case, Go does not. */
const wellWritten = /^[A-Z][A-Za-z0-9+_-]*(\/[A-Za-z0-9+_-]+)*$/;

function readZone(name: string): Zone | undefined {
  if (!wellWritten.test(name)) return undefined;
  try {
    const options: Intl.DateTimeFormatOptions = { timeZone: name, timeZoneName: 'longOffset' };
    const offsets = new Intl.DateTimeFormat('en-US', options);
    const canonical = offsets.resolvedOptions().timeZone;
    const names = ['en-US', 'en-GB', 'en-AU'].map((locale) => new Intl.DateTimeFormat(locale, { ...options, timeZoneName: 'short' }));
    const offsetAt = (nanoseconds: bigint) => parseOffset(zoneText(offsets, nanoseconds));
    const winter = Math.min(offsetAt(1_704_067_200n * SECOND), offsetAt(1_719_792_000n * SECOND));
    return {
      name,
      at: (nanoseconds) => {
        const offset = offsetAt(nanoseconds);
        const named = abbreviations[canonical] ?? abbreviations[name];
        const fromTable = offset > winter ? (named?.[1] ?? named?.[0]) : named?.[0];
        const fromEngine = names.map((format) => zoneText(format, nanoseconds)).find((text) => /^[A-Z]{2,5}$/.test(text));
        return { offset, abbreviation: fromTable ?? fromEngine ?? shortOffset(offset) };
      },
    };
  } catch {
    return undefined; // the engine refuses unknown names by throwing
  }
}

function zoneText(format: Intl.DateTimeFormat, nanoseconds: bigint): string {
  const milliseconds = Number(floorDiv(nanoseconds, 1_000_000n));
  const bounded = Math.max(Math.min(milliseconds, 8.64e15), -8.64e15);
  return format.formatToParts(bounded).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** Seconds of `GMT+05:30`. */
function parseOffset(text: string): number {
  const match = /^GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text);
  if (!match) return 0;
  const [, sign, hours, minutes, seconds] = match;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0));
}

/** What the database calls zones without a name: `+03`, `-0330`. */
function shortOffset(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${minutes % 60 === 0 ? '' : two(minutes % 60)}`;
}
