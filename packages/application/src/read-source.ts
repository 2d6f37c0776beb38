import { type ChartSource, type ComposeSource, Dialect, type Source } from '@hivekeep/contracts';
import { Fields } from './fields.ts';
import { checkRepoUrl, type UrlPolicy } from './repo-url.ts';
import { checkObjectName, checkRepoPath, checkVariableName } from './rules.ts';

const SOURCE_KEYS = ['repoURL', 'revision', 'releaseFile', 'chart', 'compose'];
const CHART_KEYS = ['release', 'path', 'ref', 'version', 'values', 'repositories'];
const COMPOSE_KEYS = ['files', 'env', 'envFiles', 'release', 'dialect'];
const DEFINITIONS = ['releaseFile', 'chart', 'compose'];

/** An application's source, the name of its release filled in. Problems become issues. */
export function readSource(application: Fields, name: string, urls: UrlPolicy): Source {
  const source = application.mapping('source', SOURCE_KEYS);
  if (source === undefined) {
    if (!application.has('source')) application.problem('source', 'required', 'is required');
    return { repoURL: '', revision: '' };
  }
  const repoURL = source.requiredText('repoURL') ?? '';
  const problem = repoURL === '' ? undefined : checkRepoUrl(repoURL, urls);
  if (problem !== undefined) source.problem('repoURL', 'repo-url', problem);
  const revision = source.requiredText('revision', 'a branch, a tag or a commit') ?? '';
  checkOneDefinition(source);
  const releaseFile = source.text('releaseFile');
  const pathProblem = releaseFile === undefined ? undefined : checkRepoPath(releaseFile);
  if (pathProblem !== undefined) source.problem('releaseFile', 'repo-path', pathProblem);
  const chart = readChart(source, name);
  const compose = readCompose(source, name);
  return { repoURL, revision, ...(releaseFile !== undefined && { releaseFile }), ...(chart && { chart }), ...(compose && { compose }) };
}

function checkOneDefinition(source: Fields): void {
  const given = DEFINITIONS.filter((key) => source.has(key));
  if (given.length === 0) source.problem('', 'source-kind', 'one of releaseFile, chart and compose is needed');
  if (given.length > 1) source.problem(given[1] as string, 'source-kind', `ambiguous: ${given.join(' and ')} are given, only one may be`);
}

function readChart(source: Fields, name: string): ChartSource | undefined {
  const chart = source.mapping('chart', CHART_KEYS);
  if (chart === undefined) return undefined;
  const [path, ref, version] = [chart.text('path'), chart.text('ref'), chart.text('version')];
  const values = chart.texts('values', 'repo-path', checkRepoPath);
  const repositories = readRepositories(chart);
  if (path !== undefined && ref !== undefined) chart.problem('ref', 'chart-location', 'path and ref are given, only one may be');
  else if (path !== undefined) checkChartPath(chart, path, version);
  else if (ref !== undefined) checkChartRef(chart, ref, version, repositories.length);
  else chart.problem('path', 'chart-location', 'one of path and ref is needed');
  return {
    release: readRelease(chart, name),
    ...(path !== undefined && { path }),
    ...(ref !== undefined && { ref }),
    ...(version !== undefined && { version }),
    ...(values.length > 0 && { values }),
    ...(repositories.length > 0 && { repositories }),
  };
}

function checkChartPath(chart: Fields, path: string, version: string | undefined): void {
  const problem = checkRepoPath(path);
  if (problem !== undefined) chart.problem('path', 'repo-path', problem);
  if (version !== undefined)
    chart.problem('version', 'chart-location', 'goes with ref only: a chart in the repository has the version of its commit');
}

function checkChartRef(chart: Fields, ref: string, version: string | undefined, repositories: number): void {
  if (!/^[^/]+\/.+$/.test(ref)) chart.problem('ref', 'chart-location', `${JSON.stringify(ref)} must be repository/chart`);
  if (!version) chart.problem('version', 'chart-location', 'is required with ref');
  if (repositories === 0) chart.problem('repositories', 'chart-location', 'at least one repository is required with ref');
}

function readRepositories(chart: Fields): { name: string; url: string }[] {
  return chart.items('repositories').flatMap((item) => {
    const repository = Fields.read(item, ['name', 'url']);
    if (repository === undefined) return [];
    const name = repository.requiredText('name') ?? '';
    const url = repository.requiredText('url') ?? '';
    const problem = name === '' ? undefined : checkObjectName(name);
    if (problem !== undefined) repository.problem('name', 'repository-name', problem);
    return [{ name, url }];
  });
}

function readCompose(source: Fields, name: string): ComposeSource | undefined {
  const compose = source.mapping('compose', COMPOSE_KEYS);
  if (compose === undefined) return undefined;
  const files = compose.texts('files', 'repo-path', checkRepoPath);
  if (compose.isEmptyList('files')) compose.problem('files', 'required', 'at least one file is required');
  const env = compose.textMap('env');
  for (const variable of Object.keys(env ?? {})) {
    const problem = checkVariableName(variable);
    if (problem !== undefined) compose.problem('env', 'variable-name', problem);
  }
  const envFiles = compose.texts('envFiles', 'repo-path', checkRepoPath);
  const dialect = readDialect(compose);
  return {
    files,
    release: readRelease(compose, name),
    ...(env && { env }),
    ...(envFiles.length > 0 && { envFiles }),
    ...(dialect && { dialect }),
  };
}

function readDialect(compose: Fields): Dialect | undefined {
  const text = compose.text('dialect');
  if (text === undefined) return undefined;
  const dialect = Dialect.safeParse(text);
  if (!dialect.success) compose.problem('dialect', 'enum', `expected ${Dialect.options.join(', ')}, found ${JSON.stringify(text)}`);
  return dialect.data;
}

/** The release's name, which is the stack's: as given, else the application's. */
function readRelease(definition: Fields, name: string): string {
  const release = definition.text('release') || name;
  const problem = definition.has('release') ? checkObjectName(release) : undefined;
  if (problem !== undefined) definition.problem('release', 'release-name', problem);
  return release;
}
