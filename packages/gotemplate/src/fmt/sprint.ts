import type { Value } from '../values.ts';
import { Printer } from './printer.ts';

/** A value as `%v` writes it. */
export function sprintValue(value: Value, maxBytes = Number.POSITIVE_INFINITY): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return new Printer(maxBytes).print(value, 'v');
  }
}

/** `fmt.Sprint`: a space between two operands of which neither is a string. */
export function sprint(values: readonly Value[], maxBytes = Number.POSITIVE_INFINITY): string {
  const printer = new Printer(maxBytes);
  let text = '';
  let afterString = true;
  for (const value of values) {
    const isString = typeof value === 'string';
    if (!isString && !afterString) text += printer.text(' ');
    text += printer.print(value, 'v');
    afterString = isString;
  }
  return text;
}

/** `fmt.Sprintln`: a space between all operands, a line break after the last. */
export function sprintln(values: readonly Value[], maxBytes = Number.POSITIVE_INFINITY): string {
  return `${values.map((value) => sprintValue(value, maxBytes)).join(' ')}\n`;
}
