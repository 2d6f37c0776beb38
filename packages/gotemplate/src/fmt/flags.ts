import { decodeRune, encodeRune, RUNE_ERROR, runeCount } from '../text/bytes.ts';
import { type FloatVerb, formatFloat } from '../text/format-float.ts';
import { canBackquote, quote, quoteRune } from '../text/quote.ts';
import { isPrint } from '../text/unicode.ts';

/** What stands between `%` and the verb. */
export interface Flags {
  sharp: boolean;
  zero: boolean;
  plus: boolean;
  minus: boolean;
  space: boolean;
  width: number | undefined;
  precision: number | undefined;
  /** `%#v`: Go syntax. */
  sharpV: boolean;
  /** `%+v`: with field names. */
  plusV: boolean;
}

export function noFlags(): Flags {
  return {
    sharp: false,
    zero: false,
    plus: false,
    minus: false,
    space: false,
    width: undefined,
    precision: undefined,
    sharpV: false,
    plusV: false,
  };
}

/** Filled up to the width, which counts letters; zeros stand on the left alone. */
export function pad(text: string, flags: Flags, zero = flags.zero): string {
  if (flags.width === undefined || flags.width === 0) return text;
  const missing = flags.width - runeCount(text);
  if (missing <= 0) return text;
  if (flags.minus) return text + ' '.repeat(missing);
  return (zero ? '0' : ' ').repeat(missing) + text;
}

/** No more letters than the precision. */
function truncate(text: string, { precision }: Flags): string {
  if (precision === undefined || precision >= text.length) return text;
  let at = 0;
  for (let letters = 0; letters < precision && at < text.length; letters++) at += decodeRune(text, at).size;
  return text.slice(0, at);
}

export function formatString(text: string, flags: Flags): string {
  return pad(truncate(text, flags), flags);
}

export function formatQuoted(text: string, flags: Flags): string {
  const cut = truncate(text, flags);
  if (flags.sharp && canBackquote(cut)) return pad(`\`${cut}\``, flags);
  return pad(quote(cut, { ascii: flags.plus }), flags);
}

/** `%x` of a string: its bytes. */
export function formatHexBytes(text: string, flags: Flags, upper: boolean): string {
  const bytes = flags.precision !== undefined && flags.precision < text.length ? text.slice(0, flags.precision) : text;
  const prefix = flags.sharp ? (upper ? '0X' : '0x') : '';
  const pairs = Buffer.from(bytes, 'latin1').toString('hex');
  const digits = flags.space ? pairs.replace(/..(?=.)/g, `$& ${prefix.toLowerCase()}`) : pairs;
  const shown = bytes === '' ? '' : prefix.toLowerCase() + digits;
  return pad(upper ? shown.toUpperCase() : shown, flags);
}

const digitBase: Readonly<Record<string, number>> = { b: 2, o: 8, O: 8, x: 16, X: 16 };

export function formatInteger(value: bigint, flags: Flags, verb: string): string {
  const base = digitBase[verb] ?? 10;
  if (flags.precision === 0 && value === 0n) return ' '.repeat(flags.width ?? 0);
  const negative = value < 0n;
  const sign = negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  let digits = (negative ? -value : value).toString(base);
  const zeroWidth = flags.zero && !flags.minus && flags.width !== undefined ? flags.width - sign.length : 0;
  digits = digits.padStart(flags.precision ?? zeroWidth, '0');
  if (flags.sharp && base === 2) digits = `0b${digits}`;
  if (flags.sharp && base === 8 && !digits.startsWith('0')) digits = `0${digits}`;
  if (flags.sharp && base === 16) digits = `0x${digits}`;
  if (verb === 'O') digits = `0o${digits}`;
  return pad(sign + (verb === 'X' ? digits.toUpperCase() : digits), flags, false);
}

/** A number as a code point; beyond Unicode it is U+FFFD. */
const runeFrom = (value: bigint) => (BigInt.asUintN(64, value) > 0x10ffffn ? RUNE_ERROR : Number(value));

export const formatChar = (value: bigint, flags: Flags) => pad(encodeRune(runeFrom(value)), flags);
export const formatQuotedChar = (value: bigint, flags: Flags) => pad(quoteRune(runeFrom(value), { ascii: flags.plus }), flags);

export function formatUnicode(value: bigint, flags: Flags): string {
  const unsigned = BigInt.asUintN(64, value);
  const digits = unsigned
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(flags.precision ?? 0, 4), '0');
  const shown = flags.sharp && unsigned <= 0x10ffffn && isPrint(Number(unsigned)) ? ` '${encodeRune(Number(unsigned))}'` : '';
  return pad(`U+${digits}${shown}`, flags, false);
}

export function formatFloatVerb(value: number, flags: Flags, verb: string): string {
  const usual = verb === 'f' || verb === 'e' || verb === 'E' || verb === 'F' ? 6 : -1;
  const format = (verb === 'v' ? 'g' : verb === 'F' ? 'f' : verb) as FloatVerb; // the printer has checked the verb
  const precision = flags.precision ?? usual;
  const text = formatFloat(value, format, precision);
  const signed = /^[+-]/.test(text) ? text : `+${text}`;
  const sign = signed.startsWith('-') ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  let number = signed.slice(1);
  if (number === 'NaN') return pad((flags.plus ? '+' : flags.space ? ' ' : '') + number, flags, false);
  if (number === 'Inf') return pad((sign || '+') + number, flags, false);
  if (flags.sharp && format !== 'b') number = withPoint(number, format, precision);
  if (sign !== '' && flags.zero && !flags.minus && flags.width !== undefined && flags.width > number.length + 1) {
    return sign + number.padStart(flags.width - 1, '0');
  }
  return pad(sign + number, flags);
}

/** `%#g`: always a point, zeros at the end kept. */
function withPoint(number: string, verb: FloatVerb, precision: number): string {
  const split = verb === 'x' || verb === 'X' ? /[pP]/ : /[eE]/;
  const at = number.search(split);
  const [mantissa, tail] = at < 0 ? [number, ''] : [number.slice(0, at), number.slice(at)];
  let wanted = verb === 'g' || verb === 'G' || verb === 'x' ? (precision === -1 ? 6 : precision) : 0;
  // Go counts the x of 0x1 as a digit.
  wanted -= mantissa === '0' ? 1 : mantissa.replace('.', '').replace(/^0+/, '').length;
  const pointed = mantissa.includes('.') ? mantissa : `${mantissa}.`;
  return pointed + '0'.repeat(Math.max(wanted, 0)) + tail;
}
