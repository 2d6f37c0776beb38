import { compareText } from '../order.ts';

/**
 * Two lists as one, as the docker CLI merges them: an item of the second takes the place of the items of the first with the
 * same key, and the last of several with one key stays. Sorted by key.
 */
export function mergeByKey<T>(base: readonly T[], override: readonly T[], keyOf: (item: T) => string | number): T[] {
  const merged = new Map<string | number, T>();
  for (const item of [...base, ...override]) merged.set(keyOf(item), item);
  return [...merged].sort(([a], [b]) => compareKeys(a, b)).map(([, item]) => item);
}

/**
 * Two lists as one without losing any: an item of the second takes the place of the items of the first with the same
 * `keyOf`; within one list all stay. Sorted by `orderOf`.
 */
export function mergeAll<T>(
  base: readonly T[],
  override: readonly T[],
  keyOf: (item: T) => string,
  orderOf: (item: T) => string | number,
): T[] {
  const replaced = new Set(override.map(keyOf));
  const kept = base.filter((item) => !replaced.has(keyOf(item)));
  return [...kept, ...override].sort((a, b) => compareKeys(orderOf(a), orderOf(b)));
}

function compareKeys(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b));
}
