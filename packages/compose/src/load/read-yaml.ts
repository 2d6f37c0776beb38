import { HivekeepError, type Issue } from '@hivekeep/contracts';
import {
  dealias,
  decodeFirst,
  entriesOf,
  GoBytes,
  GoMap,
  type GoValue,
  GoTime as GoYamlTime,
  nodeValue,
  type YamlNode,
} from '@hivekeep/goyaml';
import { composeError, formatPath, type Locator, type Path, type Place } from '../problems.ts';
import { type Dict, dict, exactInt, GoFloat, GoTime, type Value } from '../value.ts';

/** What a tag of the compose specification asks of a merge. */
export type MergeTag = 'reset' | 'override';

export interface YamlDocument {
  readonly value: Value;
  readonly locator: Locator;
  /** Whether the file goes on behind this document, which is its first. */
  readonly goesOn: boolean;
  /** Members of mappings with a tag `!reset` or `!override`, by their path as `tagKey` writes it. */
  tags(): ReadonlyMap<string, MergeTag>;
}

/** A path as a key of `YamlDocument.tags`. */
export function tagKey(path: Path): string {
  return JSON.stringify(path);
}

/** What to say of a file that goes on behind its first document. */
export const LATER_DOCUMENTS = 'only the first document of a file is read; put what follows its --- into a file of its own';

const LIMITS = { bytes: 4 * 1024 * 1024, depth: 100, values: 400_000 };

/** The first document of a compose file, typed as the docker CLI's reader types it, with the positions of its keys. */
export function readYaml(bytes: Uint8Array, file: string): YamlDocument {
  const { root, goesOn } = translateErrors(() => decodeFirst(bytes, { file, limits: LIMITS }));
  const locator: Locator = (path) => ({ file, ...locate(root, path) });
  if (!root) return { value: null, locator, goesOn, tags: () => new Map() };
  const issues: Issue[] = [];
  const value = toValue(
    translateErrors(() => nodeValue(root, { file, limits: LIMITS })),
    [],
    (path, message) => {
      const { depth: _depth, ...place } = locator(path);
      issues.push({ ...place, ...(path.length > 0 && { path: formatPath(path) }), message });
    },
  );
  if (issues.length > 0) throw composeError(issues);
  let tags: ReadonlyMap<string, MergeTag> | undefined;
  return {
    value,
    locator,
    goesOn,
    tags: () => {
      tags ??= mergeTags(root);
      return tags;
    },
  };
}

function translateErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!HivekeepError.is(error, 'yaml/invalid')) throw error;
    throw composeError((error.issues ?? [{ message: error.message }]).map(withHint));
  }
}

/** What a parser misses says little to people; mostly an indentation is off, or a text needs quotes. */
function withHint(issue: Issue): Issue {
  if (!/^(did not find|could not find|found character)/.test(issue.message)) return issue;
  return { ...issue, message: `${issue.message}: check the indentation, and put a text that holds : # { [ or % in quotes` };
}

function toValue(value: GoValue, path: Path, refuse: (path: Path, message: string) => void): Value {
  if (typeof value === 'bigint') return exactInt(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(path, `expected a finite number, found ${value}; put it in quotes for the text`);
    return new GoFloat(value);
  }
  if (value instanceof GoYamlTime) return new GoTime(printTime(value));
  if (value instanceof GoBytes) return new TextDecoder().decode(value.bytes);
  if (Array.isArray(value)) return value.map((item, index) => toValue(item, [...path, index], refuse));
  return value instanceof GoMap ? toDict(value, path, refuse) : value;
}

function toDict(value: GoMap, path: Path, refuse: (path: Path, message: string) => void): Dict {
  const out = dict();
  for (const [key, member] of value) {
    if (typeof key === 'string') out[key] = toValue(member, [...path, key], refuse);
    else refuse(path, `keys must be text, found ${String(key)}; put it in quotes`);
  }
  return out;
}

/** As Go prints a `time.Time`: `2024-01-31 10:20:30 +0000 UTC`, an offset twice. */
function printTime(time: GoYamlTime): string {
  const [, date, clock, zone = 'Z'] = /^(.*)T([^Z+-]*)(.*)$/.exec(time.toString()) ?? [];
  const offset = zone.replace(':', '');
  return `${date} ${clock} ${zone === 'Z' ? '+0000 UTC' : `${offset} ${offset}`}`;
}

function mergeTags(node: YamlNode, path: Path = [], found = new Map<string, MergeTag>()): Map<string, MergeTag> {
  if (node.kind !== 'mapping') return found;
  for (const { key, value } of entriesOf(node)) {
    const at = [...path, key];
    if (value.tag === '!reset') found.set(tagKey(at), 'reset');
    else if (value.tag === '!override') found.set(tagKey(at), 'override');
    mergeTags(value, at, found);
  }
  return found;
}

/** Where the key or list item at the end of a path stands; as near to it as the nodes go. */
function locate(root: YamlNode | undefined, path: Path): Place & { depth: number } {
  let node = root;
  let found: YamlNode | undefined;
  let depth = 0;
  for (const part of path) {
    const step: { at: YamlNode; value: YamlNode } | undefined = node && stepInto(node, part);
    if (!step) break;
    depth++;
    found = step.at;
    node = step.value;
  }
  return found ? { line: found.line, column: found.column, depth } : { depth };
}

function stepInto(from: YamlNode, part: string | number): { at: YamlNode; value: YamlNode } | undefined {
  const node = dealias(from);
  if (node.kind === 'sequence' && typeof part === 'number') {
    const item = node.items[part];
    return item && { at: item, value: item };
  }
  if (node.kind !== 'mapping') return undefined;
  const entry = entriesOf(node).find(({ key }) => key === part);
  return entry && { at: entry.keyNode, value: entry.value };
}
