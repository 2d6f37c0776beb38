import { Cursor, type Mark, TAB, toPosition } from './cursor.ts';
import { yamlFailure } from './failure.ts';
import type { Limits } from './limits.ts';
import { scanAnchor, scanDirective, scanTag } from './scan-properties.ts';
import { scanBlockScalar, scanPlain, scanQuoted } from './scan-scalars.ts';
import { SimpleKeys } from './simple-keys.ts';
import type { Fail, PlainTokenType, Token } from './tokens.ts';

/** yaml.v3 reads that many tokens ahead, so an error this close behind the document is still one of the document. */
const LOOKAHEAD = 3;
const NEVER_PLAIN = '-?:,[]{}#&*!|>\'"%@`';

/**
 * Cuts a text into tokens as yaml.v3 does (libyaml's rules for YAML 1.1: tabs, simple keys, indentation).
 * The `yaml` library follows YAML 1.2 and differs from it in what it accepts, so this part is ours.
 */
export class Scanner {
  readonly #cursor: Cursor;
  readonly #limits: Limits;
  readonly #file: string | undefined;
  #tokens: Token[] = [];
  #head = 0;
  /** How many tokens were taken; with `#head` it turns a token's number into its place. */
  #taken = 0;
  readonly #indents: number[] = [];
  #indent = -1;
  #flowLevel = 0;
  #simpleKeyAllowed = true;
  readonly #simpleKeys: SimpleKeys;

  constructor(text: string, limits: Limits, file: string | undefined) {
    this.#cursor = new Cursor(text);
    this.#limits = limits;
    this.#file = file;
    this.#simpleKeys = new SimpleKeys(this.#cursor, this.fail);
  }

  readonly fail: Fail = (problem, mark) => {
    throw yamlFailure(problem, toPosition(mark), this.#file);
  };

  /** The next token, left in place. */
  peek(): Token {
    while (this.#tokens.length - this.#head < LOOKAHEAD || this.#simpleKeys.awaits(this.#taken)) this.#fetch();
    return this.#tokens[this.#head] as Token;
  }

  /** Passes the token that `peek` gave. */
  skip(): void {
    this.#head++;
    this.#taken++;
    if (this.#head < 4096) return;
    this.#tokens = this.#tokens.slice(this.#head);
    this.#head = 0;
  }

  #saveSimpleKey(): void {
    if (!this.#simpleKeyAllowed) return;
    const required = this.#flowLevel === 0 && this.#indent === this.#cursor.column;
    this.#simpleKeys.save({ required, tokenNumber: this.#nextNumber(), mark: this.#cursor.mark() });
  }

  /** The number of the token that is pushed next. */
  #nextNumber(): number {
    return this.#taken + this.#tokens.length - this.#head;
  }

  /** Puts a token before the one of that number; at the end when that one was taken already. */
  #insert(tokenNumber: number, token: Token): void {
    if (tokenNumber < this.#taken) this.#tokens.push(token);
    else this.#tokens.splice(tokenNumber - this.#taken + this.#head, 0, token);
  }

  #push(type: PlainTokenType, mark: Mark = this.#cursor.mark()): void {
    this.#tokens.push({ type, mark });
  }

  /** Opens a block when the column is further in than the one around; `before` is the number of the token it starts at. */
  #rollIndent(column: number, type: PlainTokenType, mark: Mark, before?: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    this.#checkDepth(this.#indents.length, mark);
    if (before === undefined) this.#tokens.push({ type, mark });
    else this.#insert(before, { type, mark });
  }

