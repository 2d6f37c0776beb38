import { decodeModel } from '../decode/decode-definitions.ts';
import { Fields } from '../decode/fields.ts';
import { type EnvLine, parseEnvFile } from '../load/env-file.ts';
import type { Environment } from '../load/interpolate.ts';
import type { LoadedModel, LoadRequest } from '../load/load-model.ts';
import { folderOf } from '../load/paths.ts';
import { resolveBinds } from '../load/resolve-binds.ts';
import { SourceFiles } from '../load/source-files.ts';
import { dropZeros } from '../merge/drop-zeros.ts';
import { lastOf, type Path, type Problems } from '../problems.ts';
import { SPECIFICATION } from '../schema/rule.ts';
import { specFile } from '../schema/spec-rules.ts';
import { validate } from '../schema/validate.ts';
import { type Dict, dict, isDict, member, printValue, type Value } from '../value.ts';
import { parseDotEnv } from './dotenv.ts';
import { take } from './forms.ts';
import { ProjectReader } from './project.ts';
import { selectServices } from './select-services.ts';

/** Reads files by today's compose specification, as far as a swarm can do what they say. */
export async function loadSpecModel(request: LoadRequest): Promise<LoadedModel> {
  const files = new SourceFiles(request.reader);
  const folder = folderOf(request.files[0] ?? '');
  const reader = new ProjectReader(files, folder, request.problems);
  const document = await reader.read({ files: request.files, folder, env: request.env, behind: [] });
  const problems = request.problems.at(lastOf(reader.locators));
  problems.refuse();
  takeHead(document, request.stack, problems);
  selectServices(document, request.env, problems);
  await resolveEnvironments(document, files, request.env, problems);
  await resolveLabels(document, files, request.env, problems);
  const contents = {
    configs: await takeContents(document, 'configs', files, request.env, problems),
    secrets: await takeContents(document, 'secrets', files, request.env, problems),
  };
  validate(document, specFile, SPECIFICATION, [], problems);
  problems.refuse();
  const model = dropZeros(decodeModel(new Fields(document, [], problems), SPECIFICATION, 'spec'));
  for (const [name, service] of Object.entries(model.services))
    if (service.volumes)
      service.volumes = resolveBinds(
        service.volumes,
        { env: request.env, workingDir: request.workingDir },
        ['services', name, 'volumes'],
        problems,
      );
  problems.refuse();
  return { model, ...contents, reads: files.reads, problems };
}

/** `version` means nothing here, and the stack's name is not the file's to give. */
function takeHead(document: Dict, stack: string, problems: Problems): void {
  if (take(document, 'version') !== undefined)
    problems.warn('version-obsolete', ['version'], 'version is ignored: the compose specification has none');
  const name = take(document, 'name');
  if (name !== undefined && name !== stack)
    problems.warn('stack-name', ['name'], `the name ${printValue(name)} is ignored: the stack is named ${stack}`);
}

async function resolveEnvironments(document: Dict, files: SourceFiles, env: Environment, problems: Problems): Promise<void> {
  for (const [name, service] of members(document, 'services')) {
    const envFiles = take(service, 'env_file');
    const path = ['services', name, 'env_file'];
    const out = dict();
    for (const [index, file] of (Array.isArray(envFiles) ? envFiles : []).entries())
      if (isDict(file)) Object.assign(out, await readEnvFile(file, [...path, index], files, env, problems));
    const own = service.environment ?? dict();
    if (!isDict(own)) continue;
    for (const [key, value] of Object.entries(own)) {
      const resolved = value === null ? member(env, key) : value;
      if (resolved !== undefined) out[key] = resolved;
      else problems.warn('unset-variable', ['services', name, 'environment', key], `the variable ${key} has no value; it is left out`);
    }
    if (Object.keys(out).length > 0) service.environment = out;
    else delete service.environment;
  }
}

