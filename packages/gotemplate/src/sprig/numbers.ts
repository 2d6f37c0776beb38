import { contextual, type FunctionTable, fn, variadic } from '../exec/function.ts';
import type { Meter } from '../exec/meter.ts';
import { CallFailure } from '../failure.ts';
import { sprint } from '../fmt/sprint.ts';
import { parseInt64 } from '../text/numbers.ts';
import { int64, List, type Value } from '../values.ts';
import { toFloat64, toInt64 } from './casts.ts';
import { add, type Decimal, decimalOf, divide, multiply, subtract, toFloat } from './decimal.ts';

const wrap = (value: bigint) => BigInt.asIntN(64, value);
const sum = (values: readonly Value[]) => int64(values.reduce<bigint>((total, value) => wrap(total + toInt64(value)), 0n));

function dividing(divide: (a: bigint, b: bigint) => bigint) {
  return fn(['any', 'any'], (a, b) => {
    const divisor = toInt64(b);
    if (divisor === 0n) throw new CallFailure('runtime error: integer divide by zero');
    return int64(divide(toInt64(a), divisor));
  });
}

/** The largest or smallest of integers. */
const extreme = (isBetter: (a: bigint, b: bigint) => boolean) =>
  variadic(['any'], 'any', (_context, others, first) =>
    int64(others.map(toInt64).reduce((best, value) => (isBetter(value, best) ? value : best), toInt64(first))),
  );

const extremeFloat = (choose: (a: number, b: number) => number) =>
  variadic(['any'], 'any', (_context, others, first) =>
    others.map(toFloat64).reduce((best, value) => choose(best, value), toFloat64(first)),
  );

type Operation = (a: Decimal, b: Decimal) => Decimal | undefined;

/** Sprig computes with floats in decimal, so that 0.1 + 0.2 is 0.3. */
function inDecimal(first: Value, others: readonly Value[], operation: Operation): number {
  let result = decimal(first);
  for (const other of others) {
    const next = operation(result, decimal(other));
    if (next === undefined) throw new CallFailure('decimal division by 0');
    result = next;
  }
  return toFloat(result);
}

function decimal(value: Value): Decimal {
  const float = toFloat64(value);
  const converted = decimalOf(float);
  if (converted === undefined) throw new CallFailure(`Cannot create a Decimal from ${float}`);
  return converted;
}

const decimalFunction = (operation: Operation) =>
  variadic(['any'], 'any', (_context, others, first) => inDecimal(first, others, operation));

/** `untilStep`: from start to before stop. */
function countUp(start: bigint, stop: bigint, step: bigint, meter: Meter): bigint[] {
  const numbers: bigint[] = [];
  if (stop < start ? step >= 0n : step <= 0n) return numbers;
  const count = (stop - start) / step;
  meter.charge(2 * Math.abs(Number(count)));
  if (stop < start) for (let i = start; i > stop; i += step) numbers.push(i);
  else for (let i = start; i < stop; i += step) numbers.push(i);
  return numbers;
}

const ints = (items: readonly bigint[]) => new List(items, 'int');

function seq(params: readonly bigint[], meter: Meter): string {
  const [first = 0n, second = 0n, third = 0n] = params;
  const text = (start: bigint, end: bigint, step: bigint, by: bigint) => countUp(start, end + by, step, meter).join(' ');
  const towards = (start: bigint, end: bigint) => (end < start ? -1n : 1n);
  switch (params.length) {
    case 1:
      return text(1n, first, towards(1n, first), towards(1n, first));
    case 2:
      return text(first, second, towards(first, second), towards(first, second));
    case 3:
      if (third < first && second > 0n) return '';
      return text(first, third, second, towards(first, third));
    default:
      return '';
  }
}

/** To so many places; a fraction of at least `roundOn` is rounded up. */
function round(value: number, places: number, roundOn: number): number {
  const power = goPow10(places);
  const digit = power * value;
  const fraction = digit - Math.trunc(digit);
  return (fraction >= roundOn ? Math.ceil(digit) : Math.floor(digit)) / power;
}

/** 10 to a whole power, exact where a float can be (`10 ** n` is not always). */
const goPow10 = (places: number) => Number(`1e${places}`);

/** Go's `math.Max` and `math.Min` treat infinity before NaN. */
const maxFloat = (a: number, b: number) =>
  a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : Math.max(a, b);
const minFloat = (a: number, b: number) =>
  a === Number.NEGATIVE_INFINITY || b === Number.NEGATIVE_INFINITY ? Number.NEGATIVE_INFINITY : Math.min(a, b);

const largest = extreme((value, best) => value > best);

export const numberFunctions: FunctionTable = {
  int: fn(['any'], toInt64),
  int64: fn(['any'], (value) => int64(toInt64(value))),
  float64: fn(['any'], toFloat64),
  toDecimal: contextual(['any'], ({ meter }, value) => {
    meter.chargeWalk(value);
    return int64(parseInt64(sprint([value], meter.bytesLeft), 8) ?? 0n);
  }),
  add1: fn(['any'], (value) => int64(toInt64(value) + 1n)),
  add: variadic([], 'any', (_context, values) => sum(values)),
  sub: fn(['any', 'any'], (a, b) => int64(toInt64(a) - toInt64(b))),
  div: dividing((a, b) => a / b),
  mod: dividing((a, b) => a % b),
  mul: variadic(['any'], 'any', (_context, others, first) =>
    int64(others.reduce<bigint>((product, value) => wrap(product * toInt64(value)), toInt64(first))),
  ),
  add1f: fn(['any'], (value) => inDecimal(value, [1n], add)),
  addf: variadic([], 'any', (_context, values) => inDecimal(0, values, add)),
  subf: decimalFunction(subtract),
  mulf: decimalFunction(multiply),
  divf: decimalFunction(divide),
  biggest: largest,
  max: largest,
  min: extreme((value, best) => value < best),
  maxf: extremeFloat(maxFloat),
  minf: extremeFloat(minFloat),
  ceil: fn(['any'], (value) => Math.ceil(toFloat64(value))),
  floor: fn(['any'], (value) => Math.floor(toFloat64(value))),
  round: variadic(['any', 'int'], 'float64', (_context, [roundOn = 0.5], value, places) =>
    round(toFloat64(value), Number(places), roundOn),
  ),
  until: contextual(['int'], ({ meter }, count) => ints(countUp(0n, count, count < 0n ? -1n : 1n, meter))),
  untilStep: contextual(['int', 'int', 'int'], ({ meter }, start, stop, step) => ints(countUp(start, stop, step, meter))),
  seq: variadic([], 'int', ({ meter }, params) => seq(params, meter)),
};
