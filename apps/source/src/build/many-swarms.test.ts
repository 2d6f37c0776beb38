import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuildResult, Spec } from '@hivekeep/contracts';
import { aSpec, eventually, type GitServer, gitServer } from '@hivekeep/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_GIT_LIMITS, GitCredentials, GitFetcher, Mirrors } from '../git/index.ts';
import { CountingChartRenderer, chartRepositories } from '../testing/chart-renderer.ts';
import { ChartServer } from '../testing/chart-server.ts';
import { ArtifactBuilder } from './artifact-builder.ts';
import { ComposeRenderer } from './render-compose.ts';
import { SecretDigests } from './secret-digests.ts';

let server: GitServer;
let charts: ChartServer;
let directory: string;
let mirrors: Mirrors;
let renderer: CountingChartRenderer;
let builder: ArtifactBuilder;
let stop: AbortController;
let silent: Promise<BuildResult[]>[];

beforeAll(async () => {
  server = await gitServer();
  await (await server.createRepo('shop')).commit({ 'compose.yaml': 'services:\n  web:\n    image: nginx:1.27\n' });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hivekeep-swarms-'));
  const urls = { insecureHosts: [], allowLocal: false };
  mirrors = new Mirrors({ directory, credentials: new GitCredentials({}), limits: DEFAULT_GIT_LIMITS, urls });
  charts = await ChartServer.start();
  stop = new AbortController();
  renderer = CountingChartRenderer.over(chartRepositories(join(directory, 'charts'), { timeoutMs: 60_000, signal: stop.signal }));
  builder = new ArtifactBuilder({
    fetcher: new GitFetcher(mirrors, DEFAULT_GIT_LIMITS),
    renderer: new ComposeRenderer(new SecretDigests()),
    charts: renderer,
    artifacts: { put: async () => undefined },
    answerWithinMs: 60_000,
  });
  silent = [];
});
afterEach(async () => {
  stop.abort();
  mirrors.close();
  await Promise.all(silent);
  await charts[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const compose = { files: ['compose.yaml'] };
const specOf = (name: string, source: Partial<Spec['source']>) =>
  aSpec({ name, source: { repoURL: server.url('shop'), revision: 'main', ...source } });

function build(swarm: string, applications: readonly Spec[]): Promise<BuildResult[]> {
  return builder.build(
    swarm,
    applications.map((application) => ({ application })),
    stop.signal,
  );
}

/** Begins builds of applications whose chart repository never answers. */
function buildSilent(swarm: string, count: number): void {
  charts.routes.set('/index.yaml', () => undefined);
  const chart = { ref: 'main/db', version: '1.0.0', repositories: [{ name: 'main', url: charts.url }] };
  silent.push(
    build(
      swarm,
      Array.from({ length: count }, (_, index) => specOf(`silent${index}`, { chart })),
    ),
  );
}

describe('a swarm whose builds never end', () => {
  it('keeps no build of another swarm waiting, and renders no more than it may', async () => {
    buildSilent('east', 20);
    await eventually(() => renderer.renders === 4);
    expect(await build('west', [specOf('shop', { compose })])).toMatchObject([{ application: 'shop', complete: true }]);
    expect(renderer.renders).toBe(4);
  });

  it('is kept within a total with others like it, of which a further swarm still has its first', async () => {
    for (const [swarm, renders] of Object.entries({ east: 4, north: 8, south: 9 })) {
      buildSilent(swarm, 20);
      await eventually(() => renderer.renders === renders);
    }
    expect(await build('west', [specOf('shop', { compose })])).toMatchObject([{ application: 'shop', complete: true }]);
    expect(renderer.renders).toBe(9);
  });

  it('since its Git host hangs keeps no build from another host waiting', async () => {
    await using hanging = await gitServer();
    hanging.behave({ kind: 'hang' });
    const applications = Array.from({ length: 20 }, (_, index) => specOf(`silent${index}`, { compose, repoURL: hanging.url(`r${index}`) }));
    silent.push(build('east', applications));
    await eventually(() => hanging.requests.length === DEFAULT_GIT_LIMITS.parallel);
    expect(await build('west', [specOf('shop', { compose })])).toMatchObject([{ application: 'shop', complete: true }]);
    expect(hanging.requests).toHaveLength(DEFAULT_GIT_LIMITS.parallel);
  });
});
