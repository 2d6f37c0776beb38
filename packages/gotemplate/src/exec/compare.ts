import { CallFailure } from '../failure.ts';
import { VersionPointer } from '../semver/version.ts';
import { Instant } from '../time/instant.ts';
import { Complex, Dict, integerOf, kindOf, List, Sized, Struct, typeNameOf, type Value } from '../values.ts';
import { type FunctionTable, fn, variadic } from './function.ts';

/** Kinds between which templates compare: signed and unsigned integers stay apart until they are compared. */
type BasicKind = 'bool' | 'complex' | 'int' | 'float' | 'string' | 'uint' | undefined;

function basicKind(value: Value): BasicKind {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'float';
    case 'string':
      return 'string';
  }
  if (value instanceof Sized) return value.kind.startsWith('u') ? 'uint' : 'int';
  return value instanceof Complex ? 'complex' : undefined;
}

const bothIntegers = (a: BasicKind, b: BasicKind) => (a === 'int' || a === 'uint') && (b === 'int' || b === 'uint');

function incompatible(a: Value, b: Value): never {
  throw new CallFailure(`incompatible types for comparison: ${typeNameOf(a)} and ${typeNameOf(b)}`);
}

function isNil(value: Value): boolean {
  return value === null || ((value instanceof List || value instanceof Dict) && value.isNil);
}

function equalsOne(a: Value, b: Value): boolean {
  const [left, right] = [basicKind(a), basicKind(b)];
  if (bothIntegers(left, right)) return integerOf(a) === integerOf(b);
  if (left !== right) return a === null || b === null ? false : incompatible(a, b);
  if (a instanceof Complex && b instanceof Complex) return a.re === b.re && a.im === b.im;
  if (left !== undefined) return a === b;
  if (kindOf(a) !== kindOf(b) && a !== null && b !== null)
    throw new CallFailure(`non-comparable types ${typeNameOf(a)} and ${typeNameOf(b)}`);
  if (isNil(a) || isNil(b)) return isNil(a) === isNil(b);
  return equalsObject(a, b);
}

/** Go's `==` between structs and pointers; maps, slices and structs that hold them cannot be compared. */
function equalsObject(a: Value, b: Value): boolean {
  if (!isComparable(b)) throw new CallFailure(`non-comparable type ${typeNameOf(b)}`);
  if (a instanceof Instant && b instanceof Instant) return a.nanoseconds === b.nanoseconds && a.zone.name === b.zone.name;
  if (a instanceof VersionPointer) return a === b;
  if (!(a instanceof Struct) || !(b instanceof Struct) || a.typeName !== b.typeName) return false;
  return [...a.fields].every(([name, value]) => value === b.fields.get(name));
}

function isComparable(value: Value): boolean {
  if (value instanceof Struct) return [...value.fields.values()].every(isComparable);
  return !(value instanceof List) && !(value instanceof Dict);
}

function isLess(a: Value, b: Value): boolean {
  const [left, right] = [basicKind(a), basicKind(b)];
  if (left === undefined || right === undefined) throw new CallFailure('invalid type for comparison');
  if (bothIntegers(left, right)) return (integerOf(a) ?? 0n) < (integerOf(b) ?? 0n);
  if (left !== right) return incompatible(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  throw new CallFailure('invalid type for comparison');
}

const isAtMost = (a: Value, b: Value) => isLess(a, b) || equalsOne(a, b);

export const comparisons: FunctionTable = {
  eq: variadic(['any'], 'any', (_context, others, first) => {
    if (others.length === 0) throw new CallFailure('missing argument for comparison');
    return others.some((other) => equalsOne(first, other));
  }),
  ne: fn(['any', 'any'], (a, b) => !equalsOne(a, b)),
  lt: fn(['any', 'any'], isLess),
  le: fn(['any', 'any'], isAtMost),
  gt: fn(['any', 'any'], (a, b) => !isAtMost(a, b)),
  ge: fn(['any', 'any'], (a, b) => !isLess(a, b)),
};
