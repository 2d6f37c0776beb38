import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Artifact, type BuildResult, readArtifact, type Spec } from '@hivekeep/contracts';
import { renderEnvironment } from '@hivekeep/render-environment';
import { ChartCache } from '../charts/chart-cache.ts';
import { ChartRepositories } from '../charts/chart-repositories.ts';
import { assertGitVersion, DEFAULT_GIT_LIMITS, GitCredentials, GitFetcher, headOf, Mirrors } from '../git/index.ts';
import { ArtifactBuilder } from './artifact-builder.ts';
import { ChartLoader } from './chart-loader.ts';
import { ChartRenderer } from './render-charts.ts';
import { ComposeRenderer } from './render-compose.ts';
import { SecretDigests } from './secret-digests.ts';

export interface OfflineBuild {
  /** A repository on this machine (absolute path), which stands for that of every application. */
  readonly repository: string;
  /** A tag, branch or full commit id; what is checked out when absent. */
  readonly revision?: string | undefined;
  readonly applications: readonly Spec[];
  /** The swarm it would be deployed to: names of secrets depend on it. */
  readonly swarm: string;
  readonly signal: AbortSignal;
  /** Hosts of chart repositories that may be in a private network or be asked over plain http. */
  readonly allowChartHosts?: readonly string[];
}

export type OfflineResult = { readonly result: BuildResult; readonly artifact?: Artifact };

const ANSWER_WITHIN_MS = 600_000;
const CHART_TIMEOUT_MS = 30_000;

/**
 * Builds applications from a repository on this machine as the service would from its remote: only what is committed counts.
 * Gives one result for each, in their order. Throws `config/invalid` without a fitting git and `source/*` when `repository` is none.
 */
export async function buildOffline({
  repository,
  revision,
  applications,
  swarm,
  signal,
  allowChartHosts = [],
}: OfflineBuild): Promise<OfflineResult[]> {
  await assertGitVersion();
  const wanted = revision ?? (await headOf(repository));
  const directory = await mkdtemp(join(tmpdir(), 'hivekeep-build-'));
  const urls = { insecureHosts: [], allowLocal: true };
  const mirrors = new Mirrors({ directory, credentials: new GitCredentials({}), limits: DEFAULT_GIT_LIMITS, urls });
  try {
    const stored = new Map<string, Artifact>();
    const put = async (digest: string, bytes: Uint8Array) => void stored.set(digest, readArtifact(Buffer.from(bytes).toString('utf8')));
    const renderer = new ComposeRenderer(new SecretDigests());
    const repositories = new ChartRepositories({
      cache: new ChartCache(join(directory, 'charts')),
      policy: { allowedHosts: allowChartHosts },
      maxAgeMs: ANSWER_WITHIN_MS,
      timeoutMs: CHART_TIMEOUT_MS,
      signal,
      now: () => Date.now(),
      onStale: () => undefined,
    });
    const charts = new ChartRenderer(new ChartLoader(repositories), renderEnvironment());
    const fetcher = new GitFetcher(mirrors, DEFAULT_GIT_LIMITS);
    const builder = new ArtifactBuilder({ fetcher, renderer, charts, artifacts: { put }, answerWithinMs: ANSWER_WITHIN_MS });
    const requests = applications.map((spec) => ({
      application: { ...spec, source: { ...spec.source, repoURL: repository, revision: wanted } },
    }));
    const results = await builder.build(swarm, requests, signal);
    return results.map((result) => {
      const artifact = 'digest' in result ? stored.get(result.digest) : undefined;
      return { result, ...(artifact && { artifact }) };
    });
  } finally {
    mirrors.close();
    await rm(directory, { recursive: true, force: true });
  }
}
