import { decodeValues, GoMap, type GoValue, keyText } from '@hivekeep/goyaml';

/** The document of a manifest. Throws `yaml/invalid` with its place when it is none. */
export function readManifestDocument(manifest: string, file = 'manifest'): GoMap {
  return decodeValues(manifest, { file });
}

/** Entries of a top-level section such as `services`, by name; none when it is absent or has another shape. */
export function sectionOf(document: GoMap, section: string): [name: string, entry: GoValue][] {
  const value = document.get(section);
  if (!(value instanceof GoMap)) return [];
  return [...value].map(([key, entry]): [string, GoValue] => [keyText(key), entry]).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** A member of a mapping; undefined when there is none, and for what is no mapping. */
export function memberOf(value: GoValue | undefined, key: string): GoValue | undefined {
  return value instanceof GoMap ? value.get(key) : undefined;
}
