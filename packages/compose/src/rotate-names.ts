import { createHash } from 'node:crypto';
import type { SecretReference } from '@hivekeep/contracts';
import type { ComposeDocument, LoadedStack, RotatedStack, RotateOptions } from './api.ts';
import { scopedName } from './convert/scope.ts';
import { isDict, record } from './value.ts';

const MAX_NAME = 64;
const HASH_LENGTH = 12;

/**
 * Gives configs and secrets that have a content and no fixed `name:` a name that changes with the content, and takes the
 * contents out of the document. The manifest is never interpolated again: a `$` in it is a dollar.
 */
export function rotateNames(loaded: LoadedStack, options: RotateOptions): RotatedStack {
  const files: Record<string, string> = record();
  const secretContents = new Map<string, Uint8Array>();
  const secrets: SecretReference[] = [];
  const configs = rotateSection(loaded.document.configs, (key, entry) => {
    const content = loaded.configs.get(key);
    if (!content) return undefined;
    const name = fixedName(entry) ?? hashedName(options.stack, key, configHash(content, entry));
    files[name] = Buffer.from(content).toString('base64');
    return name;
  });
  const secretSection = rotateSection(loaded.document.secrets, (key, entry) => {
    const content = loaded.secrets.get(key);
    if (!content) return undefined;
    const digest = options.secretDigest(scopedName(options.stack, key), content);
    const name = fixedName(entry) ?? hashedName(options.stack, key, digest);
    secretContents.set(name, content);
    secrets.push({ name, digest });
    return name;
  });
  const manifest: ComposeDocument = record(Object.entries(loaded.document));
  if (configs) manifest.configs = configs;
  if (secretSection) manifest.secrets = secretSection;
  return { manifest, files, secrets, secretContents };
}

type NameOf = (key: string, entry: Record<string, unknown>) => string | undefined;

/** A section with each entry that has a content named by it, and without `file`; the other entries stay. */
function rotateSection(section: unknown, nameOf: NameOf): Record<string, unknown> | undefined {
  if (!isDict(section)) return undefined;
  return record(
    Object.entries(section).map(([key, entry]) => {
      const name = isDict(entry) ? nameOf(key, entry) : undefined;
      if (name === undefined || !isDict(entry)) return [key, entry];
      const { file: _file, content: _content, ...rest } = entry;
      return [key, record(Object.entries({ ...rest, name }))];
    }),
  );
}

function fixedName(entry: Record<string, unknown>): string | undefined {
  return typeof entry.name === 'string' && entry.name !== '' ? entry.name : undefined;
}

/** Lengths stand before the parts, so that no two pairs of content and driver give the same bytes. */
function configHash(content: Uint8Array, entry: Record<string, unknown>): string {
  const driver = typeof entry.template_driver === 'string' ? entry.template_driver : '';
  return createHash('sha256').update(`${content.length}:`).update(content).update(driver).digest('hex');
}

function hashedName(stack: string, key: string, hash: string): string {
  const suffix = `-${hash.slice(0, HASH_LENGTH)}`;
  return `${scopedName(stack, key).slice(0, MAX_NAME - suffix.length)}${suffix}`;
}
