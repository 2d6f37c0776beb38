import { type Dialect, HivekeepError, type Issue } from '@hivekeep/contracts';
import type { FileReader } from '../api.ts';
import { convertModel } from '../convert/convert-model.ts';
import { decodeModel } from '../decode/decode-definitions.ts';
import { Fields } from '../decode/fields.ts';
import { reportMistakes } from '../lint/report-mistakes.ts';
import { dropZeros } from '../merge/drop-zeros.ts';
import { type FileModel, mergeModels } from '../merge/merge-models.ts';
import type { FileObject, Model, Service } from '../model.ts';
import { composeError, lastOf, type Path, Problems } from '../problems.ts';
import { composeFile } from '../schema/compose-rules.ts';
import { warnOfIgnoredKeys } from '../schema/swarm-keys.ts';
import { validate } from '../schema/validate.ts';
import { loadSpecModel } from '../spec/load-spec.ts';
import { concernsFiles } from '../spec/project.ts';
import { type Dict, isDict } from '../value.ts';
import { type EnvLine, parseEnvFile } from './env-file.ts';
import { type Environment, interpolate } from './interpolate.ts';
import { folderOf, joinPath } from './paths.ts';
import { LATER_DOCUMENTS, readYaml, type YamlDocument } from './read-yaml.ts';
import { resolveBinds } from './resolve-binds.ts';
import { resolveEnvironment } from './resolve-environment.ts';
import { SourceFiles } from './source-files.ts';
import { statedVersion } from './version.ts';

export interface LoadRequest {
  readonly files: readonly string[];
  readonly reader: FileReader;
  readonly env: Environment;
  readonly stack: string;
  readonly dialect: Dialect;
  /** Folder that relative bind sources start at; without it they stay relative. */
  readonly workingDir?: string;
  /** Where to say what is wrong and odd. */
  readonly problems: Problems;
}

export interface LoadedModel {
  readonly model: Model;
  readonly configs: ReadonlyMap<string, Uint8Array>;
  readonly secrets: ReadonlyMap<string, Uint8Array>;
  readonly reads: readonly string[];
  /** Those of the request, with places in the files that were read. */
  readonly problems: Problems;
}

/**
 * Reads, interpolates, checks, decodes and merges compose files, with their env files and the contents they name. The dialect
 * `auto` reads as the docker CLI does; when it refuses files that the dialect `spec` accepts, the error says so.
 */
export async function loadModel(request: LoadRequest): Promise<LoadedModel> {
  if (request.dialect === 'spec') return loadSpecModel(request);
  try {
    return await new Loader(request).load();
  } catch (error) {
    if (request.dialect === 'auto' && concernsFiles(error) && (await specAccepts(request))) throw withHint(error);
    throw error;
  }
}

async function specAccepts(request: LoadRequest): Promise<boolean> {
  try {
    const { model, problems } = await loadSpecModel({ ...request, problems: new Problems() });
    convertModel({ stack: request.stack, model, contents: { configs: {}, secrets: {} }, problems });
    reportMistakes(model, problems);
    return problems.issues.length === 0;
  } catch (error) {
    if (concernsFiles(error)) return false;
    throw error;
  }
}

function withHint(error: HivekeepError): HivekeepError {
  const hint = { rule: 'dialect', message: "today's compose specification accepts these files: read them with dialect: spec" };
  return new HivekeepError(error.code, `${error.message}; ${hint.message}`, { cause: error, issues: [...(error.issues ?? []), hint] });
}

class Loader {
  readonly #request: LoadRequest;
  readonly #folder: string;
  readonly #files: SourceFiles;
  #problems: Problems;

  constructor(request: LoadRequest) {
    this.#request = request;
    this.#files = new SourceFiles(request.reader);
    this.#problems = request.problems;
    this.#folder = folderOf(request.files[0] ?? '');
  }

