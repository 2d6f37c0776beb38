import type { Cursor } from './cursor.ts';
import type { Fail, Token } from './tokens.ts';

const URI_PUNCTUATION = ";/?:@&=+$.!~*'()%,[]";

/** An anchor (`&name`) or alias (`*name`). */
export function scanAnchor(cursor: Cursor, type: 'anchor' | 'alias', fail: Fail): Token {
  const mark = cursor.mark();
  cursor.skip();
  const name = cursor.takeWhile(() => cursor.isWord());
  const ends = cursor.isBlankOrEnd() || '?:,]}%@`'.includes(cursor.text[cursor.offset] as string);
  if (name === '' || !ends) fail(`did not find expected alphabetic or numeric character in an ${type}'s name`, mark);
  return { type, name, mark };
}

/** A tag: `!suffix`, `!handle!suffix`, `!<uri>` or `!`. */
export function scanTag(cursor: Cursor, fail: Fail): Token {
  const mark = cursor.mark();
  const token = cursor.is('<', 1) ? scanVerbatimTag(cursor, fail) : scanShortTag(cursor, fail);
  if (!cursor.isBlankOrEnd()) fail('did not find expected whitespace or line break after a tag', mark);
  return { type: 'tag', ...token, mark };
}

function scanVerbatimTag(cursor: Cursor, fail: Fail): { handle: string; suffix: string } {
  const mark = cursor.mark();
  cursor.skip(2);
  const suffix = scanUri(cursor, '', fail);
  if (!cursor.is('>')) fail("did not find the expected '>' of a tag", mark);
  cursor.skip();
  return { handle: '', suffix };
}

function scanShortTag(cursor: Cursor, fail: Fail): { handle: string; suffix: string } {
  const handle = scanHandle(cursor, false, fail);
  if (handle.length > 1 && handle.endsWith('!')) return { handle, suffix: scanUri(cursor, '', fail) };
  const suffix = scanUri(cursor, handle, fail);
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

function scanHandle(cursor: Cursor, directive: boolean, fail: Fail): string {
  const mark = cursor.mark();
  if (!cursor.is('!')) fail("did not find expected '!' of a tag handle", mark);
  cursor.skip();
  let handle = `!${cursor.takeWhile(() => cursor.isWord())}`;
  if (cursor.is('!')) {
    cursor.skip();
    handle += '!';
  } else if (directive && handle !== '!') fail("did not find expected '!' at the end of a tag handle", mark);
  return handle;
}

/** `head` is what was read already, with its `!`. */
function scanUri(cursor: Cursor, head: string, fail: Fail): string {
  const mark = cursor.mark();
  const raw = cursor.takeWhile(() => cursor.isWord() || URI_PUNCTUATION.includes(cursor.text[cursor.offset] as string));
  if (raw === '' && head === '') fail('did not find expected tag URI', mark);
  try {
    return head.slice(1) + decodeURIComponent(raw);
  } catch {
    return fail('found an invalid escaped octet in a tag', mark);
  }
}

/** A directive line (`%YAML 1.1`, `%TAG !e! prefix`). */
export function scanDirective(cursor: Cursor, fail: Fail): Token {
  const mark = cursor.mark();
  cursor.skip();
  const name = cursor.takeWhile(() => cursor.isWord());
  if (name === '') fail('could not find expected directive name', mark);
  if (!cursor.isBlankOrEnd()) fail('found unexpected non-alphabetical character in a directive name', mark);
  const token = name === 'YAML' ? scanVersion(cursor, fail) : name === 'TAG' ? scanTagDirective(cursor, fail) : undefined;
  if (token === undefined) return fail(`found unknown directive name %${name}`, mark);
  skipBlanks(cursor);
  if (cursor.is('#')) cursor.takeWhile(() => !cursor.isBreak());
  if (!cursor.isBreakOrEnd()) fail('did not find expected comment or line break after a directive', mark);
  cursor.takeBreak();
  return token;
}

function scanVersion(cursor: Cursor, fail: Fail): Token {
  const mark = cursor.mark();
  skipBlanks(cursor);
  const number = () => {
    const digits = cursor.takeWhile(() => cursor.peek() >= 48 && cursor.peek() <= 57);
    if (digits === '' || digits.length > 2) fail('did not find expected version number in a %YAML directive', mark);
    return Number(digits);
  };
  const major = number();
  if (!cursor.is('.')) fail("did not find expected '.' in a %YAML directive", mark);
  cursor.skip();
  return { type: 'version-directive', major, minor: number(), mark };
}

function scanTagDirective(cursor: Cursor, fail: Fail): Token {
  const mark = cursor.mark();
  skipBlanks(cursor);
  const handle = scanHandle(cursor, true, fail);
  if (!cursor.isBlank()) fail('did not find expected whitespace in a %TAG directive', mark);
  skipBlanks(cursor);
  const prefix = scanUri(cursor, '', fail);
  if (!cursor.isBlankOrEnd()) fail('did not find expected whitespace or line break in a %TAG directive', mark);
  return { type: 'tag-directive', handle, prefix, mark };
}

function skipBlanks(cursor: Cursor): void {
  cursor.takeWhile(() => cursor.isBlank());
}
