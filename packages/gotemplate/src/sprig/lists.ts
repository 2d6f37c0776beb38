import { deepEqual } from '../exec/deep-equal.ts';
import { type CallContext, contextual, type FunctionTable, fn, type GoFunction, variadic } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { isEmpty, List, type Value } from '../values.ts';
import { listOf, stringList, textsOf, toInt64, toText } from './casts.ts';

const anyList = (items: readonly Value[]) => new List(items);

/** Whether an equal element is in the list; each comparison costs a step at least. */
function includes(items: readonly Value[], wanted: Value, { meter }: CallContext): boolean {
  return items.some((item) => deepEqual(wanted, item, meter));
}

function unique(items: readonly Value[], context: CallContext): Value[] {
  const kept: Value[] = [];
  for (const item of items) if (!includes(kept, item, context)) kept.push(item);
  return kept;
}

/** Sprig's `chunk`, with what Go's arithmetic makes of sizes that are none. */
function chunk(size: bigint, value: Value): List {
  const { items } = listOf(value, 'chunk');
  const width = Number(size);
  const count = Math.floor((items.length - 1) / width) + 1;
  if (!(count >= 0) || !Number.isFinite(count) || width < 0) throw new CallFailure('makeslice: len out of range');
  if (items.length === 0) return new List([], '[]interface {}');
  const chunks: Value[] = [];
  for (let at = 0; at < items.length; at += width) chunks.push(anyList(items.slice(at, at + width)));
  return new List(chunks, '[]interface {}');
}

function slice(value: Value, indices: readonly Value[]): Value {
  const list = listOf(value, 'slice');
  if (list.items.length === 0) return null;
  const start = indices[0] === undefined ? 0n : toInt64(indices[0]);
  const end = indices[1] === undefined ? BigInt(list.items.length) : toInt64(indices[1]);
  if (start < 0n || start > end || end > BigInt(list.items.length)) throw new CallFailure('reflect.Value.Slice: slice index out of bounds');
  return new List(list.items.slice(Number(start), Number(end)), list.element);
}

/** `name` and `mustName`, which differ in how they fail in Go and not here. */
function withMust(functions: FunctionTable): FunctionTable {
  const must = Object.entries(functions).map(([name, each]) => [`must${name.charAt(0).toUpperCase()}${name.slice(1)}`, each] as const);
  return { ...functions, ...Object.fromEntries(must) };
}

/** The first or last element, null of an empty list. */
const element = (task: string, at: number): GoFunction => fn(['any'], (value) => listOf(value, task).items.at(at) ?? null);

/** All but one at an end; an empty list gives a nil list. */
const part = (task: string, take: (items: readonly Value[]) => Value[]): GoFunction =>
  fn(['any'], (value) => {
    const { items } = listOf(value, task);
    return items.length === 0 ? List.nil() : anyList(take(items));
  });

const push = fn(['any', 'any'], (list, item) => anyList([...listOf(list, 'push on').items, item]));

export const listFunctions: FunctionTable = {
  list: variadic([], 'any', (_context, items) => anyList(items)),
  tuple: variadic([], 'any', (_context, items) => anyList(items)),
  ...withMust({
    append: push,
    push,
    prepend: fn(['any', 'any'], (list, item) => anyList([item, ...listOf(list, 'prepend on').items])),
    first: element('find first on', 0),
    last: element('find last on', -1),
    rest: part('find rest on', (items) => items.slice(1)),
    initial: part('find initial on', (items) => items.slice(0, -1)),
    reverse: fn(['any'], (list) => anyList(listOf(list, 'find reverse on').items.toReversed())),
    compact: fn(['any'], (list) => anyList(listOf(list, 'compact on').items.filter((item) => !isEmpty(item)))),
    uniq: contextual(['any'], (context, list) => anyList(unique(listOf(list, 'find uniq on').items, context))),
    without: variadic(['any'], 'any', (context, omitted, list) =>
      anyList(listOf(list, 'find without on').items.filter((item) => !includes(omitted, item, context))),
    ),
    has: contextual(
      ['any', 'any'],
      (context, wanted, list) => list !== null && includes(listOf(list, 'find has on').items, wanted, context),
    ),
    slice: variadic(['any'], 'any', (_context, indices, list) => slice(list, indices)),
    chunk: fn(['int', 'any'], chunk),
  }),
  concat: variadic([], 'any', ({ meter }, lists) => {
    const parts = lists.map((list) => listOf(list, 'concat').items);
    const length = parts.reduce((sum, items) => sum + items.length, 0);
    meter.charge(length);
    return length === 0 ? List.nil() : anyList(parts.flat());
  }),
  sortAlpha: contextual(['any'], ({ meter }, value) => {
    meter.chargeWalk(value);
    if (!(value instanceof List)) return stringList([toText(value, meter.bytesLeft)]);
    return stringList(textsOf(value, meter.bytesLeft).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  }),
};
