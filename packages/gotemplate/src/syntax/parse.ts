import { unquote } from '../text/quote.ts';
import { type BranchNode, isBlank, type ListNode, type Statement, type Tree } from './nodes.ts';
import { parsePipeline, type Scope } from './parse-pipeline.ts';
import { TokenStream } from './token-stream.ts';
import type { Token } from './tokens.ts';

/** How deep actions and parentheses may nest. Go allows 10,000 parentheses; the stack here is smaller. */
export const MAX_NESTING = 500;

/** What stands where a list ends: `else` alone or before an `if` or `with`, or `end`. */
type ListEnd = { readonly word: 'end' | 'else'; readonly position: number };

export type FunctionCheck = (name: string) => string | undefined;

/**
 * Parses a file: its own tree and those of its `define`s and `block`s, by name. `problemWith` says why a function may not be
 * called, if it may not. Throws `TemplateError` with file, line and column.
 */
export function parse(file: string, source: string, problemWith: FunctionCheck): Map<string, Tree> {
  const stream = new TokenStream(file, source);
  const trees = new Map<string, Tree>();
  new Parser(stream, trees, problemWith, 0).file();
  return trees;
}

class Parser {
  readonly #stream: TokenStream;
  readonly #trees: Map<string, Tree>;
  readonly #problemWith: FunctionCheck;
  readonly #scope: Scope;
  #ranges = 0;
  #depth: number;

  constructor(stream: TokenStream, trees: Map<string, Tree>, problemWith: FunctionCheck, depth: number) {
    this.#stream = stream;
    this.#trees = trees;
    this.#problemWith = problemWith;
    this.#scope = { stream, variables: ['$'], problemWith, depth: 0, maxDepth: MAX_NESTING };
    this.#depth = depth;
  }

  file(): void {
    const nodes: Statement[] = [];
    while (this.#stream.peek().type !== 'eof') {
      if (this.#definition()) continue;
      const node = this.#statement();
      if ('word' in node) this.#stream.fail(`unexpected {{${node.word}}}`, node.position);
      nodes.push(node);
    }
    this.#add(this.#stream.file, { type: 'list', nodes, position: 0 });
  }

  /** `{{define "name"}}…{{end}}`, if one starts here. */
  #definition(): boolean {
    const mark = this.#stream.mark();
    if (this.#stream.next().type === 'left-delim' && this.#stream.isKeyword(this.#stream.nextNonSpace(), 'define')) {
      const name = this.#name(this.#stream.nextNonSpace(), 'define clause');
      this.#stream.expect(['right-delim'], 'define clause');
      this.#inner().body(name, 'define clause');
      return true;
    }
    this.#stream.rewind(mark);
    return false;
  }

  /** Definitions see no variables from around them. */
  #inner(): Parser {
    return new Parser(this.#stream, this.#trees, this.#problemWith, this.#depth + 1);
  }

  body(name: string, context: string): void {
    const [list, end] = this.#list();
    if (end.word !== 'end') this.#stream.fail(`unexpected {{else}} in ${context}`, end.position);
    this.#add(name, list);
  }

