import { exactInt, type Int } from '../value.ts';

const NANOSECONDS: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
const LIMIT = 2n ** 63n;
const MAX_LENGTH = 1000;

/** A Go duration in nanoseconds; undefined when it is none or leaves 64 bits. Syntax: Go `time.ParseDuration`. */
export function parseDuration(text: string): Int | undefined {
  const negative = text.startsWith('-');
  const body = text.replace(/^[-+]/, '');
  if (body === '0') return 0;
  if (body === '' || body.length > MAX_LENGTH) return undefined;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const match = PART.exec(body);
    if (!match) return undefined;
    const [, whole = '', fraction = '', unit = ''] = match;
    if (whole === '' && fraction === '') return undefined;
    const size = NANOSECONDS[unit] ?? 0n;
    total += BigInt(whole || '0') * size + fractionOf(fraction, Number(size));
    if (total > LIMIT || (total === LIMIT && !negative)) return undefined;
  }
  return exactInt(negative ? -total : total);
}

/** A fraction of a unit in nanoseconds. Go counts in floats here, and drops the digits that leave 63 bits. */
function fractionOf(digits: string, unit: number): bigint {
  let kept = digits;
  while (BigInt(kept || '0') >= LIMIT) kept = kept.slice(0, -1);
  return BigInt(Math.trunc(Number(kept || '0') * (unit / 10 ** kept.length)));
}

/** Nanoseconds as Go prints a duration: `1m30s`, `1h0m0s`, `1.5ms`, `0s`. */
export function formatDuration(nanoseconds: Int): string {
  const value = BigInt(nanoseconds);
  if (value === 0n) return '0s';
  const sign = value < 0n ? '-' : '';
  const size = value < 0n ? -value : value;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 1_000n)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 1_000_000n)}ms`;
  const hours = size / 3_600_000_000_000n;
  const minutes = (size / 60_000_000_000n) % 60n;
  const seconds = decimal(size % 60_000_000_000n, 1_000_000_000n);
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}s`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`;
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}
