import { contextual, type FunctionTable, fn, variadic } from '../exec/function.ts';
import type { Meter } from '../exec/meter.ts';
import { CallFailure } from '../failure.ts';
import { Version, VersionPointer } from '../semver/version.ts';
import { Dict, List, Struct, type Value } from '../values.ts';
import { stringList, toText } from './casts.ts';
import { MergeMismatch, mergeInto } from './merge.ts';

function dictOf(values: readonly Value[], meter: Meter): Dict {
  const dict = new Dict();
  for (let i = 0; i < values.length; i += 2) {
    meter.chargeWalk(values[i] ?? null);
    dict.set(toText(values[i] ?? null, meter.bytesLeft), i + 1 < values.length ? (values[i + 1] ?? null) : '');
  }
  return dict;
}

/** The entries whose key passes. */
function filtered(dict: Dict, keep: (key: Value) => boolean): Dict {
  const kept = new Dict();
  for (const [key, value] of dict.entries()) if (keep(key)) kept.set(key, value);
  return kept;
}

/** `dig "a" "b" default dict`: the value at a path, the default where a key is missing. */
function dig(values: readonly Value[]): Value {
  if (values.length < 3) throw new CallFailure('dig needs at least three arguments');
  const path = values.slice(0, -2);
  let dict = values.at(-1);
  if (!path.every((key) => typeof key === 'string')) throw new CallFailure('interface conversion: a key of dig is no string');
  for (const [index, key] of path.entries()) {
    if (!(dict instanceof Dict) || dict.anyKeys || dict.element === 'string') {
      throw new CallFailure('interface conversion: what dig goes through is no map[string]interface {}');
    }
    const step: Value | undefined = dict.get(key);
    if (step === undefined) return values.at(-2) ?? null;
    if (index === path.length - 1) return step;
    dict = step;
  }
  return null;
}

/** What Sprig's copy of a version is: its fields are out of the copier's reach. */
const zeroVersion = new Version({ major: 0n, minor: 0n, patch: 0n, prerelease: '', metadata: '', original: '' });

/** Maps and lists are made anew, all the way down. */
function deepCopy(value: Value): Value {
  if (value instanceof List) return new List(value.items.map(deepCopy), value.element, value.isNil);
  if (value instanceof Struct)
    return new Struct(value.typeName, new Map([...value.fields].map(([name, field]) => [name, deepCopy(field)])));
  if (value instanceof VersionPointer) return new VersionPointer(zeroVersion);
  if (!(value instanceof Dict) || value.isNil) return value;
  const copy = new Dict({ anyKeys: value.anyKeys, ...(value.element === 'string' && { element: 'string' }) });
  for (const [key, item] of value.entries()) copy.set(key, deepCopy(item));
  return copy;
}

const copied = contextual(['any'], ({ meter }, value) => {
  if (value === null) throw new CallFailure('reflect: call of reflect.Value.Type on zero Value');
  meter.chargeWalk(value);
  return deepCopy(value);
});

/** Merges the further maps into the first, which is changed; a nil one is replaced. */
const merging = (overwrite: boolean, must: boolean) =>
  variadic(['map'], 'map', ({ meter }, sources, target) => {
    const result = target.isNil && sources.some((source) => !source.isNil) ? new Dict() : target;
    try {
      for (const source of sources) mergeInto(result, source, overwrite, meter);
    } catch (error) {
      if (!(error instanceof MergeMismatch)) throw error;
      if (must) throw new CallFailure(error.message);
      return '';
    }
    return result;
  });

export const dictFunctions: FunctionTable = {
  dict: variadic([], 'any', ({ meter }, values) => dictOf(values, meter)),
  get: fn(['map', 'string'], (dict, key) => dict.get(key) ?? (dict.has(key) ? null : '')),
  set: fn(['map', 'string', 'any'], (dict, key, value) => dict.set(key, value)),
  unset: fn(['map', 'string'], (dict, key) => {
    dict.delete(key);
    return dict;
  }),
  hasKey: fn(['map', 'string'], (dict, key) => dict.has(key)),
  pluck: variadic(['string'], 'map', (_context, dicts, key) => {
    return new List(dicts.filter((dict) => dict.has(key)).map((dict) => dict.get(key) ?? null));
  }),
  keys: variadic([], 'map', (_context, dicts) => stringList(dicts.flatMap((dict) => dict.entries().map(([key]) => String(key))))),
  values: fn(['map'], (dict) => new List([...dict.values()])),
  pick: variadic(['map'], 'string', (_context, keys, dict) => filtered(dict, (key) => keys.some((each) => each === key))),
  omit: variadic(['map'], 'string', (_context, keys, dict) => filtered(dict, (key) => !keys.some((each) => each === key))),
  dig: variadic([], 'any', (_context, values) => dig(values)),
  merge: merging(false, false),
  mustMerge: merging(false, true),
  mergeOverwrite: merging(true, false),
  mustMergeOverwrite: merging(true, true),
  deepCopy: copied,
  mustDeepCopy: copied,
};
