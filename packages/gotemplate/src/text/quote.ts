import { decodeRune, encodeRune, RUNE_ERROR, replaceRunes } from './bytes.ts';
import { isPrint } from './unicode.ts';

const shortEscapes: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  92: '\\\\',
};

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

export interface QuoteOptions {
  /** Escape everything beyond ASCII. */
  readonly ascii?: boolean;
}

/** A byte string in double quotes, as Go's `strconv.Quote`. */
export function quote(bytes: string, options: QuoteOptions = {}): string {
  const ascii = options.ascii === true;
  const inner = replaceRunes(bytes, (rune, own) =>
    rune === RUNE_ERROR && own.length === 1 ? `\\x${hex(own.charCodeAt(0), 2)}` : escapeRune(rune, 34, ascii),
  );
  return `"${inner}"`;
}

/** A letter in single quotes, as Go's `strconv.QuoteRune`. */
export function quoteRune(rune: number, options: QuoteOptions = {}): string {
  const valid = rune <= 0x10ffff && !(rune >= 0xd800 && rune <= 0xdfff) && rune >= 0 ? rune : RUNE_ERROR;
  return `'${escapeRune(valid, 39, options.ascii === true)}'`;
}

function escapeRune(rune: number, quoteChar: number, ascii: boolean): string {
  if (rune === quoteChar) return `\\${String.fromCharCode(rune)}`;
  if (rune !== 92 && isPrint(rune) && (!ascii || rune < 0x80)) return encodeRune(rune);
  const short = shortEscapes[rune];
  if (short !== undefined) return short;
  if (rune < 0x20 || rune === 0x7f) return `\\x${hex(rune, 2)}`;
  return rune < 0x10000 ? `\\u${hex(rune, 4)}` : `\\U${hex(rune, 8)}`;
}

/** Whether a text can stand in backquotes unchanged (`strconv.CanBackquote`). */
export function canBackquote(bytes: string): boolean {
  for (let at = 0; at < bytes.length; ) {
    const { rune, size } = decodeRune(bytes, at);
    at += size;
    if (size > 1 ? rune === 0xfeff : rune === RUNE_ERROR || (rune < 0x20 && rune !== 9) || rune === 0x60 || rune === 0x7f) return false;
  }
  return true;
}

/** The text of a Go literal in double or back quotes; undefined when it is none (`strconv.Unquote`). */
export function unquote(literal: string): string | undefined {
  if (literal.startsWith('`')) return literal.slice(1, -1).replaceAll('\r', '');
  let text = '';
  for (let at = 1; at < literal.length - 1; ) {
    const char = unquoteChar(literal, at, '"');
    if (char === undefined) return undefined;
    text += char.isByte ? String.fromCharCode(char.rune) : encodeRune(char.rune);
    at = char.end;
  }
  return text;
}

interface UnquotedChar {
  readonly rune: number;
  readonly end: number;
  /** An octal or hex escape, which gives a byte in a string. */
  readonly isByte: boolean;
}

const simpleEscapes: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 };
const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** One letter of a literal, escapes resolved; undefined for what Go refuses (`strconv.UnquoteChar`). */
export function unquoteChar(literal: string, at: number, quoteChar: string): UnquotedChar | undefined {
  const first = literal[at];
  if (first === undefined || first === quoteChar || first === '\n') return undefined;
  if (first !== '\\') {
    const { rune, size } = decodeRune(literal, at);
    return { rune, end: at + size, isByte: false };
  }
  const kind = literal[at + 1] ?? '';
  const simple = kind === quoteChar ? kind.charCodeAt(0) : simpleEscapes[kind];
  if (simple !== undefined) return { rune: simple, end: at + 2, isByte: false };
  const digits = hexDigits[kind];
  if (digits !== undefined) return numericEscape(literal.slice(at + 2, at + 2 + digits), 16, digits, at + 2 + digits, kind === 'x');
  return numericEscape(literal.slice(at + 1, at + 4), 8, 3, at + 4, true);
}

function numericEscape(text: string, base: 8 | 16, digits: number, end: number, isByte: boolean): UnquotedChar | undefined {
  if (text.length !== digits || !(base === 16 ? /^[0-9a-fA-F]+$/ : /^[0-7]+$/).test(text)) return undefined;
  const rune = Number.parseInt(text, base);
  if (isByte ? rune > 255 : rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff)) return undefined;
  return { rune, end, isByte };
}
