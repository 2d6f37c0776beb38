import { canonicalJson } from '@hivekeep/contracts';
import { decode, encode, fromPlain, toPlain } from '@hivekeep/goyaml';
import type { ComposeDocument } from './api.ts';
import { composeError } from './problems.ts';
import { isDict } from './value.ts';

/**
 * A manifest as YAML. yaml.v3's writer, whose format this is, loses line ends at the beginning of some texts; a manifest
 * that does not read back as it is becomes JSON, which is YAML too. Equal manifests give equal texts.
 */
export function writeManifest(manifest: ComposeDocument): string {
  const text = encode(fromPlain(manifest));
  return canonicalJson(readBack(text)) === canonicalJson(manifest) ? text : `${canonicalJson(manifest)}\n`;
}

/** The document of a manifest. Throws `yaml/invalid` when it is no YAML, `compose/invalid` when it is no mapping. */
export function readManifest(text: string): ComposeDocument {
  const document = toPlain(decode(text));
  if (isDict(document)) return document;
  throw composeError([{ message: 'expected a manifest with a mapping at its top' }]);
}

function readBack(text: string): unknown {
  try {
    return toPlain(decode(text));
  } catch {
    return undefined;
  }
}
