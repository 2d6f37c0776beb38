import { parseDuration } from '@hivekeep/contracts';
import {
  dealias,
  duplicateKeys,
  type Entry,
  entriesOf,
  type MappingNode,
  type Position,
  resolveBool,
  resolveScalar,
  type YamlNode,
} from '@hivekeep/goyaml';
import type { IssueList } from './issue-list.ts';
import { nearest } from './nearest.ts';

export interface Scope {
  readonly issues: IssueList;
  readonly file: string;
  /** Where in the document, as in `applications[2].source`. */
  readonly path: string;
  /** The application concerned, empty outside of one. */
  readonly application: string;
}

export interface Item {
  readonly node: YamlNode;
  readonly scope: Scope;
}

/** The fields of one mapping, read by type; what does not fit becomes an issue and reads as absent. */
export class Fields {
  readonly scope: Scope;
  readonly #node: MappingNode;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(node: MappingNode, scope: Scope, entries: readonly Entry[]) {
    this.scope = scope;
    this.#node = node;
    this.#entries = new Map(entries.map((entry) => [entry.key, entry]));
  }

  /** Reads a mapping whose keys are all `known` (any when absent); undefined, with an issue, when the node is something else. */
  static read(item: Item, known?: readonly string[]): Fields | undefined {
    const { scope } = item;
    const node = dealias(item.node);
    if (node.kind !== 'mapping') {
      report(scope, item.node, 'wrong-type', `expected a mapping, found ${describe(item.node)}`);
      return undefined;
    }
    reportDuplicates(node, scope);
    const entries = entriesOf(node, scope.file);
    for (const { key, keyNode } of entries) {
      if (known === undefined || known.includes(key)) continue;
      const near = nearest(key, known);
      const hint = near === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${JSON.stringify(near)}?`;
      report({ ...scope, path: join(scope.path, key) }, keyNode, 'unknown-key', `unknown key ${JSON.stringify(key)}; ${hint}`);
    }
    return new Fields(node, scope, entries);
  }

  /** Whether the key is there with a value other than null. */
  has(key: string): boolean {
    return this.#value(key) !== undefined;
  }

  /** Reports a problem of a field, at its value or, when it is absent, at the mapping; of the mapping itself for an empty key. */
  problem(key: string, rule: string, message: string): void {
    report(this.#scopeOf(key), this.position(key), rule, message);
  }

  position(key: string): Position {
    return this.#entries.get(key)?.value ?? this.#node;
  }

  /** A text; numbers and the like are taken as they are written. */
  text(key: string): string | undefined {
    const node = this.#value(key);
    return node === undefined ? undefined : readText({ node, scope: this.#scopeOf(key) });
  }

  /** A text that must be there and not be empty; undefined, with an issue, when it is not. `meaning` says what is expected. */
  requiredText(key: string, meaning = ''): string | undefined {
    const text = this.text(key);
    if (text === '' || !this.has(key)) this.problem(key, 'required', `is required${meaning && `: ${meaning}`}`);
    return text || undefined;
  }

  flag(key: string): boolean {
    const node = this.#value(key);
    if (node === undefined) return false;
    const content = dealias(node);
    const flag = content.kind === 'scalar' ? resolveBool(content) : undefined;
    if (flag === undefined) this.problem(key, 'wrong-type', `expected true or false, found ${describe(node)}`);
    return flag ?? false;
  }

  integer(key: string): number | undefined {
    const node = this.#value(key);
    if (node === undefined) return undefined;
    const content = dealias(node);
    const resolved = content.kind === 'scalar' ? resolveScalar(content) : undefined;
    const value = resolved !== undefined && 'value' in resolved ? resolved.value : undefined;
    const number = typeof value === 'bigint' || typeof value === 'number' ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(number)) return number;
    this.problem(key, 'wrong-type', `expected a whole number, found ${describe(node)}`);
    return undefined;
  }

  /** A Go duration in milliseconds; an empty text is none. A bare number is refused, for it has no unit. */
  duration(key: string): number | undefined {
    const node = this.#value(key);
    if (node === undefined) return undefined;
    const content = dealias(node);
    const resolved = content.kind === 'scalar' ? resolveScalar(content) : undefined;
    const text = resolved !== undefined && 'value' in resolved && typeof resolved.value === 'string' ? resolved.value : undefined;
    const duration = text === undefined ? undefined : parseDuration(text);
    if (duration === undefined) this.problem(key, 'wrong-type', `expected a duration such as 30s or 5m, found ${describe(node)}`);
    return duration;
  }

  /** A mapping with these keys (any when absent); null counts as absent. */
  mapping(key: string, known?: readonly string[]): Fields | undefined {
    const node = this.#value(key);
    return node === undefined ? undefined : Fields.read({ node, scope: this.#scopeOf(key) }, known);
  }

  /** The items of a list; null counts as an empty one. */
  items(key: string): Item[] {
    const node = this.#value(key);
    const content = node === undefined ? undefined : dealias(node);
    if (content === undefined) return [];
    if (content.kind !== 'sequence') {
      this.problem(key, 'wrong-type', `expected a list, found ${describe(content)}`);
      return [];
    }
    const scope = this.#scopeOf(key);
    return content.items.map((item, index) => ({ node: item, scope: { ...scope, path: `${scope.path}[${index}]` } }));
  }

  /** Whether the list is absent or holds nothing; false for what is no list. */
  isEmptyList(key: string): boolean {
    const node = this.#value(key);
    const content = node === undefined ? undefined : dealias(node);
    return content === undefined || (content.kind === 'sequence' && content.items.length === 0);
  }

  /** A list of texts; `check` gives what is wrong with one, undefined when nothing is. */
  texts(key: string, rule: string, check: (text: string) => string | undefined): string[] {
    return this.items(key).flatMap((item) => {
      const text = isNull(item.node) ? '' : readText(item);
      if (text === undefined) return [];
      const problem = check(text);
      if (problem !== undefined) report(item.scope, item.node, rule, problem);
      return [text];
    });
  }

  /** A mapping of any keys to texts. */
  textMap(key: string): Record<string, string> | undefined {
    const node = this.#value(key);
    if (node === undefined) return undefined;
    const scope = this.#scopeOf(key);
    const content = dealias(node);
    if (content.kind !== 'mapping') {
      report(scope, node, 'wrong-type', `expected a mapping of names to texts, found ${describe(node)}`);
      return undefined;
    }
    reportDuplicates(content, scope);
    const texts = entriesOf(content, scope.file).map((entry) => {
      const inner = { ...scope, path: join(scope.path, entry.key) };
      if (isNull(entry.value)) report(inner, entry.value, 'wrong-type', 'expected a text, found null; write "" for an empty one');
      return [entry.key, isNull(entry.value) ? '' : (readText({ node: entry.value, scope: inner }) ?? '')] as const;
    });
    return Object.fromEntries(texts);
  }

  #value(key: string): YamlNode | undefined {
    const node = this.#entries.get(key)?.value;
    return node === undefined || isNull(node) ? undefined : node;
  }

  #scopeOf(key: string): Scope {
    return { ...this.scope, path: join(this.scope.path, key) };
  }
}

function readText({ node, scope }: Item): string | undefined {
  const content = dealias(node);
  if (content.kind === 'scalar') return content.text;
  report(scope, node, 'wrong-type', `expected a text, found ${describe(node)}`);
  return undefined;
}

function isNull(node: YamlNode): boolean {
  const content = dealias(node);
  if (content.kind !== 'scalar') return false;
  const resolved = resolveScalar(content);
  return 'value' in resolved && resolved.value === null;
}

function report({ issues, path, application }: Scope, at: Position, rule: string, message: string): void {
  issues.add({ rule, message, path, application }, at);
}

function reportDuplicates(node: MappingNode, scope: Scope): void {
  for (const { text, key, first } of duplicateKeys(node))
    report(
      { ...scope, path: join(scope.path, text) },
      key,
      'duplicate-key',
      `mapping key ${JSON.stringify(text)} already defined at line ${first.line}`,
    );
}

function join(path: string, key: string): string {
  return path === '' || key === '' ? path + key : `${path}.${key}`;
}

function describe(node: YamlNode): string {
  const content = dealias(node);
  if (content.kind !== 'scalar') return content.kind === 'mapping' ? 'a mapping' : 'a list';
  const text = content.text.length > 40 ? `${content.text.slice(0, 40)}…` : content.text;
  return content.style === 'plain' ? text || 'nothing' : JSON.stringify(text);
}
