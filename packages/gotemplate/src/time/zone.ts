import { floorDiv } from './civil.ts';
import { zonesByAbbreviations } from './zone-names.ts';

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

/** Abbreviations by minutes east of UTC, for each name of a zone. */
const abbreviations = new Map(
  zonesByAbbreviations.flatMap(([named, zones]) => {
    const byOffset = new Map(named.split(' ').map((each) => [Number(each.split('=')[0]), each.split('=')[1] ?? '']));
    return zones.split(' ').map((zone) => [zone, byOffset] as const);
  }),
);

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

function readZone(name: string): Zone | undefined {
  const named = abbreviations.get(name);
  if (!named) return undefined;
  const offsets = offsetFormat(name);
  if (!offsets) return undefined;
  return {
    name,
    at: (nanoseconds) => {
      const offset = parseOffset(zoneText(offsets, nanoseconds));
      return { offset, abbreviation: named.get(offset / 60) ?? (offset % 60 === 0 ? shortOffset(offset) : 'LMT') };
    },
  };
}

/** undefined for a zone that this engine does not have. */
function offsetFormat(name: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    return undefined; // it says so by throwing
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
