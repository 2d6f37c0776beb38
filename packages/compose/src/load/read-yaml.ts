import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { type Locator, nowhere, type Path, Problems } from '../problems.ts';
import { type Dict, dict, isDict, type Value } from '../value.ts';
import { resolveScalar } from './resolve-scalar.ts';

export interface YamlDocument {
  readonly value: Value;
  readonly locator: Locator;
}

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_NODES = 400_000;
const MAX_DEPTH = 100;

/** The first document of a compose file, typed as the docker CLI's reader types it, with the positions of its keys. */
export function readYaml(bytes: Uint8Array, file: string): YamlDocument {
  const problems = new Problems({ ...nowhere, file });
  if (bytes.length > MAX_BYTES) problems.add([], `the file has ${bytes.length} bytes, at most ${MAX_BYTES} are read`);
  problems.refuse();
  const reader = new DocumentReader(decodeText(bytes, problems), file);
  return reader.read();
}

function decodeText(bytes: Uint8Array, problems: Problems): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    problems.add([], `expected ${encoding} text, found other bytes: ${cause instanceof Error ? cause.message : ''}`);
    problems.refuse();
    return '';
  }
}

class DocumentReader {
  readonly #lines = new LineCounter();
  readonly #file: string;
  readonly #document: Document.Parsed | undefined;
  #nodes = 0;
  #open = new Set<Node>();

  constructor(text: string, file: string) {
    this.#file = file;
    const tokens = new Parser(this.#lines.addNewLine).parse(text);
    const composer = new Composer({
      schema: 'failsafe',
      version: '1.1',
      uniqueKeys: false,
      strict: true,
      merge: false,
      logLevel: 'silent',
    });
    for (const document of composer.compose(tokens, true, text.length)) {
      this.#document = document as Document.Parsed;
      break;
    }
  }

  read(): YamlDocument {
    const document = this.#document;
    const [error] = document?.errors ?? [];
    if (error) this.#fail(error.message.split('\n')[0] ?? 'not YAML', error.pos[0]);
    const root = document?.contents ?? null;
    const value = root === null ? null : this.#value(root, 0);
    return { value, locator: { file: this.#file, locate: (path) => this.#locate(path) } };
  }

  #value(node: Node, depth: number): Value {
    this.#nodes++;
    if (this.#nodes > MAX_NODES) this.#fail('document contains excessive aliasing', node.range?.[0]);
    if (depth > MAX_DEPTH) this.#fail(`nested deeper than ${MAX_DEPTH} levels`, node.range?.[0]);
    if (isAlias(node)) return this.#alias(node, depth);
    if (isScalar(node)) return scalarValue(node);
    if (this.#open.has(node)) this.#fail('an anchor contains itself', node.range?.[0]);
    this.#open.add(node);
    const value = isSeq(node) ? node.items.map((item) => this.#value(item as Node, depth + 1)) : this.#mapping(node as YAMLMap, depth);
    this.#open.delete(node);
    return value;
  }

  #alias(node: Node, depth: number): Value {
    const target = isAlias(node) && this.#document ? node.resolve(this.#document) : undefined;
    if (!target) return this.#fail(`unknown anchor '${isAlias(node) ? node.source : ''}' referenced`, node.range?.[0]);
    return this.#value(target, depth + 1);
  }

  #mapping(node: YAMLMap, depth: number): Dict {
    const out = dict();
    const merged = dict();
    const seen = new Set<string>();
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      const key = this.#key(pair.key);
      if (seen.has(key)) this.#fail(`mapping key ${JSON.stringify(key)} already defined`, pair.key.range?.[0]);
      seen.add(key);
      const value = pair.value === null ? null : this.#value(pair.value, depth + 1);
      if (isMergeKey(pair.key)) this.#merge(merged, value, pair.key);
      else out[key] = value;
    }
    for (const [key, value] of Object.entries(merged)) if (!Object.hasOwn(out, key)) out[key] = value;
    return out;
  }

  #key(node: Node): string {
    const key = isAlias(node) && this.#document ? node.resolve(this.#document) : node;
    if (!isScalar(key)) return this.#fail('a mapping or list as a key', node.range?.[0]);
    if (isMergeKey(key)) return '<<';
    const value = scalarValue(key);
    if (typeof value !== 'string')
      return this.#fail(`keys must be text, found ${String(key.source ?? key.value)}: put it in quotes`, node.range?.[0]);
    return value;
  }

  #merge(into: Dict, value: Value, at: Node): void {
    const sources = Array.isArray(value) ? value : [value];
    for (const source of sources) {
      if (!isDict(source)) this.#fail('map merge requires map or sequence of maps as the value', at.range?.[0]);
      else for (const [key, member] of Object.entries(source)) if (!Object.hasOwn(into, key)) into[key] = member;
    }
  }

  #locate(path: Path): { line: number; column: number } | undefined {
    let node: unknown = this.#document?.contents;
    let offset: number | undefined;
    for (const part of path) {
      while (isAlias(node) && this.#document) node = node.resolve(this.#document);
      if (isMap(node)) {
        const pair = (node.items as Pair<Node, Node | null>[]).find(({ key }) => isScalar(key) && key.value === part);
        if (!pair) break;
        offset = pair.key.range?.[0];
        node = pair.value;
      } else if (isSeq(node) && typeof part === 'number') {
        node = node.items[part];
        offset = (node as Node | undefined)?.range?.[0] ?? offset;
      } else break;
    }
    return offset === undefined ? undefined : this.#position(offset);
  }

  #position(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  #fail(message: string, offset = 0): never {
    const problems = new Problems({ file: this.#file, locate: () => this.#position(offset) });
    problems.add([], `yaml: ${message}`);
    problems.refuse();
    throw new Error('unreachable');
  }
}

function isMergeKey(node: Node): boolean {
  return isScalar(node) && node.value === '<<' && node.type === 'PLAIN' && !node.tag;
}

function scalarValue(node: Scalar): Value {
  const text = typeof node.value === 'string' ? node.value : '';
  if (node.type === 'PLAIN' && !node.tag) return resolveScalar(text);
  if (node.tag === 'tag:yaml.org,2002:null') return null;
  return ['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float', 'tag:yaml.org,2002:bool'].includes(node.tag ?? '')
    ? resolveScalar(text)
    : text;
}
