import { compareText } from '../order.ts';

/**
 * Two lists as one, in which an item of the second takes the place of the items of the first with the same key, and the
 * last of several with one key stays. Sorted by key. Nothing when neither list is given.
 */
export function mergeByKey<K extends string, T>(
  name: K,
  base: T[] | undefined,
  override: T[] | undefined,
  keyOf: (item: T) => string | number,
): { [P in K]?: T[] } {
  if (!base && !override) return {};
  const merged = new Map<string | number, T>();
  for (const item of [...(base ?? []), ...(override ?? [])]) merged.set(keyOf(item), item);
  const sorted = [...merged].sort(([a], [b]) => compareKeys(a, b)).map(([, item]) => item);
  return { [name]: sorted } as { [P in K]?: T[] };
}

function compareKeys(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b));
}
