import { type Mark, toPosition } from './cursor.ts';
import type { Limits } from './limits.ts';
import type { ContentNode, MappingEntry, ScalarNode, YamlNode } from './nodes.ts';
import { Scanner } from './scanner.ts';
import type { Token, TokenType } from './tokens.ts';

const CORE_PREFIX = 'tag:yaml.org,2002:';

interface Properties {
  readonly mark: Mark;
  readonly anchor?: string;
  readonly tag: string;
}

/** Builds the nodes of one document after the other from tokens, by YAML 1.1's grammar as libyaml reads it. */
export class Parser {
  readonly #scanner: Scanner;
  readonly #limits: Limits;
  readonly #anchors = new Map<string, ContentNode>();
  #tagHandles = new Map<string, string>();
  #first = true;
  #depth = 0;

  constructor(text: string, limits: Limits, file: string | undefined) {
    this.#scanner = new Scanner(text, limits, file);
    this.#limits = limits;
  }

  /** The root of the next document, undefined at the end of the stream. */
  nextDocument(): YamlNode | undefined {
    if (!this.#first) while (this.#peekIs('document-end')) this.#scanner.skip();
    if (this.#peekIs('stream-end')) return undefined;
    const explicit = this.#peekIs('version-directive', 'tag-directive', 'document-start');
    const directives = this.#readDirectives();
    if (explicit || !this.#first) {
      if (!this.#peekIs('document-start')) this.#fail("did not find expected '---' of a document");
      this.#scanner.skip();
    }
    this.#first = false;
    this.#tagHandles = directives;
    const empty = explicit && this.#peekIs('version-directive', 'tag-directive', 'document-start', 'document-end', 'stream-end');
    const root = empty ? this.#emptyScalar() : this.#parseNode(true, false);
    if (this.#peekIs('document-end')) this.#scanner.skip();
    return root;
  }

  #peekIs(...types: TokenType[]): boolean {
    return types.includes(this.#scanner.peek().type);
  }

  #fail(problem: string, mark: Mark = this.#scanner.peek().mark): never {
    return this.#scanner.fail(problem, mark);
  }

  #readDirectives(): Map<string, string> {
    const handles = new Map<string, string>();
    let version = false;
    for (;;) {
      const token = this.#scanner.peek();
      if (token.type === 'version-directive') {
        if (version) this.#fail('found duplicate %YAML directive');
        if (token.major !== 1 || token.minor !== 1) this.#fail(`found YAML ${token.major}.${token.minor}; only 1.1 may be declared`);
        version = true;
      } else if (token.type === 'tag-directive') {
        if (handles.has(token.handle)) this.#fail(`found duplicate %TAG directive for ${token.handle}`);
        handles.set(token.handle, token.prefix);
      } else break;
      this.#scanner.skip();
    }
    if (!handles.has('!')) handles.set('!', '!');
    if (!handles.has('!!')) handles.set('!!', CORE_PREFIX);
    return handles;
  }

  /** `block`: block collections may start here; `indentless`: a list at the indentation of its key may. */
  #parseNode(block: boolean, indentless: boolean): YamlNode {
    const token = this.#scanner.peek();
    if (token.type === 'alias') return this.#parseAlias(token.name, token.mark);
    const properties = this.#parseProperties(token.mark);
    const content = this.#scanner.peek();
    if (indentless && content.type === 'block-entry') return this.#parseSequence(properties, 'indentless');
    switch (content.type) {
      case 'scalar':
        this.#scanner.skip();
        return this.#register({ kind: 'scalar', text: content.text, style: content.style, ...nodeBase(properties) });
      case 'flow-sequence-start':
        return this.#parseSequence(properties, 'flow');
      case 'flow-mapping-start':
        return this.#parseMapping(properties, 'flow');
      case 'block-sequence-start':
        if (block) return this.#parseSequence(properties, 'block');
        break;
      case 'block-mapping-start':
        if (block) return this.#parseMapping(properties, 'block');
        break;
    }
    if (properties.anchor === undefined && properties.tag === '')
      this.#fail(`did not find expected node content, found ${describe(content)}`);
    return this.#register({ kind: 'scalar', text: '', style: 'plain', ...nodeBase(properties) });
  }

  #parseAlias(name: string, mark: Mark): YamlNode {
    const target = this.#anchors.get(name);
    if (target === undefined) return this.#fail(`unknown anchor '${name}' referenced`, mark);
    this.#scanner.skip();
    return { kind: 'alias', name, target, tag: '', ...toPosition(mark) };
  }

