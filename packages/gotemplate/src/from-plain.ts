import { bytesOf, fromBytes } from './text/bytes.ts';
import { INT64_MAX } from './text/numbers.ts';
import { Instant } from './time/instant.ts';
import { fixedZone, utc } from './time/zone.ts';
import { Dict, List, Sized, Struct, type Value } from './values.ts';

/**
 * What can be given to a template: `bigint` is an int (a uint64 beyond 2^63 - 1), `number` a float64, text is JavaScript text.
 * A Map with `anyKeys` is Go's `map[interface {}]interface {}`, every other one has string keys. The classes are those of any YAML
 * reader that has these members.
 */
export type PlainValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly PlainValue[]
  | (ReadonlyMap<PlainValue, PlainValue> & { readonly anyKeys?: boolean })
  | PlainTime
  | PlainBytes;

/** A time: nanoseconds since 1970, seconds east of UTC. */
export interface PlainTime {
  readonly nanoseconds: bigint;
  readonly offset: number;
}

/** A string that is no UTF-8. */
export interface PlainBytes {
  readonly bytes: Uint8Array;
}

const MAX_DEPTH = 1000;

/** A value of the template language from a plain one, which is copied. Throws `RangeError` when it is nested deeper than 1,000. */
export function fromPlain(value: PlainValue, depth = 0): Value {
  if (depth > MAX_DEPTH) throw new RangeError(`the value is nested deeper than ${MAX_DEPTH}`);
  if (typeof value === 'string') return bytesOf(value);
  if (typeof value === 'bigint') return value > INT64_MAX ? new Sized('uint64', value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return new List(value.map((item: PlainValue) => fromPlain(item, depth + 1)));
  if (value instanceof Map) return fromMap(value, depth);
  if ('nanoseconds' in value) return new Instant(value.nanoseconds, value.offset === 0 ? utc : fixedZone('', value.offset));
  return 'bytes' in value ? fromBytes(value.bytes) : null;
}

function fromMap(map: ReadonlyMap<PlainValue, PlainValue> & { readonly anyKeys?: boolean }, depth: number): Dict {
  const dict = new Dict({ anyKeys: map.anyKeys === true });
  for (const [key, item] of map) dict.set(fromPlain(key, depth + 1), fromPlain(item, depth + 1));
  return dict;
}

/** A struct, whose unknown fields are errors: its type as Go would name it, its fields in order. */
export function structOf(typeName: string, fields: Readonly<Record<string, Value>>): Struct {
  return new Struct(typeName, new Map(Object.entries(fields)));
}
