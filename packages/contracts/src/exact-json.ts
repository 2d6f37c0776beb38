type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
/** The text of a number is given since ES2026; the library's types do not say so yet. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
const WHOLE = /^-?\d+$/;

/** JSON in which `numberOf` says what a number becomes: its value, and how it is written (`1`, `1.0`, `1e3`). Throws `SyntaxError`. */
export function parseJson(text: string, numberOf: (value: number, source: string) => unknown): unknown {
  return parse(text, (_key, value, { source }) => (typeof value === 'number' && source !== undefined ? numberOf(value, source) : value));
}

/** A whole number that a double does not hold becomes a bigint, as `canonicalJson` wrote it. */
export function exactNumber(value: number, source: string): number | bigint {
  return WHOLE.test(source) && !Number.isSafeInteger(value) ? BigInt(source) : value;
}

/** JSON with sorted keys and no white space; undefined members are left out. A bigint is all its digits; a large float has an exponent. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return value.toExponential();
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
