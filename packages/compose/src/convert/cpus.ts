import { exactInt, type Int } from '../value.ts';

const NANO = 1_000_000_000n;
const MAX_LENGTH = 200;
const MAX_EXPONENT = 4000;
const PREFIXES: Record<string, number> = { x: 16, o: 8, b: 2 };

/**
 * 1e-9 CPUs of a text such as `0.5`, `1/2` or `0x1`, which must be exact to nine decimals; not bounded.
 * Source: docker CLI `opts.ParseCPUs` over Go's `big.Rat.SetString`.
 */
export function parseCpus(text: string): Int | { readonly error: string } {
  const ratio = text.length > MAX_LENGTH ? undefined : parseRatio(text);
  if (!ratio) return { error: `expected a number of CPUs such as "0.5", found ${JSON.stringify(text)}` };
  const [numerator, denominator] = ratio;
  const nano = numerator * NANO;
  if (nano % denominator !== 0n) return { error: `${JSON.stringify(text)} is more precise than nine decimals` };
  return exactInt(nano / denominator);
}

function parseRatio(text: string): [bigint, bigint] | undefined {
  const slash = text.indexOf('/');
  const [, sign = '', body = ''] = /^([-+]?)(.*)$/s.exec(slash < 0 ? text : text.slice(0, slash)) ?? [];
  const size = slash < 0 ? parseFraction(body) : parseFractionOf(body, text.slice(slash + 1));
  return size && [sign === '-' ? -size[0] : size[0], size[1]];
}

function parseFractionOf(above: string, below: string): [bigint, bigint] | undefined {
  const numerator = parseInteger(above);
  const denominator = parseInteger(below);
  return numerator === undefined || !denominator ? undefined : [numerator, denominator];
}

/** An unsigned Go integer literal: `0x`, `0o`, `0b`, a leading zero for octal, underscores between digits. */
function parseInteger(text: string): bigint | undefined {
  if (!/^(0[xX](_?[0-9a-fA-F])+|0[bB](_?[01])+|0[oO](_?[0-7])+|0(_?[0-7])*|[1-9](_?[0-9])*)$/.test(text)) return undefined;
  const bare = text.replaceAll('_', '').toLowerCase();
  return BigInt(/^0[0-7]+$/.test(bare) ? `0o${bare.slice(1)}` : bare);
}

/** Digits with a point, in a base of 2, 8, 10 or 16, and an exponent of 10 (`e`) or 2 (`p`). */
function parseFraction(text: string): [bigint, bigint] | undefined {
  const base = PREFIXES[/^0([xob])/i.exec(text)?.[1]?.toLowerCase() ?? ''] ?? 10;
  const body = (base === 10 ? text : text.slice(2)).toLowerCase();
  const [, mantissa = '', mark = '', power = '0'] =
    (base === 10 ? /^([\d._]*)(?:([ep])([-+]?\d+(?:_\d+)*))?$/ : /^([\da-f._]*)(?:(p)([-+]?\d+(?:_\d+)*))?$/).exec(body) ?? [];
  const [whole = '', fraction = '', more] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replaceAll('_', '');
  const exponent = Number(power.replaceAll('_', ''));
  const valid = more === undefined && separated(whole, base !== 10) && separated(fraction, false) && Math.abs(exponent) <= MAX_EXPONENT;
  const value = valid ? digitsValue(digits, base) : undefined;
  if (value === undefined) return undefined;
  const scaled = scale([value, BigInt(base) ** BigInt(fraction.replaceAll('_', '').length)], mark === 'p' ? 2n : 10n, exponent);
  return scaled;
}

/** Whether each underscore stands between digits, or behind the prefix of a base. */
function separated(text: string, behindPrefix: boolean): boolean {
  const digits = behindPrefix ? text.replace(/^_/, '') : text;
  return !/^_|_$|__/.test(digits);
}

function digitsValue(digits: string, base: number): bigint | undefined {
  const allowed = '0123456789abcdef'.slice(0, base);
  if (digits === '' || [...digits].some((digit) => !allowed.includes(digit))) return undefined;
  return [...digits].reduce((sum, digit) => sum * BigInt(base) + BigInt(allowed.indexOf(digit)), 0n);
}

function scale([numerator, denominator]: [bigint, bigint], by: bigint, exponent: number): [bigint, bigint] {
  if (exponent >= 0) return [numerator * by ** BigInt(exponent), denominator];
  return [numerator, denominator * by ** BigInt(-exponent)];
}
