import { yamlFailure } from './failure.ts';
import { dealias, isMergeKey, type MappingNode, type YamlNode } from './nodes.ts';

/** An entry of a mapping with its merges applied. */
export interface Entry {
  /** The key's text. */
  readonly key: string;
  readonly keyNode: YamlNode;
  readonly value: YamlNode;
  /** Came in by a `<<`. */
  readonly merged: boolean;
}

/** How often `<<` may lead from one mapping to the next. */
const MERGE_DEPTH = 100;

/**
 * A mapping's entries by the text of their keys: its own in the order of the text, then what `<<` adds, first map first.
 * Of a duplicate key the first stands; `duplicateKeys` finds them. Throws `yaml/invalid` when `<<` holds no mapping or loops.
 */
export function entriesOf(node: MappingNode, file?: string): Entry[] {
  const entries = new Map<string, Entry>();
  collect(node, entries, 0, file);
  return [...entries.values()];
}

function collect(node: MappingNode, into: Map<string, Entry>, depth: number, file: string | undefined): void {
  if (depth > MERGE_DEPTH) throw yamlFailure(`merge keys lead further than ${MERGE_DEPTH} mappings`, node, file);
  for (const { key, value } of node.entries) {
    if (isMergeKey(key)) continue;
    const content = dealias(key);
    if (content.kind !== 'scalar') throw yamlFailure(`a ${content.kind} cannot be a key`, key, file);
    if (!into.has(content.text)) into.set(content.text, { key: content.text, keyNode: key, value, merged: depth > 0 });
  }
  for (const { key, value } of node.entries) {
    if (!isMergeKey(key)) continue;
    for (const source of value.kind === 'sequence' ? value.items : [value]) {
      const content = dealias(source);
      if (content.kind !== 'mapping') throw yamlFailure('map merge requires map or sequence of maps as the value', source, file);
      collect(content, into, depth + 1, file);
    }
  }
}

/** Keys that stand in a mapping a second time, each with the first of its name. yaml.v3 compares keys by their text. */
export function duplicateKeys(node: MappingNode): { readonly text: string; readonly key: YamlNode; readonly first: YamlNode }[] {
  const seen = new Map<string, YamlNode>();
  const duplicates = [];
  for (const { key } of node.entries) {
    const text = key.kind === 'scalar' ? key.text : key.kind === 'alias' ? key.name : '';
    // No text holds a NUL, so keys of another kind never meet a scalar's.
    const identity = key.kind === 'scalar' ? text : `${key.kind}\0${text}`;
    const first = seen.get(identity);
    if (first === undefined) seen.set(identity, key);
    else duplicates.push({ text, key, first });
  }
  return duplicates;
}
