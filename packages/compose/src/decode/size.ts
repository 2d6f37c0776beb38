import { exactInt, type Int } from '../value.ts';
import { parseGoFloat } from './go-float.ts';

const UNITS = ['', 'k', 'm', 'g', 't', 'p'];

/**
 * Bytes of a memory size such as `512m`, `1.5GiB`, `10 MB`: every unit is a power of 1024; not cut to whole bytes. Undefined when it is none.
 * Source: go-units `RAMInBytes`, which the docker CLI uses.
 */
export function parseSize(text: string): number | undefined {
  const end = Math.max(...[...'0123456789. '].map((char) => text.lastIndexOf(char)));
  if (end < 0) return undefined;
  const space = text[end] === ' ';
  const digits = space ? text.slice(0, end) : text.slice(0, end + 1);
  const suffix = text.slice(end + 1).toLowerCase();
  const value = parseGoFloat(digits);
  if (value === undefined || value < 0 || Object.is(value, -0)) return undefined;
  if (suffix === '' || suffix === 'b') return value;
  const power = UNITS.indexOf(suffix.charAt(0));
  if (power < 1 || !['', 'b', 'ib'].includes(suffix.slice(1))) return undefined;
  return value * 1024 ** power;
}

/** Go's conversion of a float to int64 on amd64: cut; what does not fit becomes the smallest integer. */
export function toInt64(value: number): Int {
  const whole = Math.trunc(value);
  if (Number.isNaN(whole) || whole >= 2 ** 63 || whole < -(2 ** 63)) return exactInt(-(2n ** 63n));
  return exactInt(BigInt(whole));
}
