/** Decimal arithmetic as shopspring/decimal v1.4.0 does it: value · 10^exponent. */
export interface Decimal {
  readonly value: bigint;
  readonly exponent: number;
}

/** Digits after the point that a division keeps. */
const DIVISION_PRECISION = 16;
/** Numbers whose exponents are further apart than this are not brought to one. */
const MAX_SHIFT = 2000;

/** A float by its shortest decimal form; infinity and NaN, which have none, give undefined. */
export function decimalOf(float: number): Decimal | undefined {
  if (!Number.isFinite(float)) return undefined;
  const [mantissa = '0', exponent = '0'] = float.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { value: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

const scaled = ({ value, exponent }: Decimal, to: number) => value * 10n ** BigInt(Math.min(exponent - to, MAX_SHIFT));

export function add(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  return { value: scaled(a, exponent) + scaled(b, exponent), exponent };
}

export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, { value: -b.value, exponent: b.exponent });
export const multiply = (a: Decimal, b: Decimal): Decimal => ({ value: a.value * b.value, exponent: a.exponent + b.exponent });

/** Rounded half away from zero; undefined when b is zero. */
export function divide(a: Decimal, b: Decimal): Decimal | undefined {
  if (b.value === 0n) return undefined;
  const shift = a.exponent - b.exponent + DIVISION_PRECISION;
  const power = 10n ** BigInt(Math.min(Math.abs(shift), MAX_SHIFT));
  const [dividend, divisor] = shift >= 0 ? [a.value * power, b.value] : [a.value, b.value * power];
  const [quotient, rest] = [dividend / divisor, dividend % divisor];
  const double = (rest < 0n ? -rest : rest) * 2n;
  const sign = dividend < 0n === divisor < 0n ? 1n : -1n;
  return { value: double >= (divisor < 0n ? -divisor : divisor) ? quotient + sign : quotient, exponent: -DIVISION_PRECISION };
}

export const toFloat = ({ value, exponent }: Decimal): number => Number(`${value}e${exponent}`);
