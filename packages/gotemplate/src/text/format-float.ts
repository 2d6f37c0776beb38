/** Go's `strconv.FormatFloat` for 64 bits. */

export type FloatVerb = 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X' | 'b';

/** Decimal digits d1 d2 … of 0.d1d2… · 10^point; none for zero. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** `precision` counts what `%e`, `%f`, `%g` count; -1 is the shortest text that reads back as the same number. */
export function formatFloat(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  switch (verb) {
    case 'b':
      return sign + formatBinary(size);
    case 'x':
      return sign + formatHex(size, precision);
    case 'X':
      return (sign + formatHex(size, precision)).toUpperCase();
    case 'f':
      return sign + fixed(precision < 0 ? shortest(size) : rounded(size, { decimals: precision }), precision);
    case 'e':
      return sign + exponential(precision < 0 ? shortest(size) : rounded(size, { digits: precision + 1 }), precision);
    case 'E':
      return formatFloat(value, 'e', precision).toUpperCase();
    case 'G':
      return formatFloat(value, 'g', precision).toUpperCase();
    default:
      return sign + general(size, precision);
  }
}

function general(size: number, precision: number): string {
  const digits = precision < 0 ? shortest(size) : rounded(size, { digits: precision || 1 });
  let limit = precision < 0 ? 6 : precision || 1;
  if (precision > digits.digits.length && digits.digits.length >= digits.point) limit = digits.digits.length;
  const exponent = digits.point - 1;
  if (digits.digits !== '' && (exponent < -4 || exponent >= limit)) return exponential(digits, -1);
  return fixed(digits, -1);
}

function exponential({ digits, point }: Decimal, precision: number): string {
  const exponent = digits === '' ? 0 : point - 1;
  const decimals = precision < 0 ? Math.max(digits.length - 1, 0) : precision;
  const fraction = digits.slice(1).padEnd(decimals, '0').slice(0, decimals);
  const mantissa = (digits[0] ?? '0') + (fraction === '' ? '' : `.${fraction}`);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function fixed({ digits, point }: Decimal, precision: number): string {
  const decimals = precision < 0 ? Math.max(digits.length - point, 0) : precision;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const fraction = ('0'.repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0))).padEnd(decimals, '0').slice(0, decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The shortest digits that read back as the same number: those of JavaScript's own conversion. */
function shortest(size: number): Decimal {
  if (size === 0) return { digits: '', point: 0 };
  const [mantissa = '', exponent = '0'] = size.toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** The exact value rounded half to even, to so many digits or decimals; zeros at the end are dropped. */
function rounded(size: number, to: { digits: number } | { decimals: number }): Decimal {
  const exact = exactDigits(size);
  if (exact.digits === '') return exact;
  const keep = 'digits' in to ? to.digits : exact.point + to.decimals;
  if (keep < 0) return { digits: '', point: 0 };
  if (keep >= exact.digits.length) return exact;
  const head = exact.digits.slice(0, keep);
  if (!roundsUp(exact.digits, keep)) return trimmed({ digits: head, point: exact.point });
  const up = String(BigInt(head || '0') + 1n).padStart(keep, '0');
  return trimmed({ digits: up, point: exact.point + (up.length > keep ? 1 : 0) });
}

function roundsUp(digits: string, keep: number): boolean {
  const next = digits[keep] ?? '0';
  if (next !== '5' || /[1-9]/.test(digits.slice(keep + 1))) return next >= '5';
  return keep > 0 && Number(digits[keep - 1]) % 2 === 1;
}

function trimmed({ digits, point }: Decimal): Decimal {
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? { digits: '', point: 0 } : { digits: kept, point };
}

/** mantissa · 2^exponent of a finite number that is not negative. */
function binaryParts(size: number): { mantissa: bigint; exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, size);
  const raw = bits.getBigUint64(0);
  const biased = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & ((1n << 52n) - 1n);
  return biased === 0 ? { mantissa: fraction, exponent: -1074 } : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

function exactDigits(size: number): Decimal {
  if (size === 0) return { digits: '', point: 0 };
  const { mantissa, exponent } = binaryParts(size);
  if (exponent >= 0) {
    const whole = String(mantissa << BigInt(exponent));
    return trimmed({ digits: whole, point: whole.length });
  }
  const scaled = String(mantissa * 5n ** BigInt(-exponent));
  return trimmed({ digits: scaled, point: scaled.length + exponent });
}

function formatBinary(size: number): string {
  const { mantissa, exponent } = binaryParts(size);
  return `${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
}

/** `0x1.8p+01`: one hex digit, fraction, binary exponent of at least two digits. */
function formatHex(size: number, precision: number): string {
  const parts = binaryParts(size);
  let { mantissa, exponent } = parts;
  if (mantissa === 0n) exponent = 0;
  else {
    const shift = 52 - (mantissa.toString(2).length - 1);
    mantissa <<= BigInt(shift);
    exponent += 52 - shift;
  }
  if (precision >= 0 && precision < 13) {
    const drop = BigInt(4 * (13 - precision));
    const half = 1n << (drop - 1n);
    const rest = mantissa & ((1n << drop) - 1n);
    mantissa >>= drop;
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa += 1n;
    mantissa <<= drop;
    if (mantissa >> 53n !== 0n) {
      mantissa >>= 1n;
      exponent += 1;
    }
  }
  const digits = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, '0');
  const fraction = precision < 0 ? digits.replace(/0+$/, '') : digits.padEnd(precision, '0').slice(0, precision);
  const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  return `0x${mantissa >> 52n}${fraction === '' ? '' : `.${fraction}`}p${power}`;
}
