import { cleanPath } from '@hivekeep/application';
import { HivekeepError, type Issue } from '@hivekeep/contracts';
import type { GoMap } from '@hivekeep/goyaml';
import { parseValuePath, valueAtPath } from '../values/value-path.ts';
import { memberOf, readManifestDocument, sectionOf } from './manifest-view.ts';

/** A path that a manifest names, and the key that names it. */
export interface FileReference {
  readonly kind: 'config' | 'secret' | 'env_file';
  /** `configs.site.file`, `services.web.env_file`. */
  readonly key: string;
  readonly path: string;
}

export interface ResolvedFiles {
  /** Contents by path from the chart's root, only those referred to; null when nothing is. */
  readonly files: ReadonlyMap<string, Uint8Array> | null;
  /** Paths that may not be read or are not there, in the order of the keys. */
  readonly issues: readonly Issue[];
}

export interface FileSource {
  /** The chart's files. */
  readonly files: ReadonlyMap<string, Uint8Array> | null;
  /** The values it was rendered with, for `values/…` paths. */
  readonly values: GoMap;
}

/** Every path of configs, secrets and env files, each section by name. Entries of another shape name none. */
export function fileReferences(document: GoMap): FileReference[] {
  const single = (section: string, kind: FileReference['kind']): FileReference[] =>
    sectionOf(document, section).flatMap(([name, entry]) => {
      const path = memberOf(entry, 'file');
      return typeof path === 'string' ? [{ kind, key: `${section}.${name}.file`, path }] : [];
    });
  const envFiles = sectionOf(document, 'services').flatMap(([name, service]) => {
    const value = memberOf(service, 'env_file');
    const paths = Array.isArray(value) ? value : [value];
    return paths
      .filter((path) => typeof path === 'string')
      .map((path): FileReference => ({ kind: 'env_file', key: `services.${name}.env_file`, path }));
  });
  return [...single('configs', 'config'), ...single('secrets', 'secret'), ...envFiles];
}

/** Reads what a manifest refers to, out of the chart alone; the same rule for charts of any origin. */
export function resolveFiles(document: GoMap, source: FileSource): ResolvedFiles {
  const files = new Map<string, Uint8Array>();
  const issues: Issue[] = [];
  for (const reference of fileReferences(document)) {
    const found = resolveOne(reference, source);
    if ('content' in found) files.set(cleanPath(reference.path), found.content);
    else issues.push({ path: reference.key, rule: 'file-reference', message: `${JSON.stringify(reference.path)} ${found.problem}` });
  }
  return { files: files.size > 0 ? files : null, issues };
}

type Found = { readonly content: Uint8Array } | { readonly problem: string };

function resolveOne(reference: FileReference, source: FileSource): Found {
  const { path } = reference;
  if (path.includes('$')) return { problem: 'holds a variable; a chart knows its paths when it is rendered' };
  if (path.startsWith('/')) return { problem: "is absolute; a manifest reads its chart's own files alone, under files/" };
  const clean = cleanPath(path);
  if (clean === '..' || clean.startsWith('../')) return { problem: 'leads out of the chart' };
  if (clean.startsWith('values/')) return contentOfValue(reference, clean.slice('values/'.length), source.values);
  if (!clean.startsWith('files/')) return { problem: `is not under files/; put the file there and write files/${clean}` };
  const content = source.files?.get(clean);
  return content ? { content } : { problem: 'is not in the chart' };
}

function contentOfValue({ kind }: FileReference, path: string, values: GoMap): Found {
  if (kind !== 'config') return { problem: 'is a value; only a config can be made of one' };
  try {
    const value = valueAtPath(values, parseValuePath(path));
    if (typeof value === 'string' && value !== '') return { content: Buffer.from(value, 'utf8') };
    return { problem: `names the value ${path}, which must be a text that is not empty` };
  } catch (error) {
    if (!HivekeepError.is(error, 'usage/invalid')) throw error;
    return { problem: `names no value: ${error.message}` };
  }
}

/**
 * Secrets whose content stands in the chart. A release record would hold it, which everyone reads who may read configs: such a manifest
 * is refused where it is built for a swarm.
 */
export function secretFileProblems(manifest: string): Issue[] {
  return fileReferences(readManifestDocument(manifest))
    .filter(({ kind }) => kind === 'secret')
    .map(({ key }) => ({
      path: key,
      rule: 'secret-file',
      message: `${key}: a secret in a chart is none, its content would be recorded; make it external`,
    }));
}
