/** Go's `time.Duration` in nanoseconds. */

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  '\xc2\xb5s': 1000n, // µs
  '\xce\xbcs': 1000n, // μs
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const LIMIT = 2n ** 63n;

/** `time.ParseDuration`; undefined when it is none. */
export function parseDuration(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === '0') return 0n;
  if (body === '') return undefined;
  let total = 0n;
  const part = /([0-9]*)(?:(\.)([0-9]*))?([^.0-9]+)/y;
  while (part.lastIndex < body.length) {
    const match = part.exec(body);
    const value = match === null ? undefined : partValue(match[1] ?? '', match[3] ?? '', match[4] ?? '');
    if (value === undefined) return undefined;
    total += value;
    if (total > LIMIT) return undefined;
  }
  if (negative) return -total;
  return total === LIMIT ? undefined : total;
}

function partValue(whole: string, fraction: string, unitName: string): bigint | undefined {
  const unit = units[unitName];
  if (unit === undefined || whole + fraction === '') return undefined;
  const value = BigInt(whole || '0') * unit;
  if (value > LIMIT) return undefined;
  const digits = fraction.slice(0, 18);
  return value + BigInt(Math.trunc(Number(digits || '0') * (Number(unit) / 10 ** digits.length)));
}

/** `1h2m3.5s`, `1.5ms`, `0s`. */
export function formatDuration(duration: bigint): string {
  const sign = duration < 0n ? '-' : '';
  const size = duration < 0n ? -duration : duration;
  if (size === 0n) return '0s';
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}\xc2\xb5s`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const fraction = (value % scale).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`;
}
