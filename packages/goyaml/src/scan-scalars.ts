import { type Cursor, TAB } from './cursor.ts';
import type { Fail } from './tokens.ts';

const FLOW_ENDS = ',?[]{}';

export interface ScannedScalar {
  readonly text: string;
  /** The scalar ended after a line break: what follows may start a key. */
  readonly brokeLine: boolean;
}

/** White space met inside a scalar, kept until it is known whether text follows. */
class Gap {
  blanks = '';
  firstBreak = '';
  moreBreaks = '';
  broke = false;

  /** Passes white space; `onIndent` sees each blank that stands at the start of a line. */
  take(cursor: Cursor, onIndent?: () => void): void {
    while (cursor.isBlank() || cursor.isBreak()) {
      if (cursor.isBlank()) {
        if (this.broke) onIndent?.();
        else this.blanks += cursor.text[cursor.offset];
        cursor.skip();
      } else if (this.broke) {
        this.moreBreaks += cursor.takeBreak();
      } else {
        this.blanks = '';
        this.firstBreak = cursor.takeBreak();
        this.broke = true;
      }
    }
  }

  /** What the gap contributes: blanks as they are, one break as a space, more breaks as themselves. */
  fold(): string {
    if (!this.broke) return this.blanks;
    if (this.firstBreak !== '\n') return this.firstBreak + this.moreBreaks;
    return this.moreBreaks === '' ? ' ' : this.moreBreaks;
  }
}

/** A plain scalar that starts here; `indent` is the indentation of the block around it. */
export function scanPlain(cursor: Cursor, indent: number, inFlow: boolean, fail: Fail): ScannedScalar {
  const start = cursor.mark();
  let text = '';
  let gap = new Gap();
  const inside = () =>
    !cursor.isBlankOrEnd() &&
    !(cursor.is(':') && cursor.isBlankOrEnd(1)) &&
    !(inFlow && FLOW_ENDS.includes(cursor.text[cursor.offset] as string));
  const refuseTab = () => {
    if (cursor.column <= indent && cursor.peek() === TAB)
      fail('found a tab character that violates indentation; use spaces', cursor.mark());
  };
  for (;;) {
    if (cursor.atDocumentIndicator() || cursor.is('#')) break;
    const run = cursor.takeWhile(inside);
    if (run !== '') {
      text += gap.fold() + run;
      gap = new Gap();
    }
    if (!cursor.isBlank() && !cursor.isBreak()) break;
    gap.take(cursor, refuseTab);
    if (!inFlow && cursor.column <= indent) break;
  }
  if (text === '' && cursor.index === start.index) fail('found a character that cannot start any token', start);
  return { text, brokeLine: gap.broke };
}

