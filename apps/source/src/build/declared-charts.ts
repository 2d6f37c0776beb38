import { type ChartRepository, type DeclaredRelease, isPathReference, type ReleaseFile, readReleaseFile } from '@hivekeep/charts';
import { type ChartSource, HivekeepError, type Spec } from '@hivekeep/contracts';
import type { WantedChart } from '../charts/chart-repositories.ts';
import type { Tree } from '../seams/fetcher.ts';
import { readPlain } from './render-compose.ts';

/** The releases of an application with a chart source or a release file. An owner in the file is for the command line: here the application owns. */
export async function declaredReleases({ name, source }: Spec, tree: Tree): Promise<Pick<ReleaseFile, 'releases' | 'repositories'>> {
  if (source.releaseFile !== undefined) return readReleaseFile(await readPlain(tree, source.releaseFile), source.releaseFile);
  if (source.chart) return { releases: [releaseOf(name, source.chart)], repositories: source.chart.repositories ?? [] };
  throw new HivekeepError('internal', `${name} has neither a chart nor a release file`);
}

function releaseOf(
  application: string,
  { release = application, path, ref = '', version = '', values = [] }: ChartSource,
): DeclaredRelease {
  const [, repository = '', chart = ''] = /^([^/]+)\/(.+)$/.exec(ref) ?? [];
  return {
    name: release,
    chart: path === undefined ? ref : isPathReference(path) ? path : `./${path}`,
    location: path === undefined ? { kind: 'repository', repository, chart, version } : { kind: 'path', path },
    values,
    wave: 0,
  };
}

/** The chart of a release in its repository. Throws `source/invalid` when nothing says where that is. */
export function wantedChart(
  { name, chart }: DeclaredRelease,
  location: Extract<DeclaredRelease['location'], { kind: 'repository' }>,
  repositories: readonly ChartRepository[],
): WantedChart {
  const found = repositories.find((repository) => repository.name === location.repository);
  if (found) return { ...location, url: found.url };
  const known = repositories.map((repository) => repository.name);
  const hint = known.length > 0 ? `there are ${known.join(', ')}` : 'there are none';
  throw new HivekeepError('source/invalid', `release ${name}: the repository of ${chart} is not among the repositories; ${hint}`);
}
