import { cleanPath, Fields, type Item, type Scope } from '@hivekeep/application';
import type { YamlNode } from '@hivekeep/goyaml';
import { chartError, readDocument } from '../problems.ts';
import { isPathReference, resolveFrom } from './chart-reference.ts';
import type { ChartLocation, ChartRepository, DeclaredRelease, ReleaseFile } from './release-file.ts';

const KEYS = ['apiVersion', 'owner', 'repositories', 'releases'];
const RELEASE_KEYS = ['name', 'chart', 'version', 'values', 'wave'];
const NAME = /^[A-Za-z0-9._-]+$/;
const MAX_RELEASES = 500;

/**
 * Reads a release file strictly: `file` is its path from the root of the tree, which the paths in it start from. Throws
 * `source/invalid` with every problem: file, line and key.
 */
export function readReleaseFile(bytes: Uint8Array, file: string): ReleaseFile {
  const { value, issues } = readDocument(bytes, file, (root, scope) => readRoot(root, scope));
  if (value === undefined || issues.length > 0) throw chartError(issues, 'source/invalid');
  return value;
}

function readRoot(root: YamlNode | undefined, scope: Scope): ReleaseFile | undefined {
  const nothing: YamlNode = { kind: 'mapping', entries: [], tag: '', line: 1, column: 1 };
  const fields = Fields.read({ node: root ?? nothing, scope }, KEYS);
  if (fields === undefined) return undefined;
  const apiVersion = fields.text('apiVersion');
  if (apiVersion !== undefined && apiVersion !== 'v1')
    fields.problem('apiVersion', 'api-version', `expected v1 or nothing, found ${JSON.stringify(apiVersion)}`);
  const owner = fields.text('owner');
  if (owner?.includes(':')) fields.problem('owner', 'owner', `${JSON.stringify(owner)} must not contain ":"`);
  const repositories = fields.items('repositories').flatMap((item) => readRepository(item) ?? []);
  refuseTwice(fields, 'repositories', repositories);
  const releases = readReleases(fields);
  return { ...(owner && { owner }), repositories, releases };
}

function readRepository(item: Item): ChartRepository | undefined {
  const fields = Fields.read(item, ['name', 'url']);
  if (fields === undefined) return undefined;
  const name = fields.requiredText('name') ?? '';
  if (name !== '' && (!NAME.test(name) || name === '.' || name === '..')) fields.problem('name', 'name', badName(name));
  return { name, url: fields.requiredText('url') ?? '' };
}

function readReleases(fields: Fields): DeclaredRelease[] {
  const items = fields.items('releases');
  if (fields.isEmptyList('releases')) fields.problem('releases', 'no-releases', 'there are no releases; at least one is needed');
  if (items.length > MAX_RELEASES) {
    fields.problem('releases', 'too-many', `there are ${items.length} releases; one file has at most ${MAX_RELEASES}`);
    return [];
  }
  const releases = items.flatMap((item) => readRelease(item) ?? []);
  refuseTwice(fields, 'releases', releases);
  return releases;
}

function readRelease(item: Item): DeclaredRelease | undefined {
  const fields = Fields.read(item, RELEASE_KEYS);
  if (fields === undefined) return undefined;
  const { file } = item.scope;
  const name = fields.requiredText('name') ?? '';
  if (name !== '' && !NAME.test(name)) fields.problem('name', 'name', badName(name));
  const chart = fields.requiredText('chart', 'a path such as ./charts/web, or repository/chart') ?? '';
  const version = fields.text('version') ?? '';
  const values = fields.texts('values', 'values-path', (path) => pathProblem(path, file)).map((path) => resolveFrom(file, path));
  return { name, chart, location: readLocation(fields, file, chart, version), values, wave: fields.integer('wave') ?? 0 };
}

function readLocation(fields: Fields, file: string, chart: string, version: string): ChartLocation {
  if (isPathReference(chart)) {
    const problem = pathProblem(chart, file);
    if (problem !== undefined) fields.problem('chart', 'chart-path', problem);
    if (version !== '')
      fields.problem('version', 'chart-version', 'goes with repository/chart only: a chart at a path has the version of its folder');
    return { kind: 'path', path: resolveFrom(file, chart) };
  }
  const [, repository = '', name = ''] = /^([^/]+)\/(.+)$/.exec(chart) ?? [];
  if (chart !== '' && name === '')
    fields.problem('chart', 'chart-reference', `${JSON.stringify(chart)} must be repository/chart, or a path that starts with ./ or ../`);
  if (chart !== '' && version === '') fields.problem('version', 'chart-version', 'is required with repository/chart: an exact version');
  return { kind: 'repository', repository, chart: name, version };
}

/** Only what is in the repository can be read: an absolute path, and one that leads out, is somewhere else. */
function pathProblem(path: string, file: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path.startsWith('/')) return `${JSON.stringify(path)} is absolute; a path starts at the folder of the release file`;
  const resolved = cleanPath(resolveFrom(file, path));
  return resolved === '..' || resolved.startsWith('../') ? `${JSON.stringify(path)} leads out of the repository` : undefined;
}

function refuseTwice(fields: Fields, key: string, named: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (name !== '' && seen.has(name)) fields.problem(key, 'duplicate-name', `${JSON.stringify(name)} is declared twice`);
    seen.add(name);
  }
}

function badName(name: string): string {
  return `${JSON.stringify(name)} is no name: expected letters, digits, ".", "_" or "-"`;
}
