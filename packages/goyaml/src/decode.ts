import { HivekeepError, type Issue } from '@hivekeep/contracts';
import { Constructor } from './construct.ts';
import { readInput } from './input.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { YamlNode } from './nodes.ts';
import { Parser } from './parser.ts';
import { type GoMap, type GoValue, type PlainValue, toPlain } from './values.ts';

export interface DecodeOptions {
  /** Named in errors. */
  readonly file?: string;
  readonly limits?: Partial<Limits>;
}

/**
 * The first document of a text as yaml.v3 decodes it into an `any`; null when there is none.
 * What follows the first document is not read. Throws `yaml/invalid` with file, line and column.
 */
export function decode(text: string | Uint8Array, options: DecodeOptions = {}): GoValue {
  const root = decodeNodes(text, options);
  return root === undefined ? null : nodeValue(root, options);
}

/** All documents of a text. Throws like `decode`. */
export function decodeAll(text: string | Uint8Array, options: DecodeOptions = {}): GoValue[] {
  const parser = openParser(text, options);
  const values: GoValue[] = [];
  for (let root = parser.nextDocument(); root !== undefined; root = parser.nextDocument()) values.push(nodeValue(root, options));
  return values;
}

/** The first document as a values file is read: its root is a mapping with text keys, or nothing. Throws like `decode`. */
export function decodeValues(text: string | Uint8Array, options: DecodeOptions = {}): GoMap {
  const root = decodeNodes(text, options);
  return new Constructor(limitsOf(options), options.file).constructValues(
    root ?? { kind: 'scalar', text: '', style: 'plain', tag: '', line: 1, column: 1 },
  );
}

/**
 * The nodes of the first document, with positions, aliases unexpanded and duplicate keys kept; undefined when there is none.
 * Throws `yaml/invalid` when the text is no YAML.
 */
export function decodeNodes(text: string | Uint8Array, options: DecodeOptions = {}): YamlNode | undefined {
  return openParser(text, options).nextDocument();
}

export interface FirstDocument {
  readonly root: YamlNode | undefined;
  /** Whether anything stands behind it, YAML or not; an empty document is nothing. */
  readonly goesOn: boolean;
}

/** The first document as `decodeNodes` gives it, for readers that must not pass over the rest. Throws like `decodeNodes`. */
export function decodeFirst(text: string | Uint8Array, options: DecodeOptions = {}): FirstDocument {
  const parser = openParser(text, options);
  return { root: parser.nextDocument(), goesOn: hasContent(parser) };
}

function hasContent(parser: Parser): boolean {
  try {
    for (let root = parser.nextDocument(); root !== undefined; root = parser.nextDocument())
      if (root.kind !== 'scalar' || root.text !== '') return true;
    return false;
  } catch (error) {
    if (HivekeepError.is(error, 'yaml/invalid')) return true;
    throw error;
  }
}

/** The value of a node, as `decode` would give it. */
export function nodeValue(node: YamlNode, options: DecodeOptions = {}): GoValue {
  return new Constructor(limitsOf(options), options.file).construct(node);
}

/**
 * Every duplicate key below a node. Throws `yaml/invalid` for what else `decode` would refuse: too many values, an alias in
 * itself, a key that is a collection, a tag its text does not fit. After it the nodes are safe to walk.
 */
export function findDuplicateKeys(node: YamlNode, options: DecodeOptions = {}): Issue[] {
  return new Constructor(limitsOf(options), options.file).findDuplicates(node);
}

/** The value of a node as plain JavaScript, by the rules of `toPlain`. */
export function nodeToPlain(node: YamlNode, options: DecodeOptions = {}): PlainValue {
  return toPlain(nodeValue(node, options));
}

function openParser(text: string | Uint8Array, options: DecodeOptions): Parser {
  const limits = limitsOf(options);
  return new Parser(readInput(text, limits, options.file), limits, options.file);
}

function limitsOf(options: DecodeOptions): Limits {
  return { ...defaultLimits, ...options.limits };
}
