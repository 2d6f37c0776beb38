import type { Path, Problems } from '../problems.ts';
import { describeValue } from '../schema/describe.ts';
import { type Dict, dict, exactInt, GoFloat, type Int, isDict, member, printValue, record, type Value } from '../value.ts';
import { parseDuration } from './duration.ts';
import { toInt64 } from './size.ts';

const INT_BITS = 64;

/** Reads the members of one mapping into the types of the model; what does not fit is collected as a problem. */
export class Fields {
  readonly value: Dict;
  readonly path: Path;
  readonly problems: Problems;

  constructor(value: Dict, path: Path, problems: Problems) {
    this.value = value;
    this.path = path;
    this.problems = problems;
  }

  /** The member, unless it is missing or null. */
  given(key: string): Exclude<Value, null> | undefined {
    return member(this.value, key) ?? undefined;
  }

  at(key: string): Path {
    return [...this.path, key];
  }

  text(key: string): string | undefined {
    const value = this.given(key);
    return value === undefined || typeof value === 'string' ? value : this.#wrong(key, 'a string', value);
  }

  boolean(key: string): boolean | undefined {
    const value = this.given(key);
    return value === undefined || typeof value === 'boolean' ? value : this.#wrong(key, 'true or false', value);
  }

  /** A whole number of 64 bits; fractions are cut, zero is kept. */
  integer(key: string): Int | undefined {
    const value = this.given(key);
    if (value === undefined) return undefined;
    const whole = value instanceof GoFloat ? toInt64(value.value) : value;
    if (typeof whole !== 'number' && typeof whole !== 'bigint') return this.#wrong(key, 'a number', value);
    return exactInt(BigInt.asIntN(INT_BITS, BigInt(Number.isInteger(whole) || typeof whole === 'bigint' ? whole : Math.trunc(whole))));
  }

  /** A whole number from zero on, wrapped to `bits` as Go does. */
  unsigned(key: string, bits = 64): Int | undefined {
    const value = this.given(key);
    if (value === undefined) return undefined;
    const number = value instanceof GoFloat ? value.value : value;
    if (typeof number !== 'number' && typeof number !== 'bigint') return this.#wrong(key, 'a number', value);
    if (number < 0) return this.#wrong(key, 'a number that is not negative', value);
    const whole = typeof number === 'bigint' ? number : unsignedOf(number);
    const fits = number < 2 ** bits && whole < 2n ** BigInt(bits);
    if (fits || this.problems.deviate('number-wraps', this.at(key))) return exactInt(BigInt.asUintN(bits, whole));
    return this.#wrong(key, `a number below 2^${bits}`, value);
  }

  float(key: string): number | undefined {
    const value = this.given(key);
    if (value === undefined) return undefined;
    if (value instanceof GoFloat) return value.value;
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : this.#wrong(key, 'a number', value);
  }

  /** Nanoseconds; zero is kept. */
  duration(key: string): Int | undefined {
    const value = this.given(key);
    if (value === undefined) return undefined;
    const parsed = typeof value === 'string' ? parseDuration(value) : undefined;
    return parsed === undefined ? this.#wrong(key, 'a duration such as 1m30s', value) : parsed;
  }

  list(key: string): Value[] | undefined {
    const value = this.given(key);
    return value === undefined || Array.isArray(value) ? value : this.#wrong(key, 'a list', value);
  }

  /** A list of texts, or a single text for a list of one. */
  strings(key: string): string[] | undefined {
    const value = this.given(key);
    const items = typeof value === 'string' ? [value] : this.list(key);
    return items?.map((item, index) => this.#textItem(item, [...this.at(key), index]));
  }

  /** `{a: 1}` or `["a=1"]` as a mapping of texts; with `bare` a missing value is null, else empty. */
  pairs(key: string): Record<string, string> | undefined;
  pairs(key: string, bare: 'null'): Record<string, string | null> | undefined;
  pairs(key: string, bare?: 'null'): Record<string, string | null> | undefined {
    const value = this.given(key);
    const missing = bare === 'null' ? null : '';
    if (value === undefined) return undefined;
    if (isDict(value)) return record(Object.entries(value).map(([name, item]) => [name, item === null ? missing : printValue(item)]));
    if (!Array.isArray(value)) return this.#wrong(key, 'a mapping or a list', value);
    return record(
      value.map((item, index) => {
        const text = this.#textItem(item, [...this.at(key), index]);
        const cut = text.indexOf('=');
        return cut < 0 ? [text, missing] : [text.slice(0, cut), text.slice(cut + 1)];
      }),
    );
  }

  /** A nested mapping. */
  child(key: string): Fields | undefined {
    const value = this.given(key);
    if (value === undefined) return undefined;
    return isDict(value) ? new Fields(value, this.at(key), this.problems) : this.#wrong(key, 'a mapping', value);
  }

  /** The items of a list that must be mappings. */
  children(key: string): Fields[] | undefined {
    return this.list(key)?.map((item, index) => fieldsOf(item, [...this.at(key), index], this.problems));
  }

  /** The members of a mapping of mappings; null counts as an empty one. */
  members(key: string): [string, Fields][] {
    const child = this.child(key);
    if (!child) return [];
    return Object.entries(child.value).map(([name, item]) => [name, fieldsOf(item, child.at(name), this.problems)]);
  }

  #textItem(item: Value, path: Path): string {
    if (typeof item === 'string') return item;
    this.problems.add(path, `expected a string, found ${describeValue(item)}`);
    return '';
  }

  #wrong(key: string, expected: string, value: Value): undefined {
    this.problems.add(this.at(key), `expected ${expected}, found ${describeValue(value)}`);
    return undefined;
  }
}

/** A value that must be a mapping; anything else is collected as a problem and read as an empty one. */
export function fieldsOf(value: Value, path: Path, problems: Problems): Fields {
  if (isDict(value)) return new Fields(value, path, problems);
  if (value !== null) problems.add(path, `expected a mapping, found ${describeValue(value)}`);
  return new Fields(dict(), path, problems);
}

/**
 * The fields of a mapping that may have other keys, with these keys alone: the docker CLI reads them in any case, and prefers
 * the names that its code has for them.
 */
export function anyCase(fields: Fields, keys: readonly string[]): Fields {
  const out = dict();
  for (const key of keys) {
    const coded = ['uid', 'gid'].includes(key) ? key.toUpperCase() : key.charAt(0).toUpperCase() + key.slice(1);
    const given = Object.keys(fields.value).filter((name) => name.toLowerCase() === key);
    const name = [coded, key].find((candidate) => given.includes(candidate)) ?? given[0];
    if (name !== undefined) out[key] = fields.value[name] ?? null;
  }
  return new Fields(out, fields.path, fields.problems);
}

/** The object without its undefined members. */
export function present<T extends object>(from: { [K in keyof T]: T[K] | undefined }): T {
  const out: Partial<T> = {};
  for (const key of Object.keys(from) as (keyof T)[]) if (from[key] !== undefined) out[key] = from[key];
  // Every member that T requires was given by the caller, and only undefined ones were left out.
  return out as T;
}

/** Go's conversion of a float to uint64 on amd64: what does not fit becomes 2^63. */
function unsignedOf(value: number): bigint {
  return value >= 2 ** 64 || Number.isNaN(value) ? 2n ** 63n : BigInt(Math.trunc(value));
}
