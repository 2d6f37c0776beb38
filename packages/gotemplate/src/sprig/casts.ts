import { CallFailure } from '../failure.ts';
import { sprintValue } from '../fmt/sprint.ts';
import { stringOf } from '../fmt/stringer.ts';
import { INT64_MAX, INT64_MIN, parseFloat64, parseInt64 } from '../text/numbers.ts';
import { kindOf, List, Sized, typeNameOf, type Value } from '../values.ts';

/** How Sprig makes one type of another (spf13/cast v1.7.0): what cannot be converted is 0. */

/** A float as an integer; what is out of range becomes the smallest one, as on amd64. */
export function truncate(value: number): bigint {
  if (Number.isNaN(value) || value >= 2 ** 63 || value < -(2 ** 63)) return INT64_MIN;
  return BigInt(Math.trunc(value));
}

/** A `Weekday` and a `Month` count as int; a `Duration` does not. */
function plainInteger(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (!(value instanceof Sized) || (value.text !== undefined && value.kind !== 'int')) return undefined;
  return value.value;
}

export function toInt64(value: Value): bigint {
  const integer = plainInteger(value);
  if (integer !== undefined) return BigInt.asIntN(64, integer);
  if (typeof value === 'number') return truncate(value);
  if (typeof value === 'string') return parseInt64(withoutZeroDecimals(value)) ?? 0n;
  return value === true ? 1n : 0n;
}

/** `1.00` is read as `1`, and `1.` is not. */
function withoutZeroDecimals(text: string): string {
  return text.replace(/\.0+$/, '');
}

export function toFloat64(value: Value): number {
  if (typeof value === 'number') return value;
  const integer = plainInteger(value);
  if (integer !== undefined) return Number(integer);
  if (typeof value === 'string') return parseFloat64(value) ?? 0;
  return value === true ? 1 : 0;
}

/** `strconv.ParseInt(text, 10, 64)` without its error: what is out of range is the nearest that is not. */
export function parseClamped(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) return 0n;
  const value = BigInt(text.replace(/^\+/, ''));
  return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : value;
}

/** Sprig's `toString`. */
export function toText(value: Value, maxBytes?: number): string {
  return typeof value === 'string' ? value : (stringOf(value) ?? sprintValue(value, maxBytes));
}

/** The elements of a list; throws what Sprig's list functions throw for everything else. */
export function listOf(value: Value, task: string): List {
  if (value instanceof List) return value;
  if (value === null) throw new CallFailure('invalid memory address or nil pointer dereference');
  throw new CallFailure(`Cannot ${task} type ${kindOf(value)} (${typeNameOf(value)})`);
}

/** Sprig's `toStrings`: null is left out. */
export function textsOf(value: Value, maxBytes?: number): string[] {
  if (value === null) return [];
  if (!(value instanceof List)) return [toText(value, maxBytes)];
  return value.items.filter((item) => item !== null).map((item) => toText(item, maxBytes));
}

export const stringList = (items: readonly string[]): List => new List(items, 'string');
