import {
  type ChartRepository,
  COMPOSE_CHART,
  type DeclaredRelease,
  isComposeRelease,
  layerValues,
  type RenderEnvironment,
  type RenderedRelease,
  renderRelease,
  secretFileProblems,
} from '@hivekeep/charts';
import { HivekeepError, type Issue, type ReleaseArtifact, type Warning } from '@hivekeep/contracts';
import { toPlain } from '@hivekeep/goyaml';
import type { WantedChart } from '../charts/chart-repositories.ts';
import { displayUrl } from '../charts/chart-url-policy.ts';
import type { Tree } from '../seams/fetcher.ts';
import type { ChartLoader, LoadedChart } from './chart-loader.ts';
import { declaredReleases, wantedChart } from './declared-charts.ts';
import { readPlain } from './render-compose.ts';
import type { Rendered, RenderInput } from './rendered.ts';

/** A chart of a repository that a build read, and what it was. */
export interface RemoteChart {
  readonly wanted: WantedChart;
  readonly identity: string;
}

/** Renders applications with a chart source or a release file. */
export class ChartRenderer {
  readonly #loader: ChartLoader;
  readonly #environment: RenderEnvironment;

  constructor(loader: ChartLoader, environment: RenderEnvironment) {
    this.#loader = loader;
    this.#environment = environment;
  }

  /**
   * Reads, renders and checks every release at the tree's commit; `noteRemote` is told of each chart of a repository. Throws
   * `chart/invalid` with the problems of all releases, `source/invalid` for the release file, and what reading throws.
   */
  async render({ spec, tree }: RenderInput, noteRemote: (remote: RemoteChart) => void): Promise<Rendered> {
    const { releases, repositories } = await declaredReleases(spec, tree);
    const artifacts: ReleaseArtifact[] = [];
    const warnings: Warning[] = [];
    const failures: HivekeepError[] = [];
    for (const release of releases) {
      try {
        const made = await this.#release(release, repositories, tree, noteRemote);
        artifacts.push(made.artifact);
        warnings.push(...made.warnings);
      } catch (error) {
        if (!HivekeepError.is(error, 'chart/invalid', 'source/unsupported', 'source/path-missing', 'source/refused')) throw error;
        failures.push(inRelease(error, release.name, spec.source.releaseFile));
      }
    }
    if (failures.length > 0) throw together(failures);
    return { releases: artifacts, warnings, secretContents: new Map() };
  }

  /** Whether a chart of a repository is still what it was. */
  async isUnchanged({ wanted, identity }: RemoteChart): Promise<boolean> {
    return (await this.#loader.identityOf(wanted)) === identity;
  }

  async #release(
    release: DeclaredRelease,
    repositories: readonly ChartRepository[],
    tree: Tree,
    noteRemote: (remote: RemoteChart) => void,
  ): Promise<{ artifact: ReleaseArtifact; warnings: Warning[] }> {
    const { location } = release;
    const wanted = location.kind === 'repository' ? wantedChart(release, location, repositories) : undefined;
    const remote = wanted && (await this.#loader.fromRepository(wanted));
    if (wanted && remote) noteRemote({ wanted, identity: remote.identity });
    const { chart } = remote ?? (await this.#local(location, tree));
    if (isComposeRelease(chart.metadata))
      throw new HivekeepError(
        'chart/invalid',
        `a chart can't be ${COMPOSE_CHART.name} ${COMPOSE_CHART.version}: so releases of compose files are recorded`,
      );
    const files = await Promise.all(release.values.map(async (path) => ({ path, bytes: await readPlain(tree, path) })));
    const values = layerValues(chart.values, { files });
    const rendered = renderRelease({ chart, release: release.name, values, environment: this.#environment });
    const secrets = secretFileProblems(rendered.manifest);
    if (secrets.length > 0) throw new HivekeepError('chart/invalid', secrets[0]?.message ?? '', { issues: secrets });
    const { name, version, appVersion, swarmcliVersion } = chart.metadata;
    const metadata = { name, version, ...(appVersion && { appVersion }), ref: release.chart, ...(swarmcliVersion && { swarmcliVersion }) };
    const origin = wanted && { repo: wanted.repository, repoURL: displayUrl(new URL(wanted.url)).replace(/\/+$/, '') };
    const plainValues = toPlain(values) as Record<string, unknown>; // merged values are a mapping
    const artifact = { ...artifactOf(release, rendered), chart: { ...metadata, ...origin }, values: plainValues };
    return { artifact, warnings: warningsOf(release, rendered, remote !== undefined && remote.digest === undefined) };
  }

  #local(location: DeclaredRelease['location'], tree: Tree): Promise<LoadedChart> {
    if (location.kind === 'path') return this.#loader.fromTree(tree, location.path);
    throw new HivekeepError('internal', 'a chart of a repository is not in the tree');
  }
}

function artifactOf(
  release: DeclaredRelease,
  { manifest, files, requirements, volatile }: RenderedRelease,
): Omit<ReleaseArtifact, 'chart' | 'values'> {
  const { name, wave } = release;
  const contents = [...(files ?? [])].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')] as const);
  return {
    name,
    wave,
    manifest,
    files: Object.fromEntries(contents),
    secrets: [],
    ...(requirements && { requirements }),
    ...(volatile && { volatile }),
  };
}

function warningsOf({ name, chart }: DeclaredRelease, { volatile }: RenderedRelease, unpinned: boolean): Warning[] {
  return [
    ...(volatile
      ? [
          {
            rule: 'volatile',
            message: `release ${name}: the chart ${chart} renders differently each time; it is deployed once for each commit`,
          },
        ]
      : []),
    ...(unpinned
      ? [{ rule: 'no-digest', message: `release ${name}: the repository publishes no digest of ${chart}; what it sends is not checked` }]
      : []),
  ];
}

function inRelease(error: HivekeepError, release: string, file: string | undefined): HivekeepError {
  const place = file === undefined ? `release ${release}` : `${file}: release ${release}`;
  const issues = (error.issues ?? [{ message: error.message }]).map(
    (issue): Issue => ({ ...issue, message: `release ${release}: ${issue.message}` }),
  );
  return new HivekeepError(error.code, `${place}: ${error.message}`, { cause: error, issues });
}

function together(failures: readonly HivekeepError[]): HivekeepError {
  const [first] = failures as [HivekeepError];
  const more = failures.length > 1 ? ` (and ${failures.length - 1} more releases)` : '';
  return new HivekeepError(first.code, `${first.message}${more}`, { cause: first, issues: failures.flatMap(({ issues }) => issues ?? []) });
}
