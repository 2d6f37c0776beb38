import { GoTime } from './values.ts';

/** The four layouts yaml.v3 tries (resolve.go), with Go's leniency: one or two digits, `,` or `.` before a fraction. */
const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(Z|[-+]\d\d:\d\d)| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?)?$/;

/** The time a text denotes, undefined when it is none. Source: yaml.v3 `parseTimestamp`, Go `time.Parse`. */
export function parseTimestamp(text: string): GoTime | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const number = (first: number, second = first) => Number(match[first] ?? match[second] ?? 0);
  const [year, month, day] = [number(1), number(2), number(3)];
  const [hour, minute, second] = [number(4, 9), number(5, 10), number(6, 11)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second);
  const offset = parseOffset(match[8]);
  if (offset === undefined) return undefined;
  const fraction = BigInt((match[7] ?? match[12] ?? '').slice(0, 9).padEnd(9, '0'));
  return new GoTime(BigInt(date.getTime()) * 1_000_000n + fraction - BigInt(offset) * 1_000_000_000n, offset);
}

function parseOffset(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 24 || minutes > 60) return undefined;
  return (zone[0] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}
