import { Dict, integerOf, type Kind, kindOf, type Value } from '../values.ts';

/** A map's entries as Go ranges over and prints them: keys in ascending order, strings by bytes. Source: internal/fmtsort. */
export function sortedEntries(map: Dict): [Value, Value][] {
  return map.entries().sort(([a], [b]) => compareKeys(a, b));
}

/** Go orders keys of different types by where the types lie in the binary. The order here is that of programs built by Go 1.26. */
const kindOrder: readonly Kind[] = ['invalid', 'string', 'uint64', 'int', 'int64', 'float64', 'bool', 'struct'];

function compareKeys(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  const [left, right] = [kindOf(a), kindOf(b)];
  if (left !== right) return kindOrder.indexOf(left) - kindOrder.indexOf(right);
  if (typeof a === 'number' && typeof b === 'number') return compareFloats(a, b);
  const [x, y] = [orderable(a), orderable(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** NaN stands before every number. */
function compareFloats(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return a - b;
}

function orderable(value: Value): bigint {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'object' && value !== null && 'nanoseconds' in value) return value.nanoseconds;
  return integerOf(value) ?? 0n;
}
