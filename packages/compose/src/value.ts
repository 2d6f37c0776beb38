/** A floating point number of a document: Go prints and decodes it differently from an integer of the same size. */
export class GoFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** An unquoted date of a document, as Go prints a `time.Time`. */
export class GoTime {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A mapping without a prototype, so that a key such as `__proto__` is a key like any other. */
export interface Dict {
  [key: string]: Value;
}

/** An integer as far as a number is exact, a bigint beyond. */
export type Int = number | bigint;

/** A value of a parsed document, typed as yaml.v3 types it for Go. */
export type Value = null | boolean | string | Int | GoFloat | GoTime | Value[] | Dict;

export function dict(): Dict {
  return Object.create(null);
}

export function isDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof GoFloat) && !(value instanceof GoTime);
}

/** A member of the mapping itself; undefined when it has none of that name. */
export function member<T>(from: { readonly [key: string]: T }, key: string): T | undefined {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}

/** A mapping without a prototype, of any member type. */
export function record<T>(entries: Iterable<readonly [string, T]> = []): Record<string, T> {
  const out: Record<string, T> = Object.create(null);
  for (const [key, value] of entries) out[key] = value;
  return out;
}

/** The smallest exact form of an integer. */
export function exactInt(value: bigint): Int {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A float as Go's `%v` prints it: shortest digits, exponent form from 1e+06 up and below 1e-04. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
}

/** What Go's `%v` makes of a scalar; null prints `<nil>`. */
export function printValue(value: Value): string {
  if (value === null) return '<nil>';
  if (value instanceof GoFloat) return printFloat(value.value);
  if (value instanceof GoTime) return value.text;
  if (Array.isArray(value)) return `[${value.map(printValue).join(' ')}]`;
  if (isDict(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${key}:${printValue(value[key] ?? null)}`);
    return `map[${members.join(' ')}]`;
  }
  return String(value);
}

/**
 * Plain data as a value: numbers with a fraction are floats, objects lose their prototype. With `unescape`, `$$` in a text
 * is one dollar. Throws nothing; what is no data becomes null.
 */
export function importValue(data: unknown, unescape = false): Value {
  if (typeof data === 'string') return unescape ? data.replace(/\$\$/g, () => '$') : data;
  if (typeof data === 'number') return Number.isSafeInteger(data) ? data : new GoFloat(data);
  if (typeof data === 'boolean' || typeof data === 'bigint' || data instanceof GoFloat || data instanceof GoTime) return data;
  if (Array.isArray(data)) return data.map((item) => importValue(item, unescape));
  if (typeof data !== 'object' || data === null) return null;
  const out = dict();
  for (const [key, item] of Object.entries(data)) out[key] = importValue(item, unescape);
  return out;
}
