import type { MergeTag } from '../load/read-yaml.ts';
import { tagKey } from '../load/read-yaml.ts';
import type { Path } from '../problems.ts';
import { identity } from '../schema/describe.ts';
import { type Dict, dict, isDict, type Value } from '../value.ts';

/** Texts and lists that a later file replaces whole; the last parts of a service's path. */
const REPLACED = new Set(['command', 'entrypoint', 'healthcheck.test']);
/** What makes two items of a service's list the same one. */
const IDENTITIES = new Map([
  ['ports', ['host_ip', 'target', 'published', 'protocol']],
  ['volumes', ['target']],
  ['secrets', ['source', 'target']],
  ['configs', ['source', 'target']],
  ['env_file', ['path']],
]);
/** Mappings in which null is a value. */
const NULLABLE = new Set(['environment']);

/**
 * Two documents in long forms as one, by the rules of the compose specification: mappings are merged, lists joined, commands
 * and texts replaced; `!reset` takes away what is there, `!override` replaces it. `path` is where both stand in their files.
 */
export function mergeDocuments(base: Dict, override: Dict, tags: ReadonlyMap<string, MergeTag>, path: Path = []): Dict {
  const merged = Object.assign(dict(), base);
  for (const [key, value] of Object.entries(override)) {
    const at = [...path, key];
    const tag = tags.get(tagKey(at));
    if (tag === 'reset') delete merged[key];
    else if (tag === 'override' || !Object.hasOwn(merged, key)) merged[key] = value;
    else merged[key] = mergeValue(merged[key] ?? null, value, tags, at);
  }
  return merged;
}

function mergeValue(base: Value, override: Value, tags: ReadonlyMap<string, MergeTag>, path: Path): Value {
  if (override === null) return NULLABLE.has(String(path.at(-2))) ? null : base;
  if (REPLACED.has(path.slice(2).join('.'))) return override;
  if (isDict(base) && isDict(override))
    return differentDriver(base, override, path) ? override : mergeDocuments(base, override, tags, path);
  if (Array.isArray(base) && Array.isArray(override))
    return mergeLists(base, override, path.length === 3 ? IDENTITIES.get(String(path[2])) : undefined);
  return override;
}

/** Options belong to their logging driver. */
function differentDriver(base: Dict, override: Dict, path: Path): boolean {
  return path.length === 3 && path[2] === 'logging' && Boolean(base.driver && override.driver) && base.driver !== override.driver;
}

/** A later item takes the place of the same one; others are added behind. */
function mergeLists(base: readonly Value[], override: readonly Value[], keys: readonly string[] | undefined): Value[] {
  const merged = new Map<string, Value>();
  for (const item of [...base, ...override]) merged.set(identityOf(item, keys), item);
  return [...merged.values()];
}

function identityOf(item: Value, keys: readonly string[] | undefined): string {
  return keys && isDict(item) ? JSON.stringify(keys.map((key) => identity(item[key] ?? null))) : identity(item);
}