/** Labels of the files that `label_file` names, under those that `labels` states. */
async function resolveLabels(document: Dict, files: SourceFiles, env: Environment, problems: Problems): Promise<void> {
  for (const [name, service] of members(document, 'services')) {
    const labelFiles = take(service, 'label_file');
    if (!Array.isArray(labelFiles)) continue;
    const out = dict();
    for (const [index, file] of labelFiles.entries()) {
      const path = ['services', name, 'label_file', index];
      const lines = await readLines(printValue(file), path, files, problems, (bytes) => parseDotEnv(new TextDecoder().decode(bytes), env));
      for (const [label, value] of lines) out[label] = value ?? '';
    }
    const own = service.labels ?? dict();
    if (isDict(own)) service.labels = Object.assign(out, own);
  }
}

async function readLines(
  at: string,
  path: Path,
  files: SourceFiles,
  problems: Problems,
  parse: (bytes: Uint8Array) => ReturnType<typeof parseDotEnv>,
  required = true,
): Promise<readonly EnvLine[]> {
  const bytes = await files.read(at, path, problems, required);
  const lines = bytes ? parse(bytes) : [];
  if (Array.isArray(lines)) return lines;
  problems.add(path, `${at}:${lines.line}: ${lines.error}`);
  return [];
}

async function readEnvFile(file: Dict, path: Path, files: SourceFiles, env: Environment, problems: Problems): Promise<Dict> {
  const at = printValue(file.path ?? null);
  const parse = (bytes: Uint8Array) => (file.format === 'raw' ? parseEnvFile(bytes) : parseDotEnv(new TextDecoder().decode(bytes), env));
  const lines = await readLines(at, path, files, problems, parse, file.required !== false);
  const out = dict();
  for (const [name, value] of lines) {
    const resolved = value ?? member(env, name);
    if (resolved !== undefined) out[name] = resolved;
    else problems.warn('unset-variable', path, `the variable ${name} of ${at} has no value; it is left out`);
  }
  return out;
}

/** Contents of configs or secrets by key, taken out of the document: `file`, `content`, or a declared variable. */
async function takeContents(
  document: Dict,
  section: 'configs' | 'secrets',
  files: SourceFiles,
  env: Environment,
  problems: Problems,
): Promise<Map<string, Uint8Array>> {
  const out = new Map<string, Uint8Array>();
  for (const [key, object] of members(document, section)) {
    if (object.external || object.driver) continue;
    const path = [section, key];
    const content = take(object, 'content');
    const variable = take(object, 'environment');
    const bytes = await contentOf({ file: take(object, 'file'), content, variable, section }, path, { files, env, problems });
    if (bytes) out.set(key, bytes);
  }
  return out;
}

interface ContentSource {
  readonly file: Value | undefined;
  readonly content: Value | undefined;
  readonly variable: Value | undefined;
  readonly section: 'configs' | 'secrets';
}

async function contentOf(
  { file, content, variable, section }: ContentSource,
  path: Path,
  { files, env, problems }: { files: SourceFiles; env: Environment; problems: Problems },
): Promise<Uint8Array | undefined> {
  const given = [file, content, variable].filter((source) => source !== undefined);
  if (given.length !== 1 || typeof given[0] !== 'string' || (content !== undefined && section === 'secrets')) {
    const ways = section === 'configs' ? 'file, content or environment' : 'file or environment';
    problems.add(path, `expected one of ${ways}, or external: true`);
    return undefined;
  }
  if (typeof file === 'string') return files.read(file, [...path, 'file'], problems);
  if (typeof content === 'string') return new TextEncoder().encode(content);
  const value = typeof variable === 'string' ? member(env, variable) : undefined;
  if (value !== undefined) return new TextEncoder().encode(value);
  problems.add(
    [...path, 'environment'],
    `the variable ${printValue(variable ?? null)} is not declared; only declared values are read, never the environment of a process`,
  );
  return undefined;
}

function members(document: Dict, section: string): [string, Dict][] {
  const value = member(document, section);
  if (!isDict(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, Dict] => isDict(entry[1]));
}
