import { CallFailure } from '../failure.ts';
import { sprint, sprintln } from '../fmt/sprint.ts';
import { sprintf } from '../fmt/sprintf.ts';
import { escapeHtml, escapeJs, escapeQuery } from '../text/escape.ts';
import { Dict, integerOf, isTrue, List, Sized, typeNameOf, type Value } from '../values.ts';
import { comparisons } from './compare.ts';
import { type CallContext, type FunctionTable, fn, type GoFunction, variadic } from './function.ts';

function lengthOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof List) return value.items.length;
  if (value instanceof Dict) return value.size;
  throw new CallFailure(value === null ? 'len of nil pointer' : `len of type ${typeNameOf(value)}`);
}

/** An index into a list or string of that length, the length itself included. */
function position(index: Value, length: number): number {
  const at = integerOf(index);
  if (at === undefined) throw new CallFailure(`cannot index slice/array with ${index === null ? 'nil' : `type ${typeNameOf(index)}`}`);
  const signed = BigInt.asIntN(64, at);
  if (signed < 0n || signed > BigInt(length)) throw new CallFailure(`index out of range: ${signed}`);
  return Number(signed);
}

function indexOnce(item: Value, index: Value): Value {
  if (item === null) throw new CallFailure('index of nil pointer');
  if (item instanceof Dict) {
    if (!item.anyKeys && typeof index !== 'string') throw new CallFailure(`value has type ${typeNameOf(index)}; should be string`);
    return item.get(index) ?? (item.element === 'string' ? '' : null);
  }
  if (typeof item !== 'string' && !(item instanceof List)) throw new CallFailure(`can't index item of type ${typeNameOf(item)}`);
  const at = position(index, lengthOf(item));
  if (at === lengthOf(item)) throw new CallFailure('reflect: slice index out of range');
  return typeof item === 'string' ? new Sized('uint8', BigInt(item.charCodeAt(at))) : (item.items[at] ?? null);
}

function slice(item: Value, indexes: readonly Value[]): Value {
  if (typeof item !== 'string' && !(item instanceof List)) throw new CallFailure(`can't slice item of type ${typeNameOf(item)}`);
  const length = lengthOf(item);
  const [start = 0, end = length] = indexes.map((index) => position(index, length));
  if (indexes.length > 2 || start > end)
    throw new CallFailure(indexes.length > 2 ? 'too many slice indexes' : `invalid slice index: ${start} > ${end}`);
  return typeof item === 'string' ? item.slice(start, end) : new List(item.items.slice(start, end), item.element);
}

/** What is printed, written by Go's `Sprint`; a missing value is `<no value>`. */
function printedArguments(values: readonly Value[], { meter }: CallContext): string {
  for (const value of values) meter.chargeWalk(value);
  return sprint(
    values.map((value) => (value === null ? '<no value>' : value)),
    meter.bytesLeft,
  );
}

const escaper = (escapeText: (text: string) => string): GoFunction =>
  variadic([], 'any', (context, values) => {
    const text = printedArguments(values, context);
    context.meter.chargeBytes(text.length * 6);
    return escapeText(text);
  });

const printer = (print: (values: readonly Value[], maxBytes: number) => string): GoFunction =>
  variadic([], 'any', ({ meter }, values) => {
    for (const value of values) meter.chargeWalk(value);
    return print(values, meter.bytesLeft);
  });

/** Go's own functions, but for `and` and `or`, which the executor knows. */
export const builtinFunctions: FunctionTable = {
  ...comparisons,
  not: fn(['any'], (value) => !isTrue(value)),
  len: fn(['any'], (value) => BigInt(lengthOf(value))),
  index: variadic(['any'], 'any', (_context, indexes, item) => {
    if (item === null) throw new CallFailure('index of untyped nil');
    return indexes.reduce<Value>(indexOnce, item);
  }),
  slice: variadic(['any'], 'any', (_context, indexes, item) => slice(item, indexes)),
  print: printer(sprint),
  println: printer(sprintln),
  printf: variadic(['string'], 'any', ({ meter }, values, format) => {
    for (const value of values) meter.chargeWalk(value);
    return sprintf(format, values, meter.bytesLeft);
  }),
  html: escaper(escapeHtml),
  js: escaper(escapeJs),
  urlquery: escaper(escapeQuery),
  call: variadic(['any'], 'any', (_context, _args, called) => {
    throw new CallFailure(called === null ? 'call of nil' : `non-function of type ${typeNameOf(called)}`);
  }),
};
