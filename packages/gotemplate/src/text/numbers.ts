/** Go's `strconv` for numbers: what counts as one, and how a float is written. */

export const INT64_MAX = 2n ** 63n - 1n;
export const INT64_MIN = -(2n ** 63n);
export const UINT64_MAX = 2n ** 64n - 1n;

const prefixes: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16 };

/** Underscores may stand between digits and after a base prefix alone. */
function underscoresFit(unsigned: string): boolean {
  const digits = /^0[box]/i.test(unsigned) ? `0${unsigned.slice(2)}` : unsigned;
  const digit = /^0x/i.test(unsigned) ? '[0-9a-f]' : '[0-9]';
  return !new RegExp(`(^|(?!${digit}).)_|_((?!${digit}).|$)`, 'i').test(digits);
}

/** A whole number by Go's rules, sign not included; undefined when it is none. Base 0 means: by its prefix, with underscores. */
function parseDigits(text: string, base: number): bigint | undefined {
  let [digits, radix] = [text, base];
  if (base === 0) {
    radix = 10;
    if (text.startsWith('0')) {
      const prefixed = text.length >= 3 ? prefixes[(text[1] ?? '').toLowerCase()] : undefined;
      [digits, radix] = prefixed === undefined ? [text.slice(1), 8] : [text.slice(2), prefixed];
      if (digits === '') return 0n;
    }
    if (digits.includes('_') && !underscoresFit(text)) return undefined;
    digits = digits.replaceAll('_', '');
  }
  const valid = radix === 16 ? /^[0-9a-f]+$/i : radix === 10 ? /^[0-9]+$/ : radix === 8 ? /^[0-7]+$/ : /^[01]+$/;
  if (!valid.test(digits)) return undefined;
  const prefix = radix === 16 ? '0x' : radix === 8 ? '0o' : radix === 2 ? '0b' : '';
  return BigInt(prefix + digits);
}

/** `strconv.ParseUint(text, base, 64)`; undefined when it is none or out of range. */
export function parseUint(text: string, base: 0 | 8 | 10 = 0): bigint | undefined {
  const value = parseDigits(text, base);
  return value === undefined || value > UINT64_MAX ? undefined : value;
}

/** `strconv.ParseInt(text, base, 64)`; undefined when it is none or out of range. */
export function parseInt64(text: string, base: 0 | 8 | 10 = 0): bigint | undefined {
  const negative = text.startsWith('-');
  const value = parseDigits(/^[+-]/.test(text) ? text.slice(1) : text, base);
  if (value === undefined) return undefined;
  const signed = negative ? -value : value;
  return signed > INT64_MAX || signed < INT64_MIN ? undefined : signed;
}

/** `strconv.ParseFloat(text, 64)`; undefined when it is none or too large. */
export function parseFloat64(text: string): number | undefined {
  const [sign, unsigned] = /^[+-]/.test(text) ? [text[0] === '-' ? -1 : 1, text.slice(1)] : [1, text];
  if (/^inf(inity)?$/i.test(unsigned)) return sign * Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  if (unsigned.includes('_') && !underscoresFit(unsigned)) return undefined;
  const plain = unsigned.replaceAll('_', '');
  const value = /^0x/i.test(plain) ? parseHexFloat(plain.slice(2)) : parseDecimal(plain);
  return value === undefined || !Number.isFinite(value) ? undefined : sign * value;
}

function parseDecimal(text: string): number | undefined {
  return /^([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i.test(text) ? Number(text) : undefined;
}

function parseHexFloat(text: string): number | undefined {
  const match = /^([0-9a-f]*)\.?([0-9a-f]*)p([+-]?[0-9]+)$/i.exec(text);
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  if (whole + fraction === '') return undefined;
  return scaleByPowerOfTwo(BigInt(`0x${whole}${fraction}`), Number(exponent) - 4 * fraction.length);
}

/** mantissa · 2^exponent, rounded once, ties to even. */
function scaleByPowerOfTwo(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0;
  let [value, power] = [mantissa, exponent];
  const lost = Math.max(value.toString(2).length - 53, -1074 - power, 0);
  if (lost > 2000) return 0;
  if (lost > 0) {
    const rest = value & ((1n << BigInt(lost)) - 1n);
    const half = 1n << BigInt(lost - 1);
    value >>= BigInt(lost);
    power += lost;
    if (rest > half || (rest === half && (value & 1n) === 1n)) value += 1n;
  }
  const first = Math.max(Math.min(power, 900), -900);
  return Number(value) * 2 ** first * 2 ** Math.max(Math.min(power - first, 1023), -1074);
}
