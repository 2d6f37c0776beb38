import type { Position } from './nodes.ts';

export const TAB = 9;
const LF = 10;
const CR = 13;
export const SPACE = 32;
const NEL = 0x85;
const LS = 0x2028;
const PS = 0x2029;

/** A place in the text: `index` counts characters from 0, `line` and `column` too. */
export interface Mark {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

/** Reads a text forward, character by character, and knows where it is. The end reads as 0. */
export class Cursor {
  readonly text: string;
  offset = 0;
  index = 0;
  line = 0;
  column = 0;

  constructor(text: string) {
    this.text = text;
  }

  mark(): Mark {
    return { index: this.index, line: this.line, column: this.column };
  }

  /** The code unit `ahead` of here. */
  peek(ahead = 0): number {
    return this.text.charCodeAt(this.offset + ahead) || 0;
  }

  is(char: string, ahead = 0): boolean {
    return this.text[this.offset + ahead] === char;
  }

  startsWith(prefix: string): boolean {
    return this.text.startsWith(prefix, this.offset);
  }

  atEnd(): boolean {
    return this.offset >= this.text.length;
  }

  isBlank(ahead = 0): boolean {
    const code = this.peek(ahead);
    return code === SPACE || code === TAB;
  }

  isBreak(ahead = 0): boolean {
    const code = this.peek(ahead);
    return code === LF || code === CR || code === NEL || code === LS || code === PS;
  }

  isBreakOrEnd(ahead = 0): boolean {
    return this.isBreak(ahead) || this.offset + ahead >= this.text.length;
  }

  isBlankOrEnd(ahead = 0): boolean {
    return this.isBlank(ahead) || this.isBreakOrEnd(ahead);
  }

  /** A letter, a digit, `_` or `-`: what names of anchors and tag handles are made of. */
  isWord(ahead = 0): boolean {
    const code = this.peek(ahead);
    return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code === 45;
  }

  /** `---` or `...` at the start of a line, followed by white space or the end. */
  atDocumentIndicator(): boolean {
    return this.column === 0 && (this.startsWith('---') || this.startsWith('...')) && this.isBlankOrEnd(3);
  }

  skip(count = 1): void {
    for (let i = 0; i < count; i++) {
      const code = this.peek();
      this.offset += code >= 0xd800 && code <= 0xdbff ? 2 : 1;
      this.index++;
      this.column++;
    }
  }

  /** The text skipped while `condition` holds. */
  takeWhile(condition: () => boolean): string {
    const start = this.offset;
    while (!this.atEnd() && condition()) this.skip();
    return this.text.slice(start, this.offset);
  }

  /** At the end of the text: counts the unfinished last line as ended, so that no key is awaited on it. */
  finishLine(): void {
    if (this.column === 0) return;
    this.column = 0;
    this.line++;
  }

  /** Passes one line break, and gives it as YAML folds it: LF, unless it is LS or PS. Nothing when there is none. */
  takeBreak(): string {
    if (!this.isBreak()) return '';
    const code = this.peek();
    const pair = code === CR && this.peek(1) === LF;
    this.offset += pair ? 2 : 1;
    this.index += pair ? 2 : 1;
    this.line++;
    this.column = 0;
    return code === LS || code === PS ? String.fromCharCode(code) : '\n';
  }
}

export function toPosition(mark: Mark): Position {
  return { line: mark.line + 1, column: mark.column + 1 };
}
