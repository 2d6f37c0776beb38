import { formatDuration } from '../time/duration.ts';
import { type Complex, type GoObject, int64, Sized } from '../values.ts';
import { type FunctionTable, fn } from './function.ts';

/** The methods of named integers such as `time.Month` and `time.Duration`; undefined for types that have none. */
export function namedMethods(receiver: GoObject | Complex): FunctionTable | undefined {
  if (!(receiver instanceof Sized) || receiver.text === undefined) return undefined;
  const { text, value } = receiver;
  const methods = { String: fn([], () => text) };
  if (receiver.typeName !== 'time.Duration') return methods;
  const units = { Hours: 3.6e12, Minutes: 6e10, Seconds: 1e9 };
  return {
    ...methods,
    ...Object.fromEntries(Object.entries(units).map(([name, unit]) => [name, fn([], () => Number(value) / unit)])),
    Milliseconds: fn([], () => int64(value / 1_000_000n)),
    Microseconds: fn([], () => int64(value / 1000n)),
    Nanoseconds: fn([], () => int64(value)),
  };
}

/** A `time.Duration` of so many nanoseconds. */
export function durationValue(nanoseconds: bigint): Sized {
  return new Sized('int64', nanoseconds, { typeName: 'time.Duration', text: formatDuration(nanoseconds) });
}
