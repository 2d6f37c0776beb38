import type { Int } from '../value.ts';

/** Drops what Go's `omitempty` drops: absent, null, false, 0, empty texts, lists and mappings without members. */
export function omitEmpty<T extends object>(from: { [K in keyof T]?: T[K] | null | undefined }): T {
  const out: Partial<T> = {};
  for (const key of Object.keys(from) as (keyof T)[]) {
    const value = from[key];
    if (!isEmpty(value)) out[key] = value as NonNullable<typeof value>;
  }
  // Only members that T allows to be absent are passed empty.
  return out as T;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** A mapping that `omitempty` would drop when it has no members. */
export function nonEmpty<T>(value: Record<string, T> | undefined): Record<string, T> | undefined {
  return value && Object.keys(value).length > 0 ? value : undefined;
}

/**
 * An integer for the engine. Beyond 2^53 it stays a bigint at run time, so that `compose convert` can print it exactly; the
 * type says number because `convertStack`, which everything else uses, refuses such a value.
 */
export function wireInt(value: Int): number;
export function wireInt(value: Int | undefined): number | undefined;
export function wireInt(value: Int | undefined): number | undefined {
  return value as number | undefined;
}

/** A ratio as Go prints a 32-bit float: the shortest decimal that reads back as the same float. */
export function float32(value: number): number {
  const single = Math.fround(value);
  for (let precision = 1; precision <= 9; precision++) {
    const short = Number(single.toPrecision(precision));
    if (Math.fround(short) === single) return short;
  }
  return single;
}
