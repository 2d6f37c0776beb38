import { VersionPointer } from '../semver/version.ts';
import { Instant } from '../time/instant.ts';
import { Complex, Dict, List, Sized, Struct, typeNameOf, type Value } from '../values.ts';
import type { Meter } from './meter.ts';

/** Go's `reflect.DeepEqual`: equal types and equal values, all the way down. */
export function deepEqual(a: Value, b: Value, meter: Meter): boolean {
  meter.charge(1);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (a === b) return true;
  if (typeNameOf(a) !== typeNameOf(b)) return false;
  if (a instanceof List && b instanceof List) return equalLists(a, b, meter);
  if (a instanceof Dict && b instanceof Dict) return equalDicts(a, b, meter);
  if (a instanceof Sized && b instanceof Sized) return a.value === b.value;
  if (a instanceof Complex && b instanceof Complex) return a.re === b.re && a.im === b.im;
  if (a instanceof Instant && b instanceof Instant) return a.nanoseconds === b.nanoseconds && a.zone.name === b.zone.name;
  if (a instanceof VersionPointer && b instanceof VersionPointer) {
    return a.version.toString() === b.version.toString() && a.version.original === b.version.original;
  }
  if (!(a instanceof Struct) || !(b instanceof Struct)) return false;
  return [...a.fields].every(([name, value]) => deepEqual(value, b.fields.get(name) ?? null, meter));
}

function equalLists(a: List, b: List, meter: Meter): boolean {
  if (a.isNil !== b.isNil || a.items.length !== b.items.length) return false;
  return a.items.every((item, index) => deepEqual(item, b.items[index] ?? null, meter));
}

function equalDicts(a: Dict, b: Dict, meter: Meter): boolean {
  if (a.isNil !== b.isNil || a.size !== b.size) return false;
  return a.entries().every(([key, value]) => {
    const other = b.get(key);
    return other !== undefined && deepEqual(value, other, meter);
  });
}
