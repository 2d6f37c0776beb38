import { placeOf, TemplateError } from '../failure.ts';
import { lex } from './lex.ts';
import type { Token, TokenType } from './tokens.ts';

const END: Token = { type: 'eof', text: '', position: 0 };

/** The tokens of a file with a cursor. */
export class TokenStream {
  readonly file: string;
  readonly source: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(file: string, source: string) {
    this.file = file;
    this.source = source;
    this.#tokens = lex(source);
  }

  next(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }

  peek(): Token {
    return this.#tokens[this.#at] ?? this.#tokens.at(-1) ?? END;
  }

  peekNonSpace(): Token {
    while (this.peek().type === 'space') this.#at++;
    return this.peek();
  }

  nextNonSpace(): Token {
    this.peekNonSpace();
    return this.next();
  }

  /** A mark for `rewind`. */
  mark(): number {
    return this.#at;
  }

  rewind(mark: number): void {
    this.#at = mark;
  }

  isKeyword(token: Token, ...words: string[]): boolean {
    return token.type === 'keyword' && words.includes(token.text);
  }

  expect(types: readonly TokenType[], context: string): Token {
    const token = this.nextNonSpace();
    return types.includes(token.type) ? token : this.unexpected(token, context);
  }

  unexpected(token: Token, context: string): never {
    if (token.type === 'error') this.fail(token.text, token.position);
    const found = token.type === 'eof' ? 'end of file' : JSON.stringify(token.text.slice(0, 40));
    this.fail(`unexpected ${found} in ${context}`, token.position);
  }

  fail(problem: string, position: number): never {
    throw new TemplateError('template/syntax', problem, placeOf(this.file, this.source, position, ''));
  }
}
