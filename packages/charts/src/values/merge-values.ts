import { GoMap, type GoValue } from '@hivekeep/goyaml';

/**
 * `over` laid on `base`: mappings merge key by key, everything else replaces, a null and a list too. A mapping with a key that is no
 * text is of another type in Go and replaces whole. Neither argument is changed.
 */
export function mergeValues(base: GoMap, over: GoMap): GoMap {
  const merged = new GoMap(base);
  for (const [key, value] of over) {
    const below = merged.get(key);
    merged.set(key, isMergeable(below) && isMergeable(value) ? mergeValues(below, value) : value);
  }
  return merged;
}

function isMergeable(value: GoValue | undefined): value is GoMap {
  return value instanceof GoMap && !value.anyKeys;
}

/** A copy that can be changed. */
export function copyValues(values: GoMap): GoMap {
  return new GoMap(
    [...values].map(([key, value]) => [key, copyValue(value)] as const),
    values.anyKeys,
  );
}

function copyValue(value: GoValue): GoValue {
  if (Array.isArray(value)) return value.map(copyValue);
  return value instanceof GoMap ? copyValues(value) : value;
}
