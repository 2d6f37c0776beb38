import { decodeNodes, GoMap, type GoValue, keyText, nodeValue, type YamlNode, yamlFailure } from '@hivekeep/goyaml';

/** A manifest that was read once: its nodes, which know how something is written, and what they mean. */
export interface ManifestView {
  readonly root: YamlNode;
  readonly document: GoMap;
}

/** Reads a manifest. Throws `yaml/invalid` with its place when it is no YAML, holds a key twice, or is no mapping. */
export function viewManifest(manifest: string, file = 'manifest'): ManifestView {
  const root = decodeNodes(manifest, { file });
  const document = root && nodeValue(root, { file });
  if (root && document instanceof GoMap) return { root, document };
  throw yamlFailure('expected a mapping with services', root ?? { line: 1, column: 1 }, file);
}

/** The document of a manifest. Throws as `viewManifest`. */
export function readManifestDocument(manifest: string): GoMap {
  return viewManifest(manifest).document;
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