/** A quoted scalar; the cursor stands on its opening quote. */
export function scanQuoted(cursor: Cursor, quote: "'" | '"', fail: Fail): string {
  const start = cursor.mark();
  const inside = () => !cursor.isBlankOrEnd() && !cursor.is(quote) && !(quote === '"' && cursor.is('\\'));
  cursor.skip();
  let text = '';
  for (;;) {
    if (cursor.atDocumentIndicator()) fail('found unexpected document indicator inside a quoted scalar', start);
    if (cursor.atEnd()) fail('found unexpected end of stream: a quoted scalar is not closed', start);
    const gap = new Gap();
    while (!cursor.isBlankOrEnd()) {
      text += cursor.takeWhile(inside);
      if (quote === "'" && cursor.startsWith("''")) {
        text += "'";
        cursor.skip(2);
      } else if (cursor.is('\\') && quote === '"') {
        if (cursor.isBreak(1)) {
          cursor.skip();
          cursor.takeBreak();
          gap.broke = true;
          break;
        }
        text += scanEscape(cursor, fail);
      } else break;
    }
    if (cursor.is(quote)) break;
    gap.take(cursor);
    text += gap.broke && gap.firstBreak === '' ? gap.moreBreaks : gap.fold();
  }
  cursor.skip();
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function scanEscape(cursor: Cursor, fail: Fail): string {
  const start = cursor.mark();
  const letter = cursor.text[cursor.offset + 1] ?? '';
  const simple = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (simple !== undefined) {
    cursor.skip(2);
    return simple;
  }
  const length = Object.hasOwn(HEX_DIGITS, letter) ? HEX_DIGITS[letter] : undefined;
  if (length === undefined) return fail(`found unknown escape character "\\${letter}"`, start);
  const digits = cursor.text.slice(cursor.offset + 2, cursor.offset + 2 + length);
  if (digits.length !== length || !/^[0-9a-fA-F]+$/.test(digits))
    return fail(`did not find ${length} hexadecimal digits after "\\${letter}"`, start);
  const code = Number.parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return fail(`"\\${letter}${digits}" is no Unicode character`, start);
  cursor.skip(2 + length);
  return String.fromCodePoint(code);
}

/** A literal (`|`) or folded (`>`) scalar; the cursor stands on its indicator, `indent` is the block's around it. */
export function scanBlockScalar(cursor: Cursor, literal: boolean, indent: number, fail: Fail): string {
  cursor.skip();
  const { keep, increment } = scanBlockHeader(cursor, fail);
  const content = new BlockContent(cursor, indent, increment, fail);
  let text = '';
  let lastBreak = '';
  let wasIndented = false;
  let breaks = content.takeBreaks();
  while (cursor.column === content.indent && !cursor.atEnd()) {
    const indented = cursor.isBlank();
    const folds = !literal && !wasIndented && !indented && lastBreak === '\n';
    text += folds ? (breaks === '' ? ' ' : '') : lastBreak;
    text += breaks;
    wasIndented = indented;
    text += cursor.takeWhile(() => !cursor.isBreak());
    lastBreak = cursor.takeBreak();
    breaks = content.takeBreaks();
  }
  if (keep !== 'strip') text += lastBreak;
  if (keep === 'all') text += breaks;
  return text;
}

function scanBlockHeader(cursor: Cursor, fail: Fail): { keep: 'strip' | 'clip' | 'all'; increment: number } {
  let keep: 'strip' | 'clip' | 'all' = 'clip';
  let increment = 0;
  const chomping = () => {
    if (!cursor.is('+') && !cursor.is('-')) return;
    keep = cursor.is('+') ? 'all' : 'strip';
    cursor.skip();
  };
  const indentation = () => {
    const digit = cursor.peek() - 48;
    if (digit < 0 || digit > 9) return;
    if (digit === 0) fail('found an indentation indicator equal to 0', cursor.mark());
    increment = digit;
    cursor.skip();
  };
  if (cursor.is('+') || cursor.is('-')) {
    chomping();
    indentation();
  } else {
    indentation();
    chomping();
  }
  cursor.takeWhile(() => cursor.isBlank());
  if (cursor.is('#')) cursor.takeWhile(() => !cursor.isBreak());
  if (!cursor.isBreakOrEnd()) fail('did not find expected comment or line break after a block scalar indicator', cursor.mark());
  cursor.takeBreak();
  return { keep, increment };
}

/** The lines of a block scalar: finds their indentation unless it is given. */
class BlockContent {
  indent: number;
  readonly #cursor: Cursor;
  readonly #parent: number;
  readonly #fail: Fail;

  constructor(cursor: Cursor, parent: number, increment: number, fail: Fail) {
    this.#cursor = cursor;
    this.#parent = parent;
    this.#fail = fail;
    this.indent = increment === 0 ? 0 : Math.max(parent, 0) + increment;
  }

  /** Passes indentation and empty lines up to the next line with content. */
  takeBreaks(): string {
    const cursor = this.#cursor;
    let breaks = '';
    let deepest = 0;
    for (;;) {
      while ((this.indent === 0 || cursor.column < this.indent) && cursor.is(' ')) cursor.skip();
      deepest = Math.max(deepest, cursor.column);
      if ((this.indent === 0 || cursor.column < this.indent) && cursor.peek() === TAB)
        this.#fail('found a tab character where an indentation space is expected', cursor.mark());
      if (!cursor.isBreak()) break;
      breaks += cursor.takeBreak();
    }
    if (this.indent === 0) this.indent = Math.max(deepest, this.#parent + 1, 1);
    return breaks;
  }
}
