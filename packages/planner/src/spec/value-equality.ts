/**
 * Equality as the daemon sees it: what Go leaves out of its JSON (nil, "", 0, false, an empty list or map) is one value.
 * Written without serialising anything, since every tick compares every service of a swarm.
 */
export function isZero(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const member of Object.values(value)) if (!isZero(member)) return false;
  return true;
}

/** Deep equality in which a missing value equals its zero; lists are compared in order. */
export function sameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return isZero(left) && isZero(right);
  if (Array.isArray(left) || Array.isArray(right)) return sameList(left, right);
  return sameMembers(left, right);
}

function sameList(left: object, right: object): boolean {
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return isZero(left) && isZero(right);
  return left.every((item, index) => sameValue(item, right[index]));
}

function sameMembers(left: object, right: object): boolean {
  const other = new Map<string, unknown>(Object.entries(right));
  for (const [key, value] of Object.entries(left)) {
    if (!sameValue(value, other.get(key))) return false;
    other.delete(key);
  }
  for (const rest of other.values()) if (!isZero(rest)) return false;
  return true;
}

/** The same texts whatever their order; nil is the empty list. */
export function sameSet(left: readonly string[] | null | undefined, right: readonly string[] | null | undefined): boolean {
  const a = left ?? [];
  const b = right ?? [];
  if (a.length !== b.length) return false;
  if (a.every((text, index) => text === b[index])) return true;
  const sorted = [...b].sort();
  return [...a].sort().every((text, index) => text === sorted[index]);
}

type TextMap = Readonly<Record<string, string>> | null | undefined;

/** The same keys and texts; nil is the empty map, an empty text is not a missing key. Keys in `except` are left out. */
export function sameMap(left: TextMap, right: TextMap, except?: ReadonlySet<string>): boolean {
  if (left === right) return true;
  const other = new Map<string, string>(Object.entries(right ?? {}));
  for (const key of except ?? []) other.delete(key);
  for (const [key, text] of Object.entries(left ?? {})) {
    if (except?.has(key)) continue;
    if (other.get(key) !== text) return false;
    other.delete(key);
  }
  return other.size === 0;
}
