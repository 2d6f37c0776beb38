import { exactInt, GoFloat, GoTime, type Value } from '../value.ts';

const FIXED = new Map<string, Value>([
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
  ...['true', 'True', 'TRUE'].map((text) => [text, true] as const),
  ...['false', 'False', 'FALSE'].map((text) => [text, false] as const),
  ...['.nan', '.NaN', '.NAN'].map((text) => [text, new GoFloat(Number.NaN)] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((text) => [text, new GoFloat(Number.POSITIVE_INFINITY)] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((text) => [text, new GoFloat(Number.NEGATIVE_INFINITY)] as const),
]);
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const TIME = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt]|[ \t]+)(\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d+)?(?:[ \t]*(Z|[-+]\d{2}:?\d{2}))?$/;
const MAX_UINT = 2n ** 64n - 1n;
const MIN_INT = -(2n ** 63n);

/** The value of a plain scalar without a tag, as yaml.v3 resolves it: YAML 1.1 numbers, 1.2 booleans, dates. */
export function resolveScalar(text: string): Value {
  const fixed = FIXED.get(text);
  if (fixed !== undefined) return fixed;
  if (!/^[-+.0-9]/.test(text)) return text;
  return resolveDate(text) ?? resolveNumber(text.replaceAll('_', '')) ?? text;
}

function resolveNumber(text: string): Value | undefined {
  const [, sign = '', digits] = INTEGER.exec(text) ?? [];
  if (digits !== undefined) {
    const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase();
    const size = BigInt(octal);
    const value = sign === '-' ? -size : size;
    if (value >= MIN_INT && value <= MAX_UINT) return exactInt(value);
  }
  return FLOAT.test(text) ? new GoFloat(Number(text)) : undefined;
}

function resolveDate(text: string): GoTime | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = DATE.exec(text) ?? TIME.exec(text) ?? [];
  if (year === undefined) return undefined;
  const stamp = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)));
  const rolled = stamp.getUTCMonth() !== Number(month) - 1 || stamp.getUTCDate() !== Number(day);
  if (rolled || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const [date, time] = stamp.toISOString().slice(0, 19).split('T');
  const digits = fraction.replace(/\.?0+$/, '');
  const offset = zone === 'Z' ? '+0000 UTC' : `${zone.replace(':', '')} ${zone.replace(':', '')}`;
  return new GoTime(`${date} ${time}${digits} ${offset}`);
}
