import { cleanPath } from '@hivekeep/application';
import { type ComposeDocument, parseEnvFile } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import { toPlain } from '@hivekeep/goyaml';
import { readManifestDocument } from '../manifest/manifest-view.ts';

export interface RecordedManifest {
  /** The release's name, which is its stack. */
  readonly stack: string;
  readonly manifest: string;
  /** Contents by path from the chart's root, base64; absent when the names alone are wanted, as for evidence. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

export interface Deployable {
  /** The manifest without references to files: what is converted to swarm objects, as of a chart (`$$` is a dollar). */
  readonly document: ComposeDocument;
  /** Contents of configs by the name of the swarm object, base64. */
  readonly contents: Readonly<Record<string, string>>;
}

type Dict = Record<string, unknown>;

/**
 * Puts the recorded files of a chart's manifest where it refers to them: env files into `environment`, contents of configs beside the
 * document. Throws `chart/invalid` when a file is not among them, `yaml/invalid` when the manifest is no YAML.
 */
export function deployable({ stack, manifest, files }: RecordedManifest): Deployable {
  const document = toPlain(readManifestDocument(manifest)) as Dict; // a manifest is a mapping
  const contents: Record<string, string> = Object.create(null);
  const inlined = mapValues(document, (section, key) => {
    if (key === 'configs') return mapValues(section, (entry, name) => withoutFile(entry, stack, name, files, contents));
    if (key === 'secrets') return mapValues(section, (entry) => (isDict(entry) ? without(entry, 'file') : entry));
    return key === 'services' ? mapValues(section, (entry, name) => withEnvironment(entry, name, files)) : section;
  });
  return { document: inlined as Dict, contents }; // made of a mapping
}

function withoutFile(
  entry: unknown,
  stack: string,
  key: string,
  files: RecordedManifest['files'],
  contents: Record<string, string>,
): unknown {
  if (!isDict(entry) || typeof entry.file !== 'string') return entry;
  const name = typeof entry.name === 'string' && entry.name !== '' ? entry.name : `${stack}_${key}`;
  if (files) contents[name.replaceAll('$$', '$')] = contentOf(entry.file, files, `configs.${key}.file`);
  return without(entry, 'file');
}

/** Env files in their order, `environment` over them. Dollars of an env file are dollars: in a manifest they are doubled. */
function withEnvironment(service: unknown, name: string, files: RecordedManifest['files']): unknown {
  if (!isDict(service) || service.env_file === undefined || service.env_file === null) return service;
  const paths = (Array.isArray(service.env_file) ? service.env_file : [service.env_file]).filter((path) => typeof path === 'string');
  const environment: Record<string, unknown> = Object.create(null);
  for (const path of files ? paths : []) {
    const lines = parseEnvFile(Buffer.from(contentOf(path, files ?? {}, `services.${name}.env_file`), 'base64'));
    if ('error' in lines) throw new HivekeepError('chart/invalid', `${path}:${lines.line}: ${lines.error}`);
    for (const [variable, value] of lines) environment[variable] = value?.replaceAll('$', '$$$$') ?? null;
  }
  return { ...without(service, 'env_file'), environment: Object.assign(environment, variablesOf(service.environment)) };
}

function variablesOf(environment: unknown): Dict {
  if (isDict(environment)) return environment;
  const lines = (Array.isArray(environment) ? environment : []).filter((line) => typeof line === 'string');
  return Object.fromEntries(lines.map((line) => [line.split('=', 1)[0], line.includes('=') ? line.slice(line.indexOf('=') + 1) : null]));
}

function contentOf(path: string, files: Readonly<Record<string, string>>, key: string): string {
  const clean = cleanPath(path);
  const content = Object.hasOwn(files, clean) ? files[clean] : undefined;
  if (content !== undefined) return content;
  throw new HivekeepError('chart/invalid', `${key}: the file ${JSON.stringify(path)} is not among those of the release`);
}

function mapValues(value: unknown, change: (member: unknown, key: string) => unknown): unknown {
  if (!isDict(value)) return value;
  const changed: Dict = Object.create(null);
  for (const [key, member] of Object.entries(value)) changed[key] = change(member, key);
  return changed;
}

function without(entry: Dict, key: string): Dict {
  const { [key]: _, ...rest } = entry;
  return rest;
}

function isDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