  /** Within a file a name has one body; blank ones do not count. */
  #add(name: string, root: ListNode): void {
    const earlier = this.#trees.get(name);
    if (earlier && !isBlank(earlier.root)) {
      if (!isBlank(root)) this.#stream.fail(`multiple definition of template ${JSON.stringify(name)}`, root.position);
      return;
    }
    this.#trees.set(name, { name, file: this.#stream.file, source: this.#stream.source, root });
  }

  #name(token: Token, context: string): string {
    if (token.type !== 'string' && token.type !== 'raw-string') this.#stream.unexpected(token, context);
    return unquote(token.text) ?? this.#stream.fail(`invalid string ${token.text}`, token.position);
  }

  #list(): [ListNode, ListEnd] {
    if (++this.#depth > MAX_NESTING) {
      this.#stream.fail(`actions nested deeper than ${MAX_NESTING}; move the inner ones into templates`, this.#stream.peek().position);
    }
    const { position } = this.#stream.peekNonSpace();
    const nodes: Statement[] = [];
    while (this.#stream.peekNonSpace().type !== 'eof') {
      const node = this.#statement();
      if ('word' in node) {
        this.#depth--;
        return [{ type: 'list', nodes, position }, node];
      }
      nodes.push(node);
    }
    this.#stream.fail('unexpected end of file: an {{end}} is missing', position);
  }

  #statement(): Statement | ListEnd {
    const token = this.#stream.nextNonSpace();
    if (token.type === 'text') return { type: 'text', text: token.text, position: token.position };
    if (token.type !== 'left-delim') this.#stream.unexpected(token, 'input');
    const mark = this.#stream.mark();
    const first = this.#stream.nextNonSpace();
    if (first.type === 'keyword') return this.#control(first);
    this.#stream.rewind(mark);
    const { position } = this.#stream.peekNonSpace();
    return { type: 'action', pipe: parsePipeline(this.#scope, 'command', 'right-delim'), position };
  }

  #control(keyword: Token): Statement | ListEnd {
    const { position } = keyword;
    switch (keyword.text) {
      case 'if':
      case 'with':
      case 'range':
        return this.#branch(keyword.text, position);
      case 'else':
        if (!this.#stream.isKeyword(this.#stream.peekNonSpace(), 'if', 'with')) this.#stream.expect(['right-delim'], 'else');
        return { word: 'else', position };
      case 'end':
        this.#stream.expect(['right-delim'], 'end');
        return { word: 'end', position };
      case 'break':
      case 'continue':
        this.#stream.expect(['right-delim'], `{{${keyword.text}}}`);
        if (this.#ranges === 0) this.#stream.fail(`{{${keyword.text}}} outside {{range}}`, position);
        return { type: keyword.text, position };
      case 'template':
        return this.#template();
      case 'block':
        return this.#block();
      default:
        return this.#stream.unexpected(keyword, 'command; {{define}} stands outside of every other action');
    }
  }

  #branch(type: BranchNode['type'], position: number): BranchNode {
    const variables = this.#scope.variables.length;
    const pipe = parsePipeline(this.#scope, type, 'right-delim');
    if (type === 'range') this.#ranges++;
    const [body, end] = this.#list();
    if (type === 'range') this.#ranges--;
    const otherwise = end.word === 'else' ? this.#otherwise(type) : undefined;
    this.#scope.variables.length = variables;
    return { type, pipe, body, otherwise, position };
  }

  /** `else`, or `else if` of an `if` and `else with` of a `with`, which end together with it. */
  #otherwise(type: BranchNode['type']): ListNode {
    const token = this.#stream.peek();
    if (type !== 'range' && this.#stream.isKeyword(token, type)) {
      this.#stream.next();
      return { type: 'list', nodes: [this.#branch(type, token.position)], position: token.position };
    }
    const [list, end] = this.#list();
    if (end.word !== 'end') this.#stream.fail('expected {{end}}, found {{else}}', end.position);
    return list;
  }

  #template(): Statement {
    const token = this.#stream.nextNonSpace();
    const name = this.#name(token, 'template clause');
    const hasPipe = this.#stream.peekNonSpace().type !== 'right-delim';
    if (!hasPipe) this.#stream.next();
    const pipe = hasPipe ? parsePipeline(this.#scope, 'template clause', 'right-delim') : undefined;
    return { type: 'template', name, pipe, position: token.position };
  }

  #block(): Statement {
    const token = this.#stream.nextNonSpace();
    const name = this.#name(token, 'block clause');
    const pipe = parsePipeline(this.#scope, 'block clause', 'right-delim');
    this.#inner().body(name, 'block clause');
    return { type: 'template', name, pipe, position: token.position };
  }
}