  #parseProperties(mark: Mark): Properties {
    let anchor: string | undefined;
    let tag: string | undefined;
    for (;;) {
      const token = this.#scanner.peek();
      if (token.type === 'anchor' && anchor === undefined) anchor = token.name;
      else if (token.type === 'tag' && tag === undefined) tag = this.#expandTag(token);
      else break;
      this.#scanner.skip();
    }
    return { mark, tag: tag ?? '', ...(anchor !== undefined && { anchor }) };
  }

  #expandTag(token: Token & { type: 'tag' }): string {
    if (token.handle === '') return shortTag(token.suffix);
    const prefix = this.#tagHandles.get(token.handle);
    if (prefix === undefined) return this.#fail(`found undefined tag handle ${token.handle}`);
    return shortTag(prefix + token.suffix);
  }

  #register<N extends ContentNode>(node: N): N {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return node;
  }

  #emptyScalar(): ScalarNode {
    return { kind: 'scalar', text: '', style: 'plain', tag: '', ...toPosition(this.#scanner.peek().mark) };
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > this.#limits.depth) this.#fail(`collections nest deeper than ${this.#limits.depth}`);
    const result = parse();
    this.#depth--;
    return result;
  }

  #parseSequence(properties: Properties, style: 'block' | 'indentless' | 'flow'): YamlNode {
    const items: YamlNode[] = [];
    const node = this.#register({ kind: 'sequence', items, ...nodeBase(properties) });
    this.#nested(() => {
      if (style === 'flow') this.#flowItems(items);
      else if (style === 'block') this.#blockItems(items);
      else this.#indentlessItems(items);
    });
    return node;
  }

  #blockItems(items: YamlNode[]): void {
    this.#scanner.skip();
    while (this.#peekIs('block-entry')) {
      this.#scanner.skip();
      items.push(this.#peekIs('block-entry', 'block-end') ? this.#emptyScalar() : this.#parseNode(true, false));
    }
    if (!this.#peekIs('block-end')) this.#fail("did not find expected '-' indicator");
    this.#scanner.skip();
  }

  #indentlessItems(items: YamlNode[]): void {
    while (this.#peekIs('block-entry')) {
      this.#scanner.skip();
      const empty = this.#peekIs('block-entry', 'key', 'value', 'block-end');
      items.push(empty ? this.#emptyScalar() : this.#parseNode(true, false));
    }
  }

  #flowItems(items: YamlNode[]): void {
    const { line } = toPosition(this.#scanner.peek().mark);
    this.#scanner.skip();
    for (let first = true; !this.#peekIs('flow-sequence-end'); first = false) {
      if (!first) {
        if (!this.#peekIs('flow-entry')) this.#fail(`did not find expected ',' or ']' of the list that starts in line ${line}`);
        this.#scanner.skip();
        if (this.#peekIs('flow-sequence-end')) break;
      }
      items.push(this.#peekIs('key') ? this.#parseSinglePair() : this.#parseNode(false, false));
    }
    this.#scanner.skip();
  }

  /** `[a: 1]` holds a mapping of one entry. */
  #parseSinglePair(): YamlNode {
    const { mark } = this.#scanner.peek();
    this.#scanner.skip();
    const key = this.#peekIs('value', 'flow-entry', 'flow-sequence-end') ? this.#takeAsEmpty() : this.#parseNode(false, false);
    const value = this.#flowValue('flow-sequence-end');
    return { kind: 'mapping', entries: [{ key, value }], tag: '', ...toPosition(mark) };
  }

  /** libyaml passes the token that stands where the key of a pair is missing. */
  #takeAsEmpty(): ScalarNode {
    const node = this.#emptyScalar();
    this.#scanner.skip();
    return node;
  }

  #flowValue(end: TokenType): YamlNode {
    if (!this.#peekIs('value')) return this.#emptyScalar();
    this.#scanner.skip();
    return this.#peekIs('flow-entry', end) ? this.#emptyScalar() : this.#parseNode(false, false);
  }

  #parseMapping(properties: Properties, style: 'block' | 'flow'): YamlNode {
    const entries: MappingEntry[] = [];
    const node = this.#register({ kind: 'mapping', entries, ...nodeBase(properties) });
    this.#nested(() => (style === 'flow' ? this.#flowEntries(entries) : this.#blockEntries(entries)));
    return node;
  }

  #blockEntries(entries: MappingEntry[]): void {
    const missing = () => this.#peekIs('key', 'value', 'block-end');
    this.#scanner.skip();
    while (this.#peekIs('key')) {
      this.#scanner.skip();
      const key = missing() ? this.#emptyScalar() : this.#parseNode(true, true);
      entries.push({ key, value: this.#blockValue(missing) });
    }
    if (!this.#peekIs('block-end')) this.#fail(`did not find expected key, found ${describe(this.#scanner.peek())}`);
    this.#scanner.skip();
  }

  #blockValue(missing: () => boolean): YamlNode {
    if (!this.#peekIs('value')) return this.#emptyScalar();
    this.#scanner.skip();
    return missing() ? this.#emptyScalar() : this.#parseNode(true, true);
  }

  #flowEntries(entries: MappingEntry[]): void {
    const { line } = toPosition(this.#scanner.peek().mark);
    this.#scanner.skip();
    for (let first = true; !this.#peekIs('flow-mapping-end'); first = false) {
      if (!first) {
        if (!this.#peekIs('flow-entry')) this.#fail(`did not find expected ',' or '}' of the mapping that starts in line ${line}`);
        this.#scanner.skip();
        if (this.#peekIs('flow-mapping-end')) break;
      }
      entries.push(this.#flowMappingEntry());
    }
    this.#scanner.skip();
  }

  #flowMappingEntry(): MappingEntry {
    if (!this.#peekIs('key')) return { key: this.#parseNode(false, false), value: this.#emptyScalar() };
    this.#scanner.skip();
    const key = this.#peekIs('value', 'flow-entry', 'flow-mapping-end') ? this.#emptyScalar() : this.#parseNode(false, false);
    return { key, value: this.#flowValue('flow-mapping-end') };
  }
}

function nodeBase({ mark, tag, anchor }: Properties) {
  return { tag, ...toPosition(mark), ...(anchor !== undefined && { anchor }) };
}

function shortTag(tag: string): string {
  return tag.startsWith(CORE_PREFIX) ? `!!${tag.slice(CORE_PREFIX.length)}` : tag;
}

function describe(token: Token): string {
  return token.type === 'scalar' ? JSON.stringify(token.text.slice(0, 40)) : token.type.replaceAll('-', ' ');
}
