import { decodeRune } from '../text/bytes.ts';
import { isDigit, isLetter } from '../text/unicode.ts';
import { keywords, type Token, type TokenType } from './tokens.ts';

const spaces = /^[ \t\r\n]*/;
const isSpaceChar = (char: string | undefined) => char === ' ' || char === '\t' || char === '\r' || char === '\n';

/** The tokens of a template (a byte string). What cannot be read becomes an `error` token, which ends the list. */
export function lex(source: string): Token[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #start = 0;
  #parens = 0;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    while (this.#text() && this.#action());
    return this.#tokens;
  }

  #emit(type: TokenType): void {
    this.#tokens.push({ type, text: this.#source.slice(this.#start, this.#at), position: this.#start });
    this.#start = this.#at;
  }

  #fail(problem: string): false {
    this.#tokens.push({ type: 'error', text: problem, position: this.#start });
    return false;
  }

  /** Text up to the next action; false at the end. */
  #text(): boolean {
    const next = this.#source.indexOf('{{', this.#at);
    const end = next < 0 ? this.#source.length : next;
    const trims = next >= 0 && this.#trimsLeft(next + 2);
    const text = this.#source.slice(this.#at, end);
    const kept = trims ? text.replace(/[ \t\r\n]+$/, '') : text;
    if (kept !== '') this.#tokens.push({ type: 'text', text: kept, position: this.#at });
    this.#at = end;
    this.#start = end;
    if (next >= 0) return true;
    this.#emit('eof');
    return false;
  }

  #trimsLeft(at: number): boolean {
    return this.#source[at] === '-' && isSpaceChar(this.#source[at + 1]);
  }

  #action(): boolean {
    const marker = this.#trimsLeft(this.#at + 2) ? 2 : 0;
    if (this.#source.startsWith('/*', this.#at + 2 + marker)) return this.#comment(this.#at + 2 + marker);
    this.#at += 2;
    this.#emit('left-delim');
    this.#at += marker;
    this.#start = this.#at;
    this.#parens = 0;
    for (;;) {
      const delimiter = this.#rightDelimiter();
      if (delimiter > 0 && this.#parens > 0) return this.#fail('unclosed left paren');
      if (delimiter > 0) return this.#closeAction(delimiter);
      if (!this.#inside()) return false;
    }
  }

  /** How many bytes of a closing delimiter stand here: 0, 2 or, with a trim marker, 4. */
  #rightDelimiter(): number {
    if (isSpaceChar(this.#source[this.#at]) && this.#source.startsWith('-}}', this.#at + 1)) return 4;
    return this.#source.startsWith('}}', this.#at) ? 2 : 0;
  }

  #closeAction(delimiter: number): true {
    this.#start = this.#at + delimiter - 2;
    this.#at += delimiter;
    this.#emit('right-delim');
    if (delimiter === 4) this.#skipSpaces();
    return true;
  }

  #skipSpaces(): void {
    this.#at += spaces.exec(this.#source.slice(this.#at))?.[0].length ?? 0;
    this.#start = this.#at;
  }

  #comment(start: number): boolean {
    const end = this.#source.indexOf('*/', start + 2);
    this.#start = start;
    if (end < 0) return this.#fail('unclosed comment');
    this.#at = end + 2;
    const delimiter = this.#rightDelimiter();
    if (delimiter === 0) return this.#fail('comment ends before closing delimiter');
    this.#at += delimiter;
    if (delimiter === 4) this.#skipSpaces();
    this.#start = this.#at;
    return true;
  }

  /** One token of an action; false when there is none. */
  #inside(): boolean {
    const char = this.#source[this.#at];
    if (char === undefined) return this.#fail('unclosed action');
    if (isSpaceChar(char)) return this.#space();
    if (char === '"') return this.#quoted('string', '"', 'unterminated quoted string');
    if (char === "'") return this.#quoted('char-constant', "'", 'unterminated character constant');
    if (char === '`') return this.#rawString();
    if (char === '$') return this.#fieldOrVariable('variable');
    const next = this.#source[this.#at + 1];
    if (char === '.' && next !== undefined && !(next >= '0' && next <= '9')) return this.#fieldOrVariable('field');
    if (/[.+\-0-9]/.test(char)) return this.#number();
    return this.#word() ?? this.#symbol(char);
  }

  #space(): boolean {
    while (isSpaceChar(this.#source[this.#at]) && this.#rightDelimiter() === 0) this.#at++;
    if (this.#at > this.#start) this.#emit('space');
    return true;
  }

  #symbol(char: string): boolean {
    if (char === ':' && this.#source[this.#at + 1] !== '=') return this.#fail('expected :=');
    this.#at += char === ':' ? 2 : 1;
    if (char === '(') this.#parens++;
    if (char === ')' && --this.#parens < 0) return this.#fail('unexpected right paren');
    const type = symbols[char];
    if (type === undefined && !/[!-~]/.test(char)) return this.#fail(`unrecognized character in action: ${JSON.stringify(char)}`);
    this.#emit(type ?? 'char');
    return true;
  }

  #quoted(type: TokenType, quote: string, problem: string): boolean {
    for (this.#at++; ; this.#at++) {
      let char = this.#source[this.#at];
      if (char === quote) break;
      if (char === '\\') char = this.#source[++this.#at];
      if (char === undefined || char === '\n') return this.#fail(problem);
    }
    this.#at++;
    this.#emit(type);
    return true;
  }

  #rawString(): boolean {
    const end = this.#source.indexOf('`', this.#at + 1);
    if (end < 0) return this.#fail('unterminated raw quoted string');
    this.#at = end + 1;
    this.#emit('raw-string');
    return true;
  }

  #fieldOrVariable(type: 'field' | 'variable'): boolean {
    this.#at++;
    if (this.#atTerminator()) {
      this.#emit(type === 'variable' ? 'variable' : 'dot');
      return true;
    }
    this.#skipAlphanumeric();
    if (!this.#atTerminator()) return this.#badCharacter();
    this.#emit(type);
    return true;
  }

  #badCharacter(): false {
    return this.#fail(`bad character ${JSON.stringify(this.#source[this.#at])}`);
  }

  #skipAlphanumeric(): void {
    for (;;) {
      const { rune, size } = decodeRune(this.#source, this.#at);
      if (size === 0 || !isAlphanumeric(rune)) return;
      this.#at += size;
    }
  }

  #atTerminator(): boolean {
    const char = this.#source[this.#at];
    return char === undefined || isSpaceChar(char) || '.,|:)('.includes(char) || this.#source.startsWith('}}', this.#at);
  }

  /** An identifier, a keyword or a literal word; undefined when none starts here. */
  #word(): boolean | undefined {
    this.#skipAlphanumeric();
    if (this.#at === this.#start) return undefined;
    if (!this.#atTerminator()) return this.#badCharacter();
    const word = this.#source.slice(this.#start, this.#at);
    if (keywords.has(word)) this.#emit('keyword');
    else if (word === 'nil') this.#emit('nil');
    else this.#emit(word === 'true' || word === 'false' ? 'bool' : 'identifier');
    return true;
  }

  #number(): boolean {
    const complete = this.#scanNumber();
    if (!complete) return this.#fail(`bad number syntax: ${JSON.stringify(this.#source.slice(this.#start, this.#at))}`);
    const sign = this.#source[this.#at];
    if (sign !== '+' && sign !== '-') {
      this.#emit('number');
      return true;
    }
    if (!this.#scanNumber() || this.#source[this.#at - 1] !== 'i') {
      return this.#fail(`bad number syntax: ${JSON.stringify(this.#source.slice(this.#start, this.#at))}`);
    }
    this.#emit('complex');
    return true;
  }

  #scanNumber(): boolean {
    numberSyntax.lastIndex = this.#at;
    this.#at += numberSyntax.exec(this.#source)?.[0].length ?? 0;
    const { rune, size } = decodeRune(this.#source, this.#at);
    return size === 0 || !isAlphanumeric(rune);
  }
}

const symbols: Readonly<Record<string, TokenType>> = {
  '=': 'assign',
  ':': 'declare',
  '|': 'pipe',
  '(': 'left-paren',
  ')': 'right-paren',
};

/** What Go's lexer takes for a number before it looks closer. */
const numberSyntax =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y;

function isAlphanumeric(rune: number): boolean {
  if (rune < 0x80) return rune === 0x5f || (rune >= 0x30 && rune <= 0x39) || ((rune | 0x20) >= 0x61 && (rune | 0x20) <= 0x7a);
  return isLetter(rune) || isDigit(rune);
}
