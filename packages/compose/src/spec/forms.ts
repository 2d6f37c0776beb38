import type { Path, Problems } from '../problems.ts';
import { type Dict, dict, exactInt, GoFloat, isDict, printValue, type Value } from '../value.ts';

/** Where the parts of one service stand, and what its relative paths mean. */
export interface ServicePlace {
  readonly path: Path;
  readonly problems: Problems;
  /** A path of the file as one that starts at the reader's root. */
  rooted(path: string): string;
  /** A path of the file as one that starts at the folder of the first file, with `./` or `../` in front. */
  relative(path: string): string;
}

/** Whether a value is a list of texts; a list of anything else stays, for the check of the whole document. */
function isTexts(value: Value): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** `["a=1", "b"]` as `{a: "1", b: null}`; anything else as it is. */
export function toMapping(value: Value): Value {
  if (!isTexts(value)) return value;
  const out = dict();
  for (const text of value) {
    const at = text.indexOf('=');
    out[at < 0 ? text : text.slice(0, at)] = at < 0 ? null : text.slice(at + 1);
  }
  return out;
}

/** A single item as a list of it. */
export function toList(value: Value): Value {
  return value === null || Array.isArray(value) ? value : [value];
}

/** `["a"]` as `{a: member}`. */
export function toMembers(value: Value, member: () => Value): Value {
  if (!isTexts(value)) return value;
  const out = dict();
  for (const item of value) out[item] = member();
  return out;
}

/** Numbers as the texts they are written as; anything else as it is. */
export function toText(value: Value): Value {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof GoFloat ? printValue(value) : value;
}

/** A file mode: a text is octal, a number what YAML made of it. */
export function toMode(value: Value): Value {
  return typeof value === 'string' && /^0?o?[0-7]{1,4}$/.test(value) ? exactInt(BigInt(Number.parseInt(value.replace('o', ''), 8))) : value;
}

/** Replaces a member of a mapping if it is there. */
export function change(from: Dict, key: string, to: (value: Value) => Value): void {
  const value = from[key];
  if (value !== undefined && value !== null) from[key] = to(value);
}

/** Takes a member out of a mapping; undefined when it is missing or null. */
export function take(from: Dict, key: string): Exclude<Value, null> | undefined {
  const value = from[key] ?? undefined;
  delete from[key];
  return value;
}

/** Says which keys of a mapping are none of those that may stand there. */
export function refuseUnknown(from: Dict, known: readonly string[], path: Path, problems: Problems): void {
  for (const key of Object.keys(from))
    if (!known.includes(key) && !key.startsWith('x-'))
      problems.add([...path, key], `unknown key ${JSON.stringify(key)}; known here: ${known.join(', ')}`);
}

/** The nested mapping of that name, made when it is missing. */
export function nested(from: Dict, key: string): Dict {
  const value = from[key];
  if (isDict(value)) return value;
  const made = dict();
  from[key] = made;
  return made;
}

/** A copy of plain data, so that what is changed is nobody else's: aliases share their mappings. */
export function copy(value: Value): Value {
  if (Array.isArray(value)) return value.map(copy);
  if (!isDict(value)) return value;
  const out = dict();
  for (const [key, member] of Object.entries(value)) out[key] = copy(member);
  return out;
}
