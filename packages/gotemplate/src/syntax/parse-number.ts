import { INT64_MAX, INT64_MIN, parseFloat64, parseInt64, parseUint, UINT64_MAX } from '../text/numbers.ts';
import { unquoteChar } from '../text/quote.ts';
import { Complex, type Value } from '../values.ts';
import type { NumberNode } from './nodes.ts';

/** A number, character or complex literal as a node, or what is wrong with it. Source: Go's text/template/parse. */
export function parseNumber(literal: string, position: number): NumberNode | string {
  if (literal.startsWith("'")) return parseCharacter(literal, position);
  const complex = parseComplex(literal);
  if (complex !== undefined) return complexNode(literal, position, complex);
  const uint = parseUint(literal);
  const int = parseInt64(literal);
  if (int !== undefined || uint !== undefined) {
    const float = Number(int ?? uint);
    return { ...base(literal, position), int, uint: int === 0n ? 0n : uint, float, ideal: idealOf(literal, int, float) };
  }
  const float = parseFloat64(literal);
  if (float === undefined) return `illegal number syntax: ${JSON.stringify(literal)}`;
  if (!/[.eEpP]/.test(literal)) return `integer overflow: ${JSON.stringify(literal)}`;
  const whole = Number.isInteger(float) ? BigInt(float) : undefined;
  return {
    ...base(literal, position),
    int: whole !== undefined && whole >= INT64_MIN && whole <= INT64_MAX ? whole : undefined,
    uint: whole !== undefined && whole >= 0n && whole <= UINT64_MAX ? whole : undefined,
    float,
    ideal: idealOf(literal, whole, float),
  };
}

function base(literal: string, position: number) {
  return { type: 'number', literal, position, complex: undefined } as const;
}

function idealOf(literal: string, int: bigint | undefined, float: number): Value | undefined {
  const hexInteger = /^0x[^pP]/i.test(literal) && !/[pP]/.test(literal);
  if (!hexInteger && /[.eEpP]/.test(literal)) return float;
  return int;
}

function parseCharacter(literal: string, position: number): NumberNode | string {
  const char = unquoteChar(literal, 1, "'");
  if (char === undefined || literal.slice(char.end) !== "'") return `malformed character constant: ${literal}`;
  const value = BigInt(char.rune);
  return { ...base(literal, position), int: value, uint: value, float: char.rune, ideal: value };
}

/** `2i`, `1+2i`; undefined for what is no complex number. */
function parseComplex(literal: string): { re: number; im: number } | undefined {
  if (!literal.endsWith('i')) return undefined;
  const body = literal.slice(0, -1);
  const alone = parseFloat64(body);
  if (alone !== undefined) return { re: 0, im: alone };
  for (let at = body.length - 1; at > 0; at--) {
    if (body[at] !== '+' && body[at] !== '-') continue;
    const [re, im] = [parseFloat64(body.slice(0, at)), parseFloat64(body.slice(at))];
    if (re !== undefined && im !== undefined) return { re, im };
  }
  return undefined;
}

/** Whole and real ones stand for the simpler types too. */
function complexNode(literal: string, position: number, complex: { re: number; im: number }): NumberNode {
  const real = complex.im === 0;
  const whole = real && Number.isInteger(complex.re) ? BigInt(complex.re) : undefined;
  return {
    ...base(literal, position),
    complex,
    float: real ? complex.re : undefined,
    int: whole,
    uint: whole !== undefined && whole >= 0n ? whole : undefined,
    ideal: new Complex(complex.re, complex.im),
  };
}
