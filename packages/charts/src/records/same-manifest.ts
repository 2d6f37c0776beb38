import { decode, fromPlain, GoBytes, GoMap, GoTime, type GoValue } from '@hivekeep/goyaml';

/** Whether two manifests say the same: compared as what they hold, never as text. One that can't be read equals only itself. */
export function sameManifest(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return sameValue(decode(a), decode(b));
  } catch {
    return false;
  }
}

/** Whether two sets of values are the same as YAML keeps them: `1.0` is written `1`, and none is an empty mapping. */
export function sameValues(a: unknown, b: unknown): boolean {
  return sameValue(fromPlain(a ?? {}), fromPlain(b ?? {}));
}

function sameValue(a: GoValue, b: GoValue): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i] as GoValue));
  if (a instanceof GoMap) return b instanceof GoMap && sameMap(a, b);
  if (a instanceof GoTime) return b instanceof GoTime && a.nanoseconds === b.nanoseconds && a.offset === b.offset;
  if (a instanceof GoBytes) return b instanceof GoBytes && Buffer.compare(a.bytes, b.bytes) === 0;
  if (isNumber(a) && isNumber(b)) return a === b || (typeof a !== typeof b && Number(a) === Number(b));
  return a === b;
}

function sameMap(a: GoMap, b: GoMap): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([key, value]) => {
    const other = b.get(key);
    return other !== undefined && sameValue(value, other);
  });
}

function isNumber(value: GoValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
