/** Go's int64 maximum: a JavaScript number rounds it up to 2^63, which the daemon refuses as too large. */
const INT64_MAX = 9223372036854775807n;

declare global {
  interface JSON {
    /** ECMAScript "JSON.parse source text access": a value that `JSON.stringify` writes as the given text. */
    rawJSON(text: string): unknown;
  }
}

/**
 * A body whose integers beyond 2^53 are written in plain decimal digits (never `1e+21`) and at most as Go's int64 maximum, so
 * that a spec that was read can be written again. Such a number may have lost its last digits on the way in: equal stays equal.
 */
export function engineBody(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(digits(value)) : value;
  if (Array.isArray(value)) return value.map(engineBody);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, engineBody(member)]));
}

function digits(value: number): string {
  const whole = BigInt(value);
  if (whole > INT64_MAX) return INT64_MAX.toString();
  return (whole < -INT64_MAX ? -INT64_MAX : whole).toString();
}
