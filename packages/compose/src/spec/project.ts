import { HivekeepError } from '@hivekeep/contracts';
import { type Environment, interpolateSpec } from '../load/interpolate.ts';
import { cleanPath, folderOf, joinPath } from '../load/paths.ts';
import { LATER_DOCUMENTS, readYaml, type YamlDocument } from '../load/read-yaml.ts';
import type { SourceFiles } from '../load/source-files.ts';
import { composeError, type Locator, type Path, type Problems } from '../problems.ts';
import { describeValue } from '../schema/describe.ts';
import { type Dict, dict, isDict, member, printValue, record, type Value } from '../value.ts';
import { canonicalDocument } from './canonical-document.ts';
import { parseDotEnv } from './dotenv.ts';
import { resolveExtends } from './extends.ts';
import { refuseUnknown, toList } from './forms.ts';
import { mergeDocuments } from './merge-documents.ts';

const MAX_DEPTH = 20;
const MAX_FILES = 200;
const SECTIONS = ['services', 'networks', 'volumes', 'secrets', 'configs'] as const;

/** Files that belong together: merged in order, their relative paths starting at one folder. */
export interface ProjectFiles {
  readonly files: readonly string[];
  readonly folder: string;
  readonly env: Environment;
  /** Files that led here, by `include` or `extends`. */
  readonly behind: readonly string[];
}

/** One file in long forms, its `extends` resolved. */
export interface ProjectFile {
  readonly value: Dict;
  readonly document: YamlDocument;
  readonly problems: Problems;
}

/** Reads files of the compose specification with those that they include and extend. */
export class ProjectReader {
  /** Where things stand in the files that were read. */
  readonly locators: Locator[] = [];
  readonly #files: SourceFiles;
  readonly #root: string;
  readonly #problems: Problems;

  /** `root` is the folder that relative bind sources of the result start at. */
  constructor(files: SourceFiles, root: string, problems: Problems) {
    this.#files = files;
    this.#root = root;
    this.#problems = problems;
  }

  /** The files merged, and what they include beside it. */
  async read(project: ProjectFiles): Promise<Dict> {
    let merged = dict();
    for (const path of project.files) {
      const file = await this.readFile(path, project, []);
      if (file) merged = mergeDocuments(merged, file.value, file.document.tags());
    }
    const includes = toList(merged.include ?? null);
    delete merged.include;
    for (const [index, item] of (Array.isArray(includes) ? includes : []).entries())
      this.#add(merged, await this.#include(item, project, ['include', index]), ['include', index]);
    return merged;
  }

  /** One file; what is wrong with reading it is said of `where`. */
  async readFile(path: string, project: ProjectFiles, where: Path): Promise<ProjectFile | undefined> {
    if (project.behind.length >= MAX_DEPTH || this.locators.length >= MAX_FILES) {
      this.#problems.add(where, `${path} is one of more than ${MAX_FILES} files, or more than ${MAX_DEPTH} files deep`);
      return undefined;
    }
    const bytes = await this.#files.read(path, where, this.#problems);
    if (!bytes) return undefined;
    const document = readYaml(bytes, path);
    this.locators.push(document.locator);
    const problems = this.#problems.at(document.locator);
    if (document.goesOn) problems.add([], LATER_DOCUMENTS);
    if (!isDict(document.value)) {
      problems.add([], 'expected a mapping with services at the top of the file');
      return undefined;
    }
    const value = canonicalDocument(interpolateSpec(document.value, project.env, problems), this.#paths(project.folder), problems);
    const file = { value, document, problems };
    const others = new Map<string, Promise<ProjectFile | undefined>>();
    await resolveExtends(file, (named, at) => {
      const other = joinPath(project.folder, named);
      const read =
        others.get(other) ?? this.readFile(other, { ...project, folder: folderOf(other), behind: [...project.behind, path] }, at);
      others.set(other, read);
      return read;
    });
    return file;
  }

  async #include(item: Value, project: ProjectFiles, path: Path): Promise<Dict> {
    const entry = isDict(item) ? item : record<Value>([['path', item]]);
    refuseUnknown(entry, ['path', 'project_directory', 'env_file'], path, this.#problems);
    const files = toList(entry.path ?? null);
    if (!Array.isArray(files) || files.length === 0 || files.some((file) => typeof file !== 'string')) {
      this.#problems.add(path, `expected a path, or a mapping with path, found ${describeValue(item)}`);
      return dict();
    }
    const paths = files.map((file) => joinPath(project.folder, printValue(file)));
    const given = member(entry, 'project_directory');
    const folder = typeof given === 'string' ? joinPath(project.folder, given) : folderOf(paths[0] ?? '');
    const env = { ...(await this.#envFiles(entry, project, path)), ...project.env };
    const behind = [...project.behind, ...project.files];
    const again = paths.find((file) => behind.includes(file));
    if (again === undefined) return this.read({ files: paths, folder, env, behind });
    this.#problems.add(path, `${again} includes itself`);
    return dict();
  }

  async #envFiles(entry: Dict, { folder, env }: ProjectFiles, path: Path): Promise<Record<string, string>> {
    const out = record<string>();
    const files = toList(entry.env_file ?? null);
    for (const file of Array.isArray(files) ? files : []) {
      const bytes = await this.#files.read(joinPath(folder, printValue(file)), path, this.#problems);
      const lines = bytes ? parseDotEnv(new TextDecoder().decode(bytes), { ...out, ...env }) : [];
      if (!Array.isArray(lines)) throw composeError([{ file: printValue(file), line: lines.line, message: lines.error }]);
      for (const [name, value] of lines) if (value !== null) out[name] = value;
    }
    return out;
  }

  /** What is included stands beside what is there; one name twice is a mistake. */
  #add(into: Dict, included: Dict, path: Path): void {
    for (const section of SECTIONS) {
      const from = member(included, section);
      if (!isDict(from)) continue;
      const present = isDict(into[section]) ? into[section] : dict();
      for (const name of Object.keys(from))
        if (Object.hasOwn(present, name))
          this.#problems.add(path, `${section}.${name} is there already; what is included cannot be overridden`);
      into[section] = Object.assign(dict(), from, present);
    }
  }

  #paths(folder: string) {
    return {
      rooted: (path: string) => joinPath(folder, path),
      relative: (path: string) => (path.startsWith('.') ? relativeTo(this.#root, joinPath(folder, path)) : path),
    };
  }
}

/** A path below the reader's root as seen from a folder below it, with `./` or `../` in front. */
function relativeTo(folder: string, path: string): string {
  const from = cleanPath(folder || '.')
    .split('/')
    .filter((part) => part !== '.');
  const to = cleanPath(path)
    .split('/')
    .filter((part) => part !== '.');
  const shared = from.findIndex((part, index) => to[index] !== part);
  const common = shared < 0 ? from.length : shared;
  const up = from.slice(common).map(() => '..');
  return [...(up.length > 0 ? up : ['.']), ...to.slice(common)].join('/');
}

/** Whether an error says what is wrong with the files, rather than that they could not be had. */
export function concernsFiles(error: unknown): error is HivekeepError {
  return HivekeepError.is(error, 'compose/invalid', 'compose/unsupported');
}