  #unrollIndent(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push('block-end');
      this.#indent = this.#indents.pop() as number;
    }
  }

  #checkDepth(depth: number, mark: Mark): void {
    if (depth > this.#limits.depth) this.fail(`collections nest deeper than ${this.#limits.depth}`, mark);
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      while (cursor.is(' ') || (cursor.peek() === TAB && (this.#flowLevel > 0 || !this.#simpleKeyAllowed))) cursor.skip();
      if (cursor.is('#')) cursor.takeWhile(() => !cursor.isBreak());
      if (!cursor.isBreak()) return;
      cursor.takeBreak();
      if (this.#flowLevel === 0) this.#simpleKeyAllowed = true;
    }
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unrollIndent(cursor.column);
    if (cursor.atEnd()) this.#fetchStreamEnd();
    else if (cursor.column === 0 && cursor.is('%')) this.#fetchDirective();
    else if (cursor.atDocumentIndicator()) this.#fetchDocumentIndicator();
    else if (!this.#fetchIndicator(cursor.text[cursor.offset] as string)) this.#fetchContent(cursor.text[cursor.offset] as string);
  }

  /** Whether `char` is a mark of structure here; then it is passed. */
  #fetchIndicator(char: string): boolean {
    const separated = this.#cursor.isBlankOrEnd(1);
    const inFlow = this.#flowLevel > 0;
    if (char === '[') this.#fetchFlowStart('flow-sequence-start');
    else if (char === '{') this.#fetchFlowStart('flow-mapping-start');
    else if (char === ']') this.#fetchFlowEnd('flow-sequence-end');
    else if (char === '}') this.#fetchFlowEnd('flow-mapping-end');
    else if (char === ',') this.#fetchFlowEntry();
    else if (char === '-' && separated) this.#fetchBlockEntry();
    else if (char === '?' && (inFlow || separated)) this.#fetchKey();
    else if (char === ':' && (inFlow || separated)) this.#fetchValue();
    else return false;
    return true;
  }

  #fetchContent(char: string): void {
    const cursor = this.#cursor;
    const quote = char === "'" || char === '"' ? char : undefined;
    if (char === '*') this.#fetchInline(() => scanAnchor(cursor, 'alias', this.fail));
    else if (char === '&') this.#fetchInline(() => scanAnchor(cursor, 'anchor', this.fail));
    else if (char === '!') this.#fetchInline(() => scanTag(cursor, this.fail));
    else if ((char === '|' || char === '>') && this.#flowLevel === 0) this.#fetchBlockScalar(char === '|');
    else if (quote !== undefined) {
      const style = quote === "'" ? 'single' : 'double';
      this.#fetchInline((mark) => ({ type: 'scalar', text: scanQuoted(cursor, quote, this.fail), style, mark }));
    } else {
      if (!this.#startsPlain(char)) {
        const found = char === '\t' ? 'a tab; indent with spaces' : JSON.stringify(char);
        this.fail(`found character that cannot start any token: ${found}`, cursor.mark());
      }
      this.#fetchPlain();
    }
  }

  #startsPlain(char: string): boolean {
    const cursor = this.#cursor;
    if (!cursor.isBlankOrEnd() && !NEVER_PLAIN.includes(char)) return true;
    if (char === '-') return !cursor.isBlank(1);
    return this.#flowLevel === 0 && (char === '?' || char === ':') && !cursor.isBlankOrEnd(1);
  }

  #fetchStreamEnd(): void {
    this.#cursor.finishLine();
    this.#unrollIndent(-1);
    this.#simpleKeys.drop();
    this.#simpleKeyAllowed = false;
    this.#push('stream-end');
  }

  #fetchDirective(): void {
    this.#unrollIndent(-1);
    this.#simpleKeys.drop();
    this.#simpleKeyAllowed = false;
    this.#tokens.push(scanDirective(this.#cursor, this.fail));
  }

  #fetchDocumentIndicator(): void {
    this.#unrollIndent(-1);
    this.#simpleKeys.drop();
    this.#simpleKeyAllowed = false;
    this.#push(this.#cursor.is('-') ? 'document-start' : 'document-end');
    this.#cursor.skip(3);
  }

  #fetchFlowStart(type: PlainTokenType): void {
    this.#saveSimpleKey();
    this.#simpleKeys.enterFlow(this.#nextNumber());
    this.#flowLevel++;
    this.#checkDepth(this.#flowLevel, this.#cursor.mark());
    this.#simpleKeyAllowed = true;
    this.#push(type);
    this.#cursor.skip();
  }

  #fetchFlowEnd(type: PlainTokenType): void {
    this.#simpleKeys.drop();
    if (this.#flowLevel > 0) {
      this.#flowLevel--;
      this.#simpleKeys.leaveFlow();
    }
    this.#simpleKeyAllowed = false;
    this.#push(type);
    this.#cursor.skip();
  }

  #fetchFlowEntry(): void {
    this.#simpleKeys.drop();
    this.#simpleKeyAllowed = true;
    this.#push('flow-entry');
    this.#cursor.skip();
  }

  #fetchBlockEntry(): void {
    const mark = this.#cursor.mark();
    if (this.#flowLevel === 0) {
      if (!this.#simpleKeyAllowed) this.fail('block sequence entries are not allowed in this context', mark);
      this.#rollIndent(mark.column, 'block-sequence-start', mark);
    }
    this.#simpleKeys.drop();
    this.#simpleKeyAllowed = true;
    this.#push('block-entry');
    this.#cursor.skip();
  }

  #fetchKey(): void {
    const mark = this.#cursor.mark();
    if (this.#flowLevel === 0) {
      if (!this.#simpleKeyAllowed) this.fail('mapping keys are not allowed in this context', mark);
      this.#rollIndent(mark.column, 'block-mapping-start', mark);
    }
    this.#simpleKeys.drop();
    this.#simpleKeyAllowed = this.#flowLevel === 0;
    this.#push('key');
    this.#cursor.skip();
  }

  #fetchValue(): void {
    const mark = this.#cursor.mark();
    const key = this.#simpleKeys.take();
    if (key !== undefined) {
      this.#insert(key.tokenNumber, { type: 'key', mark: key.mark });
      this.#rollIndent(key.mark.column, 'block-mapping-start', key.mark, key.tokenNumber);
      this.#simpleKeyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#simpleKeyAllowed) this.fail('mapping values are not allowed in this context', mark);
        this.#rollIndent(mark.column, 'block-mapping-start', mark);
      }
      this.#simpleKeyAllowed = this.#flowLevel === 0;
    }
    this.#push('value');
    this.#cursor.skip();
  }

  #fetchInline(scan: (mark: Mark) => Token): void {
    this.#saveSimpleKey();
    this.#simpleKeyAllowed = false;
    this.#tokens.push(scan(this.#cursor.mark()));
  }

  #fetchBlockScalar(literal: boolean): void {
    this.#simpleKeys.drop();
    this.#simpleKeyAllowed = true;
    const mark = this.#cursor.mark();
    const text = scanBlockScalar(this.#cursor, literal, this.#indent, this.fail);
    this.#tokens.push({ type: 'scalar', text, style: literal ? 'literal' : 'folded', mark });
  }

  #fetchPlain(): void {
    this.#saveSimpleKey();
    this.#simpleKeyAllowed = false;
    const mark = this.#cursor.mark();
    const scalar = scanPlain(this.#cursor, this.#indent, this.#flowLevel > 0, this.fail);
    this.#tokens.push({ type: 'scalar', text: scalar.text, style: 'plain', mark });
    if (scalar.brokeLine) this.#simpleKeyAllowed = true;
  }
}
