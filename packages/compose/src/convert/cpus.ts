import { exactInt, type Int } from '../value.ts';

const NANO = 1_000_000_000n;
const MAX_EXPONENT = 400;

/**
 * 1e-9 CPUs of a text such as `0.5`, `1/2` or `0x1`, which must be exact to nine decimals; not bounded.
 * Source: docker CLI `opts.ParseCPUs` over Go's `big.Rat.SetString`.
 */
export function parseCpus(text: string): Int | { readonly error: string } {
  const ratio = parseRatio(text);
  if (!ratio) return { error: `expected a number of CPUs such as "0.5", found ${JSON.stringify(text)}` };
  const [numerator, denominator] = ratio;
  const nano = numerator * NANO;
  if (nano % denominator !== 0n) return { error: `${JSON.stringify(text)} is more precise than nine decimals` };
  return exactInt(nano / denominator);
}

function parseRatio(text: string): [bigint, bigint] | undefined {
  if (text.length > 200) return undefined;
  const slash = text.indexOf('/');
  if (slash < 0) return parseDecimal(text);
  const numerator = parseInteger(text.slice(0, slash), true);
  const denominator = parseInteger(text.slice(slash + 1), false);
  return numerator === undefined || !denominator ? undefined : [numerator, denominator];
}

function parseInteger(text: string, signed: boolean): bigint | undefined {
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (sign !== '' && !signed) return undefined;
  if (!/^(0[xX](_?[0-9a-fA-F])+|0[bB](_?[01])+|0[oO](_?[0-7])+|0(_?[0-7])*|[1-9](_?[0-9])*)$/.test(digits)) return undefined;
  const bare = digits.replaceAll('_', '').toLowerCase();
  const value = BigInt(/^0[0-7]+$/.test(bare) ? `0o${bare.slice(1)}` : bare);
  return sign === '-' ? -value : value;
}

function parseDecimal(text: string): [bigint, bigint] | undefined {
  const [, sign = '', body = ''] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  const integer = /^0[xXbBoO]/.test(body) ? parseInteger(body, false) : undefined;
  if (integer !== undefined) return [sign === '-' ? -integer : integer, 1n];
  const match = /^(\d+(?:_\d+)*)?(?:\.(\d+(?:_\d+)*)?)?(?:[eE]([-+]?\d+))?$/.exec(body);
  const [, whole = '', fraction = '', power = '0'] = match ?? [];
  const digits = `${whole}${fraction}`.replaceAll('_', '');
  if (!match || digits === '' || Math.abs(Number(power)) > MAX_EXPONENT) return undefined;
  const scale = BigInt(power) - BigInt(fraction.replaceAll('_', '').length);
  const value = BigInt(digits) * (sign === '-' ? -1n : 1n);
  return scale >= 0n ? [value * 10n ** scale, 1n] : [value, 10n ** -scale];
}
