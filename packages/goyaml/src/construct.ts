import type { Issue } from '@hivekeep/contracts';
import { duplicateKeys } from './entries.ts';
import { yamlFailure, yamlFailures } from './failure.ts';
import type { Limits } from './limits.ts';
import { type ContentNode, isMergeKey, type MappingNode, type ScalarNode, type YamlNode } from './nodes.ts';
import { type Resolved, resolveScalar } from './resolve.ts';
import { GoBytes, type GoKey, GoMap, GoTime, type GoValue, keyText } from './values.ts';

/** yaml.v3's rule against alias bombs: up to 400,000 values 99 % may come from aliases, from 4,000,000 on 10 %. */
const ALIAS_RATIO = { few: 400_000, many: 4_000_000, atFew: 0.99, atMany: 0.1 };

/** Makes values from nodes as yaml.v3 does for `any`; duplicate keys are collected and reported together. */
export class Constructor {
  readonly #limits: Limits;
  readonly #file: string | undefined;
  readonly #issues: Issue[] = [];
  readonly #open = new Set<ContentNode>();
  readonly #internedKeys = new Map<string, GoKey>();
  #made = 0;
  #madeFromAliases = 0;
  #aliasDepth = 0;

  constructor(limits: Limits, file: string | undefined) {
    this.#limits = limits;
    this.#file = file;
  }

  /** The value of a document's root. Throws `yaml/invalid` with every duplicate key. */
  construct(root: YamlNode): GoValue {
    const value = this.#value(root);
    this.#throwIssues();
    return value;
  }

  /** The duplicate keys of a document, which is otherwise as `construct` wants it. */
  findDuplicates(root: YamlNode): Issue[] {
    this.#value(root);
    return this.#issues;
  }

  /** The root of a values file: a mapping whose keys become text; null and nothing are an empty one. */
  constructValues(root: YamlNode): GoMap {
    const map = new GoMap();
    const content = this.#enter(root, (node) => {
      if (node.kind === 'mapping') this.#fill(map, node, 'text', undefined);
      return node;
    });
    if (content.kind !== 'mapping' && !(content.kind === 'scalar' && this.#scalar(content).value === null)) {
      throw yamlFailure(`expected a mapping at the root, found a ${content.kind}`, content, this.#file);
    }
    this.#throwIssues();
    return map;
  }

  #throwIssues(): void {
    const [first, ...rest] = this.#issues;
    if (first !== undefined) throw yamlFailures([first, ...rest]);
  }

  #fail(problem: string, node: YamlNode): never {
    throw yamlFailure(problem, node, this.#file);
  }

  /** Runs `use` on the node, or on what an alias stands for, within the bounds. */
  #enter<T>(node: YamlNode, use: (content: ContentNode) => T): T {
    this.#count(node);
    if (node.kind !== 'alias') return use(node);
    const { target } = node;
    if (this.#open.has(target)) this.#fail(`anchor '${node.name}' value contains itself`, node);
    this.#open.add(target);
    this.#aliasDepth++;
    const result = this.#enter(target, use);
    this.#aliasDepth--;
    this.#open.delete(target);
    return result;
  }

  #count(node: YamlNode): void {
    this.#made++;
    if (this.#aliasDepth > 0) this.#madeFromAliases++;
    if (this.#made > this.#limits.values) this.#fail(`the document holds more than ${this.#limits.values} values, aliases expanded`, node);
    if (this.#madeFromAliases <= 100 || this.#made <= 1000) return;
    const { few, many, atFew, atMany } = ALIAS_RATIO;
    const share = Math.min(Math.max((this.#made - few) / (many - few), 0), 1);
    if (this.#madeFromAliases / this.#made > atFew - (atFew - atMany) * share) this.#fail('document contains excessive aliasing', node);
  }

  #value(node: YamlNode): GoValue {
    return this.#enter(node, (content) => {
      if (content.kind === 'scalar') return this.#scalar(content).value;
      if (content.kind === 'sequence') return content.items.map((item) => this.#value(item));
      const map = new GoMap([], !this.#isStringMap(content));
      this.#fill(map, content, map.anyKeys ? 'any' : 'text', undefined);
      return map;
    });
  }

  #scalar(node: ScalarNode): Exclude<Resolved, { problem: string }> {
    const resolved = resolveScalar(node);
    return 'problem' in resolved ? this.#fail(resolved.problem, node) : resolved;
  }

  #isStringMap(node: MappingNode): boolean {
    return node.entries.every(({ key }) => {
      const content = key.kind === 'alias' ? key.target : key;
      return content.kind === 'scalar' && (isMergeKey(content) || content.tag === '!!merge' || this.#scalar(content).tag === '!!str');
    });
  }

  /** Puts a mapping's entries into `map`. `taken`: keys an outer mapping of a merge has; undefined outside of merges. */
  #fill(map: GoMap, node: MappingNode, keys: 'any' | 'text', taken: Set<GoKey> | undefined): void {
    this.#reportDuplicates(node);
    let merge: YamlNode | undefined;
    for (const { key: keyNode, value } of node.entries) {
      if (isMergeKey(keyNode)) {
        merge = value;
        continue;
      }
      const key = this.#key(keyNode, keys);
      if (key === undefined) continue;
      if (taken?.has(key)) continue;
      taken?.add(key);
      map.set(key, this.#value(value));
    }
    if (merge !== undefined) this.#merge(map, merge, keys, taken ?? this.#keysOf(node));
  }

  #keysOf(node: MappingNode): Set<GoKey> {
    const keys = node.entries.filter(({ key }) => !isMergeKey(key)).map(({ key }) => this.#key(key, 'any'));
    return new Set(keys.filter((key) => key !== undefined));
  }

  /** A key as the map takes it; undefined for a null key where keys are text. */
  #key(node: YamlNode, keys: 'any' | 'text'): GoKey | undefined {
    return this.#enter(node, (content) => {
      if (content.kind !== 'scalar') return this.#fail(`a ${content.kind} cannot be a key`, node);
      const { tag, value } = this.#scalar(content);
      if (keys === 'any') return this.#intern(value);
      if (value === null) return undefined;
      return tag === '!!binary' ? keyText(value) : content.text;
    });
  }

  #intern(key: GoKey): GoKey {
    if (!(key instanceof GoTime) && !(key instanceof GoBytes)) return key;
    const identity = key instanceof GoTime ? `time ${key}` : `bytes ${Buffer.from(key.bytes).toString('hex')}`;
    const known = this.#internedKeys.get(identity);
    if (known === undefined) this.#internedKeys.set(identity, key);
    return known ?? key;
  }

  #merge(map: GoMap, merge: YamlNode, keys: 'any' | 'text', taken: Set<GoKey>): void {
    const sources = merge.kind === 'sequence' ? merge.items : [merge];
    for (const source of sources) {
      this.#enter(source, (content) => {
        if (content.kind !== 'mapping') return this.#fail('map merge requires map or sequence of maps as the value', source);
        this.#fill(map, content, keys, taken);
      });
    }
  }

  #reportDuplicates(node: MappingNode): void {
    for (const { text, key, first } of duplicateKeys(node)) {
      const message = `mapping key ${JSON.stringify(text)} already defined at line ${first.line}`;
      this.#issues.push({ message, line: key.line, column: key.column, ...(this.#file !== undefined && { file: this.#file }) });
    }
  }
}
