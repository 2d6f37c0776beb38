import { formatFloat } from '@hivekeep/goyaml';

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

/** What Go's `%v` makes of a scalar; null prints `<nil>`. */
export function printValue(value: Value): string {
  if (value === null) return '<nil>';
  if (value instanceof GoFloat) return formatFloat(value.value);
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
 * Plain data as a value: numbers with a fraction are floats, objects lose their prototype. With `dollars`, `$$` in a text
 * is one dollar. Throws nothing; what is no data becomes null.
 */
export function importValue(data: unknown, dollars = false): Value {
  if (typeof data === 'string') return dollars ? data.replace(/\$\$/g, () => '$') : data;
  if (typeof data === 'number') return Number.isSafeInteger(data) ? data : new GoFloat(data);
  if (typeof data === 'boolean' || typeof data === 'bigint' || data instanceof GoFloat || data instanceof GoTime) return data;
  if (Array.isArray(data)) return data.map((item) => importValue(item, dollars));
  if (typeof data !== 'object' || data === null) return null;
  const out = dict();
  for (const [key, item] of Object.entries(data)) out[key] = importValue(item, dollars);
  return out;
}