  async load(): Promise<LoadedModel> {
    const documents = await this.#readDocuments();
    this.#problems = this.#problems.at(lastOf(documents.map(({ locator }) => locator)));
    const models: FileModel[] = [];
    for (const document of documents) models.push(await this.#decode(document, documents[0]));
    this.#problems.refuse();
    const model = dropZeros(mergeModels(models));
    const configs = await this.#contents('configs', model.configs);
    const secrets = await this.#contents('secrets', model.secrets);
    this.#problems.refuse();
    return { model, configs, secrets, reads: this.#files.reads, problems: this.#problems };
  }

  async #readDocuments(): Promise<YamlDocument[]> {
    const documents: YamlDocument[] = [];
    const issues: Issue[] = [];
    for (const file of this.#request.files) {
      const bytes = await this.#files.read(file, [], this.#problems);
      if (!bytes) continue;
      try {
        documents.push(readYaml(bytes, file));
      } catch (error) {
        if (!HivekeepError.is(error, 'compose/invalid')) throw error;
        issues.push(...(error.issues ?? []));
      }
    }
    this.#problems.refuse();
    if (issues.length > 0) throw composeError(issues);
    return documents;
  }

  async #decode(document: YamlDocument, first: YamlDocument | undefined): Promise<FileModel> {
    const problems = this.#problems.at(document.locator);
    warnOfUnread(document, problems);
    if (!isDict(document.value)) {
      problems.add([], 'expected a mapping with services at the top of the file');
      return { model: emptyModel(), problems };
    }
    const minor = statedVersion(document.value, problems);
    if (first !== document && isDict(first?.value)) checkSameVersion(first.value, document.value, problems);
    const before = problems.issues.length;
    const root = interpolate(document.value, this.#request.env, problems);
    warnOfIgnoredKeys(root, problems);
    validate(root, composeFile, minor, [], problems);
    if (problems.issues.length > before) return { model: emptyModel(), problems };
    const model = decodeModel(new Fields(root, [], problems), minor);
    for (const [name, service] of Object.entries(model.services)) await this.#resolveService(name, service, problems);
    return { model, problems };
  }

  async #resolveService(name: string, service: Service, problems: Problems): Promise<void> {
    const envFiles: EnvLine[][] = [];
    for (const [index, file] of (service.env_file ?? []).entries())
      envFiles.push(await this.#readEnvFile(file, ['services', name, 'env_file', index], problems));
    if (service.environment || service.env_file) service.environment = resolveEnvironment(service, envFiles, this.#request.env);
    delete service.env_file;
    if (service.volumes)
      service.volumes = resolveBinds(
        service.volumes,
        { env: this.#request.env, workingDir: this.#request.workingDir },
        ['services', name, 'volumes'],
        problems,
      );
  }

  async #readEnvFile(file: string, path: Path, problems: Problems): Promise<EnvLine[]> {
    const bytes = await this.#files.read(joinPath(this.#folder, file), path, problems);
    if (!bytes) return [];
    const lines = parseEnvFile(bytes);
    if (Array.isArray(lines)) return lines;
    problems.add(path, `${file}:${lines.line}: ${lines.error}`);
    return [];
  }

  async #contents(section: 'configs' | 'secrets', objects: Record<string, FileObject>): Promise<Map<string, Uint8Array>> {
    const out = new Map<string, Uint8Array>();
    for (const [key, object] of Object.entries(objects)) {
      if (object.external || object.driver) continue;
      const path = [section, key, 'file'];
      if (!object.file) this.#problems.add([section, key], 'expected file: with the path of its content, or external: true');
      const bytes = object.file && (await this.#files.read(joinPath(this.#folder, object.file), path, this.#problems));
      if (bytes) out.set(key, bytes);
    }
    return out;
  }
}

/** What the docker CLI's reader passes over without a word. */
function warnOfUnread({ goesOn, tags }: YamlDocument, problems: Problems): void {
  if (goesOn) problems.warn('later-document', [], LATER_DOCUMENTS);
  for (const [key, tag] of tags())
    problems.warn('merge-tag', JSON.parse(key) as Path, `!${tag} does nothing here, as for the docker CLI; it works with dialect: spec`);
}

function checkSameVersion(first: Dict, other: Dict, problems: Problems): void {
  const quiet = new Problems();
  if (statedVersion(first, quiet) !== statedVersion(other, quiet))
    problems.add(['version'], 'every file must state the same version as the first; absent counts as 3.13');
}

function emptyModel(): Model {
  return { services: {}, networks: {}, volumes: {}, secrets: {}, configs: {} };
}
