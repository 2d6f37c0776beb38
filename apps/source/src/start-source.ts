import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { UrlPolicy } from '@hivekeep/application';
import { HivekeepError, sourceCalls } from '@hivekeep/contracts';
import { renderEnvironment } from '@hivekeep/render-environment';
import { type Logger, type RunningService, type ServiceBus, startService } from '@hivekeep/runtime';
import { Module } from '@nestjs/common';
import { AppSet } from './app-set/app-set.ts';
import type { AppSetReader } from './app-set/app-set-reader.ts';
import { FileAppSet } from './app-set/file-app-set.ts';
import { GitAppSet } from './app-set/git-app-set.ts';
import { parseAppSet } from './app-set/parse-app-set.ts';
import { ArtifactBuilder } from './build/artifact-builder.ts';
import { ChartLoader } from './build/chart-loader.ts';
import { ChartRenderer } from './build/render-charts.ts';
import { ComposeRenderer } from './build/render-compose.ts';
import { SecretDigests } from './build/secret-digests.ts';
import { ChartCache } from './charts/chart-cache.ts';
import { ChartRepositories } from './charts/chart-repositories.ts';
import {
  assertGitVersion,
  DEFAULT_GIT_LIMITS,
  GitCredentials,
  GitFetcher,
  type GitLimits,
  Mirrors,
  readCredentialsFile,
} from './git/index.ts';
import { startHousekeeping } from './housekeeping.ts';
import { Builder } from './seams/builder.ts';
import type { Fetcher } from './seams/fetcher.ts';
import { SourceController } from './source.controller.ts';
import type { SourceConfig } from './source-config.ts';

export interface SourceOptions {
  /** Closed with the service. */
  readonly bus: ServiceBus;
  readonly config: SourceConfig;
  readonly logger: Logger;
  readonly version?: string;
}

/** A build is answered well before the caller's deadline, so that one slow repository does not cost the others their results. */
const ANSWER_WITHIN_MS = sourceCalls.build.deadlineMs - 20_000;
const DEFAULT_APP_SET = '/etc/hivekeep/applications.yaml';

@Module({ controllers: [SourceController] })
class SourceModule {}

/**
 * Starts the source service; `close` ends every Git process with it. Throws without a fitting git, and when a mounted app set is missing or invalid:
 * one in Git or a directory may come later.
 */
export async function startSource({ bus, config, logger, version = '0.0.0' }: SourceOptions): Promise<RunningService> {
  await assertGitVersion();
  const limits = limitsOf(config);
  const urls: UrlPolicy = { insecureHosts: config.allowInsecureGit, allowLocal: config.allowLocalGit };
  const mirrors = new Mirrors({ directory: join(config.data, 'repos'), credentials: credentialsOf(config), limits, urls });
  const fetcher = new GitFetcher(mirrors, limits);
  const reader = readerOf(config, fetcher);
  const parse = parseAppSet(urls, ({ message, file, line }) => logger.warn(message, { file, line }));
  const appSet = new AppSet({ reader, parse, homeSwarm: config.homeSwarm, now: () => new Date() });
  const renderer = new ComposeRenderer(new SecretDigests());
  const stop = new AbortController();
  const charts = chartRenderer(config, logger, stop.signal);
  const builder = new ArtifactBuilder({ fetcher, renderer, charts, artifacts: bus.artifacts, answerWithinMs: ANSWER_WITHIN_MS });

  if (reader.mode === 'static') await appSet.load();
  const providers = [
    { provide: AppSet, useValue: appSet },
    { provide: Builder, useValue: builder },
  ];
  const service = await startService({
    name: 'source',
    module: { module: SourceModule, providers },
    bus,
    contracts: [sourceCalls.appSet, sourceCalls.build, sourceCalls.secretContents],
    logger,
  });
  const instance = randomUUID();
  const withdraw = await bus.presence.announce(() => ({ service: 'source', instance, version, at: new Date().toISOString() }));
  const stopHousekeeping = startHousekeeping({ mirrors, appSet, appSetRepo: reader.repoURL, intervalMs: config.sweepIntervalMs, logger });
  const close = async (): Promise<void> => {
    await withdraw();
    mirrors.close();
    stop.abort(new HivekeepError('cancelled', 'the source service stops'));
    await stopHousekeeping();
    await service.close();
  };
  return { ...service, close };
}

function chartRenderer(config: SourceConfig, logger: Logger, signal: AbortSignal): ChartRenderer {
  const repositories = new ChartRepositories({
    cache: new ChartCache(join(config.data, 'charts')),
    policy: { allowedHosts: config.allowChartHost },
    maxAgeMs: config.chartIndexMaxAgeMs,
    timeoutMs: config.chartTimeoutMs,
    signal,
    now: () => Date.now(),
    onStale: (repository, error) => logger.warn('a chart repository cannot be asked; what it said before is used', { repository, error }),
  });
  return new ChartRenderer(new ChartLoader(repositories), renderEnvironment());
}

function limitsOf(config: SourceConfig): GitLimits {
  return {
    ...DEFAULT_GIT_LIMITS,
    askTimeoutMs: config.gitAskTimeoutMs,
    fetchTimeoutMs: config.gitFetchTimeoutMs,
    maxRepositoryBytes: config.gitMaxRepositoryBytes,
    maxFileBytes: config.gitMaxFileBytes,
    parallel: config.gitParallel,
  };
}

function credentialsOf({ gitCredentials, gitUsername, gitToken, gitTokenFile }: SourceConfig): GitCredentials {
  return new GitCredentials({
    ...(gitCredentials !== undefined && { readDocument: () => readCredentialsFile(gitCredentials) }),
    fallback: {
      ...(gitUsername !== undefined && { username: gitUsername }),
      ...(gitToken !== undefined && { token: gitToken }),
      ...(gitTokenFile !== undefined && { tokenFile: gitTokenFile }),
    },
  });
}

function readerOf(config: SourceConfig, fetcher: Fetcher): AppSetReader {
  const { appsetRepo, appsetRevision, appsetPath, appsetDir } = config;
  if (appsetRepo !== undefined && appsetRevision !== undefined && appsetPath !== undefined)
    return new GitAppSet({ repoURL: appsetRepo, revision: appsetRevision, path: appsetPath }, fetcher);
  if (appsetDir !== undefined) return FileAppSet.inDirectory(appsetDir, appsetPath ?? 'applications.yaml');
  return FileAppSet.mounted(config.config ?? DEFAULT_APP_SET);
}
