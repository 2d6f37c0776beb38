import { cleanPath } from '@hivekeep/application';
import { parseEnvFile } from '@hivekeep/compose';
import type { Issue } from '@hivekeep/contracts';
import { GoMap, type GoValue, keyText } from '@hivekeep/goyaml';
import { fileReferences } from './file-references.ts';
import { memberOf, sectionOf } from './manifest-view.ts';

/** Variables the docker CLI reads itself: other engines of the format can't deploy them empty. Source: the chart format. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'TMPDIR', 'SSH_AUTH_SOCK', 'DOCKER_HOST', 'DOCKER_CONFIG', 'DOCKER_CONTEXT', 'DOCKER_CERT_PATH'],
  ...['DOCKER_TLS_VERIFY', 'DOCKER_TLS', 'DOCKER_API_VERSION', 'DOCKER_DEFAULT_PLATFORM', 'DOCKER_CUSTOM_HEADERS'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...['USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'SYSTEMROOT', 'TEMP', 'TMP', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES'],
]);

export interface EnvironmentReport {
  /** Names of variables that a manifest deploys empty, sorted: no environment around may fill them. */
  readonly empty: readonly string[];
  readonly issues: readonly Issue[];
}

/** Looks through the environment of every service and every env file. `files`: what the manifest refers to, by path. */
export function checkEnvironment(document: GoMap, files: ReadonlyMap<string, Uint8Array> | null): EnvironmentReport {
  const issues: Issue[] = [];
  const empty = new Set<string>();
  const note = (name: string, path: string): void => {
    empty.add(name);
    if (RESERVED.has(name.toUpperCase()))
      issues.push({ path, rule: 'environment', message: `${name} is empty, and the docker CLI reads it; give it a value or leave it out` });
  };
  for (const [service, entry] of sectionOf(document, 'services')) {
    const path = `services.${service}.environment`;
    for (const name of emptyNames(memberOf(entry, 'environment'))) note(name, path);
  }
  for (const { kind, key, path } of fileReferences(document)) {
    if (kind !== 'env_file') continue;
    const content = files?.get(cleanPath(path));
    if (content) readEnvFile(path, key, content, note, issues);
  }
  return { empty: [...empty].sort(), issues };
}

function emptyNames(environment: GoValue | undefined): string[] {
  if (environment instanceof GoMap)
    return [...environment].filter(([, value]) => value === null || value === '').map(([name]) => keyText(name));
  if (!Array.isArray(environment)) return [];
  return environment.filter((line) => typeof line === 'string').flatMap((line) => /^([^=]+)=?$/.exec(line)?.[1] ?? []);
}

function readEnvFile(file: string, key: string, content: Uint8Array, note: (name: string, path: string) => void, issues: Issue[]): void {
  const lines = parseEnvFile(content);
  if ('error' in lines) {
    issues.push({ file, line: lines.line, path: key, rule: 'env-file', message: lines.error });
    return;
  }
  for (const [name, value] of lines) {
    if (value === '') note(name, key);
    if (value === null)
      issues.push({ file, path: key, rule: 'env-file', message: `${name} has no =; nothing around a chart gives it a value` });
  }
}
