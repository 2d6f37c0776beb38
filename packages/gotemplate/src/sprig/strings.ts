import { contextual, type FunctionTable, fn, variadic } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { sprintValue } from '../fmt/sprint.ts';
import { ByteWriter, decodeRune, isAscii, runesOf } from '../text/bytes.ts';
import { quote } from '../text/quote.ts';
import { isSpace } from '../text/unicode.ts';
import { Dict } from '../values.ts';
import { parseClamped, stringList, textsOf, toText } from './casts.ts';

function trimWhile(text: string, drops: (rune: number) => boolean): string {
  let [start, end] = [text.length, 0];
  for (let at = 0; at < text.length; ) {
    const { rune, size } = decodeRune(text, at);
    if (!drops(rune)) {
      start = Math.min(start, at);
      end = at + size;
    }
    at += size;
  }
  return text.slice(start, end);
}

function trimSpace(text: string): string {
  return isAscii(text) ? text.replace(/^[\t-\r ]+/, '').replace(/[\t-\r ]+$/, '') : trimWhile(text, isSpace);
}

function trimSet(set: string, text: string): string {
  const dropped = new Set(runesOf(set));
  return trimWhile(text, (rune) => dropped.has(rune));
}

/** The letters of a text as pieces of its bytes. */
function lettersOf(text: string): string[] {
  const letters: string[] = [];
  for (let at = 0; at < text.length; at += decodeRune(text, at).size) letters.push(text.slice(at, at + decodeRune(text, at).size));
  return letters;
}

/** Go's `strings.SplitN`. */
function splitText(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  const parts = separator === '' ? lettersOf(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

/** `_0`, `_1`, … as Sprig's `split` numbers its parts. */
function numbered(parts: readonly string[]): Dict {
  const dict = new Dict({ element: 'string' });
  for (const [index, part] of parts.entries()) dict.set(`_${index}`, part);
  return dict;
}

function replaceAll(text: string, old: string, replacement: string): string {
  if (old !== '') return text.split(old).join(replacement);
  return (
    replacement +
    lettersOf(text)
      .map((letter) => letter + replacement)
      .join('')
  );
}

/** Bytes from start to end; throws where Go's slices do. */
function bytesBetween(text: string, start: number, end: number): string {
  if (start < 0 || start > end || end > text.length)
    throw new CallFailure(`slice bounds out of range [${start}:${end}] with length ${text.length}`);
  return text.slice(start, end);
}

function substring(start: number, end: number, text: string): string {
  if (start < 0) return bytesBetween(text, 0, end);
  return bytesBetween(text, start, end < 0 || end > text.length ? text.length : end);
}

function truncate(count: number, text: string): string {
  if (count < 0) return text.length + count > 0 ? text.slice(text.length + count) : text;
  return text.slice(0, count);
}

/** How often a text may be repeated; throws for a negative count. */
function repeatCount(count: bigint): number {
  if (count < 0n) throw new CallFailure('strings: negative Repeat count');
  return Number(count);
}

/** Bytes alone, as goutils takes them: what is beyond ASCII becomes letters of their own as soon as a space is removed. */
function withoutSpaces(text: string): string {
  const kept = new ByteWriter(text.length);
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i);
    if (isSpace(byte)) continue;
    kept.writeRune(byte);
    count++;
  }
  return count === text.length ? text : kept.toString();
}

export const stringFunctions: FunctionTable = {
  hello: fn([], () => 'Hello!'),
  trim: fn(['string'], trimSpace),
  trimall: fn(['string', 'string'], trimSet),
  trimAll: fn(['string', 'string'], trimSet),
  trimSuffix: fn(['string', 'string'], (suffix, text) => (suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text)),
  trimPrefix: fn(['string', 'string'], (prefix, text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  nospace: fn(['string'], withoutSpaces),
  trunc: fn(['int', 'string'], (count, text) => truncate(Number(count), text)),
  substr: fn(['int', 'int', 'string'], (start, end, text) => substring(Number(start), Number(end), text)),
  repeat: contextual(['int', 'string'], ({ meter }, count, text) => {
    const times = repeatCount(count);
    meter.chargeBytes(times * text.length);
    return text === '' ? '' : text.repeat(times);
  }),
  contains: fn(['string', 'string'], (part, text) => text.includes(part)),
  hasPrefix: fn(['string', 'string'], (prefix, text) => text.startsWith(prefix)),
  hasSuffix: fn(['string', 'string'], (suffix, text) => text.endsWith(suffix)),
  replace: contextual(['string', 'string', 'string'], ({ meter }, old, replacement, text) => {
    meter.chargeBytes((text.length / Math.max(old.length, 1) + 1) * replacement.length + text.length);
    return replaceAll(text, old, replacement);
  }),
  quote: variadic([], 'any', ({ meter }, values) => {
    for (const value of values) meter.chargeWalk(value);
    return values
      .filter((value) => value !== null)
      .map((value) => quote(toText(value, meter.bytesLeft)))
      .join(' ');
  }),
  squote: variadic([], 'any', ({ meter }, values) => {
    for (const value of values) meter.chargeWalk(value);
    return values
      .filter((value) => value !== null)
      .map((value) => `'${sprintValue(value, meter.bytesLeft)}'`)
      .join(' ');
  }),
  cat: variadic([], 'any', ({ meter }, values) => {
    for (const value of values) meter.chargeWalk(value);
    return values
      .filter((value) => value !== null)
      .map((value) => sprintValue(value, meter.bytesLeft))
      .join(' ');
  }),
  indent: contextual(['int', 'string'], ({ meter }, spaces, text) => indent(repeatCount(spaces), text, meter)),
  nindent: contextual(['int', 'string'], ({ meter }, spaces, text) => `\n${indent(repeatCount(spaces), text, meter)}`),
  plural: fn(['string', 'string', 'int'], (one, many, count) => (count === 1n ? one : many)),
  toString: contextual(['any'], ({ meter }, value) => {
    meter.chargeWalk(value);
    return toText(value, meter.bytesLeft);
  }),
  atoi: fn(['string'], parseClamped),
  split: fn(['string', 'string'], (separator, text) => numbered(splitText(text, separator, -1))),
  splitn: fn(['string', 'int', 'string'], (separator, limit, text) => numbered(splitText(text, separator, Number(limit)))),
  splitList: contextual(['string', 'string'], ({ meter }, separator, text) => {
    meter.charge(text.length / Math.max(separator.length, 1) / 4);
    return stringList(splitText(text, separator, -1));
  }),
  toStrings: contextual(['any'], ({ meter }, value) => {
    meter.chargeWalk(value);
    return stringList(textsOf(value, meter.bytesLeft));
  }),
  join: contextual(['string', 'any'], ({ meter }, separator, value) => {
    meter.chargeWalk(value);
    const texts = textsOf(value, meter.bytesLeft);
    meter.chargeBytes(texts.length * separator.length);
    return texts.join(separator);
  }),
};

function indent(spaces: number, text: string, meter: { chargeBytes: (bytes: number) => void }): string {
  const lines = text.split('\n');
  meter.chargeBytes(lines.length * spaces + text.length);
  const pad = ' '.repeat(spaces);
  return lines.map((line) => pad + line).join('\n');
}
