const UNITS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 3.6e6,
};

/**
 * A Go duration (`1h2m3.5s`) in milliseconds; `''` and `0` are 0. Undefined when it is none.
 * Source of the syntax: Go `time.ParseDuration`.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '' || text === '0') return 0;
  const sign = text.startsWith('-') ? -1 : 1;
  const body = text.replace(/^[+-]/, '');
  if (!/^(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/.test(body)) return undefined;
  let total = 0;
  for (const [, value, unit] of body.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g))
    total += Number(value) * (UNITS[unit as string] as number);
  return sign * total;
}

/** Milliseconds as Go prints a duration: `1m30s`, `1h0m0s`, `250ms`, `0s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  const abs = Math.abs(ms);
  if (abs < 1) return `${sign}${abs * 1000}µs`;
  if (abs < 1000) return `${sign}${abs}ms`;
  const hours = Math.floor(abs / 3.6e6);
  const minutes = Math.floor((abs % 3.6e6) / 6e4);
  const seconds = Number(((abs % 6e4) / 1000).toFixed(9));
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}
