import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Artifact, type BuildResult, readArtifact, type Source } from '@hivekeep/contracts';
import { aSpec, type GitRepo, type GitServer, gitServer } from '@hivekeep/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_GIT_LIMITS, GitCredentials, GitFetcher, Mirrors } from '../git/index.ts';
import { CountingChartRenderer, chartRepositories } from '../testing/chart-renderer.ts';
import { ChartServer } from '../testing/chart-server.ts';
import { ArtifactBuilder } from './artifact-builder.ts';
import { ComposeRenderer } from './render-compose.ts';
import { SecretDigests } from './secret-digests.ts';

const TEMPLATE = 'services:\n  web:\n    image: nginx:{{ .Values.tag | default "1" }}\n';
const CHART = { 'charts/web/Chart.yaml': 'name: web\nversion: 1.0.0\nappVersion: 1.10\n', 'charts/web/templates/stack.yaml': TEMPLATE };
let server: GitServer;
let charts: ChartServer;
let repository: GitRepo;
let repo: string;
let directory: string;
let mirrors: Mirrors;
let stored: Map<string, Buffer>;
let renderer: CountingChartRenderer;
let count = 0;

beforeAll(async () => {
  server = await gitServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hivekeep-charts-'));
  const urls = { insecureHosts: [], allowLocal: false };
  mirrors = new Mirrors({ directory, credentials: new GitCredentials({}), limits: DEFAULT_GIT_LIMITS, urls });
  charts = await ChartServer.start();
  stored = new Map();
  repo = `charts${count++}`;
  repository = await server.createRepo(repo);
  renderer = CountingChartRenderer.over(chartRepositories(join(directory, 'charts')));
});
afterEach(async () => {
  mirrors.close();
  await charts[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

function builder(): ArtifactBuilder {
  const artifacts = { put: async (digest: string, bytes: Uint8Array) => void stored.set(digest, Buffer.from(bytes)) };
  const compose = new ComposeRenderer(new SecretDigests());
  return new ArtifactBuilder({
    fetcher: new GitFetcher(mirrors, DEFAULT_GIT_LIMITS),
    renderer: compose,
    charts: renderer,
    artifacts,
    answerWithinMs: 30_000,
  });
}

const specOf = (source: Partial<Source>, name = 'shop') =>
  aSpec({ name, source: { repoURL: server.url(repo), revision: 'main', ...source } });

async function build(made: ArtifactBuilder, source: Partial<Source>): Promise<BuildResult> {
  const [result] = await made.build('east', [{ application: specOf(source) }], new AbortController().signal);
  if (!result) throw new Error('expected one result');
  return result;
}

function artifactOf(result: BuildResult): Artifact {
  if ('error' in result) throw new Error(result.error.message);
  return readArtifact(stored.get(result.digest)?.toString() ?? '');
}

const errorOf = (result: BuildResult) => ('error' in result ? result.error : undefined);

describe('a chart of the repository', () => {
  it('becomes a release with its values, files and requirements', async () => {
    await repository.commit({
      ...CHART,
      'charts/web/templates/site.yaml': 'configs:\n  site:\n    file: files/site.conf\n',
      'charts/web/files/site.conf': 'server {}\n',
      'charts/web/files/unused': 'x',
      'charts/web/requirements.yaml': 'networks: [{name: edge}]\n',
      'charts/web/values.yaml': 'tag: 0.9\nfloat: 1.0\nbig: 9007199254740993\n',
      'values/prod.yaml': 'tag: "2"\n',
    });
    const result = await build(builder(), { chart: { path: 'charts/web', release: 'front', values: ['values/prod.yaml'] } });
    expect(artifactOf(result).releases).toEqual([
      {
        name: 'front',
        wave: 0,
        chart: { name: 'web', version: '1.0.0', appVersion: '1.10', ref: './charts/web' },
        values: { tag: '2', float: 1, big: 9007199254740993n },
        manifest: 'configs:\n  site:\n    file: files/site.conf\nservices:\n  web:\n    image: nginx:2\n',
        files: { 'files/site.conf': Buffer.from('server {}\n').toString('base64') },
        secrets: [],
        requirements: { networks: [{ name: 'edge', driver: 'overlay', attachable: true, autoCreate: true }], secrets: [], configs: [] },
      },
    ]);
  });

  it('may be the whole repository', async () => {
    await repository.commit({ 'Chart.yaml': 'name: web\nversion: 1.0.0\n', 'templates/a.yaml': TEMPLATE });
    expect(artifactOf(await build(builder(), { chart: { path: '.' } })).releases).toMatchObject([{ name: 'shop', chart: { name: 'web' } }]);
  });

  it('is rendered again only when a commit touches it or its values', async () => {
    await repository.commit({ ...CHART, 'v.yaml': 'tag: a\n', other: '1' });
    const made = builder();
    const source = { chart: { path: 'charts/web', values: ['v.yaml'] } };
    const first = await build(made, source);
    await repository.commit({ other: '2' });
    const second = await build(made, source);
    expect([renderer.renders, artifactOf(second)]).toEqual([1, artifactOf(first)]);
    await repository.commit({ 'charts/web/README.md': 'new' });
    await build(made, source);
    await repository.commit({ 'v.yaml': 'tag: b\n' });
    expect(artifactOf(await build(made, source)).releases[0]?.manifest).toContain('nginx:b');
    expect(renderer.renders).toBe(3);
  });

  it('of 200 applications is rendered once for each, and not at all while nothing changes', async () => {
    await repository.commit(CHART);
    const made = builder();
    const requests = Array.from({ length: 200 }, (_, index) => ({ application: specOf({ chart: { path: 'charts/web' } }, `app${index}`) }));
    const build = () => made.build('east', requests, new AbortController().signal);
    await build();
    await repository.commit({ other: '1' });
    const results = await build();
    expect([renderer.renders, results.filter((result) => 'error' in result)]).toEqual([200, []]);
  });

  it('says of itself that it renders differently each time', async () => {
    await repository.commit({
      ...CHART,
      'charts/web/templates/stack.yaml': 'services:\n  web:\n    image: nginx:{{ now | date "2006" }}\n',
    });
    const artifact = artifactOf(await build(builder(), { chart: { path: 'charts/web' } }));
    expect(artifact).toMatchObject({ releases: [{ volatile: true }], warnings: [{ rule: 'volatile' }] });
    await repository.commit({ 'charts/web/templates/stack.yaml': `${TEMPLATE}x-unused: {{ len (now | date "2006") }}\n` });
    expect(artifactOf(await build(builder(), { chart: { path: 'charts/web' } })).releases[0]).not.toHaveProperty('volatile');
  });

  it.each<[string, Record<string, string | { symlink: string }>, Partial<Source['chart']>, string, RegExp]>([
    ['that is not there', {}, { path: 'charts/none' }, 'source/path-missing', /charts\/none/],
    ['that is a file', {}, { path: 'charts/web/Chart.yaml' }, 'source/path-missing', /is a file/],
    ['with a link', { 'charts/web/files/a': { symlink: '/etc/passwd' } }, {}, 'chart/invalid', /files\/a: is a symlink/],
    [
      'with values that are encrypted',
      { 'v.yaml': 'a: ENC[AES256_GCM,data:x]' },
      { values: ['v.yaml'] },
      'source/unsupported',
      /"v\.yaml" is encrypted/,
    ],
    ['with a file that is encrypted', { 'charts/web/files/a': '$ANSIBLE_VAULT;1' }, {}, 'source/unsupported', /files\/a" is encrypted/],
    [
      'with a secret in it',
      { 'charts/web/templates/s.yaml': 'secrets: {s: {file: files/s}}', 'charts/web/files/s': 'x' },
      {},
      'chart/invalid',
      /make it external/,
    ],
    [
      'that takes the name of compose',
      { 'charts/web/Chart.yaml': 'name: compose\nversion: 0.0.0\n' },
      {},
      'chart/invalid',
      /can't be compose 0\.0\.0/,
    ],
    [
      'with a template that fails',
      { 'charts/web/templates/x.yaml': 'a:\n  b: {{ fail "no" }}\n' },
      {},
      'chart/invalid',
      /templates\/x\.yaml:2:9: .*no/,
    ],
  ])('%s costs its application', async (_name, files, chart, code, message) => {
    await repository.commit({ ...CHART, ...files });
    const error = errorOf(await build(builder(), { chart: { path: 'charts/web', ...chart } }));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(error?.message).toContain('release shop');
  });
});

describe('a release file', () => {
  const file = (releases: string) => `owner: somebody\nrepositories: [{name: main, url: "${charts.url}"}]\nreleases:\n${releases}`;

  it('gives its releases with their waves, paths from its folder', async () => {
    await charts.publish('db', '1.2.0', TEMPLATE);
    await repository.commit({
      ...CHART,
      'env/prod/swarmcli-release.yaml': file(
        '- {name: web, chart: ../../charts/web, values: [./web.yaml, ../all.yaml], wave: 2}\n- {name: db, chart: main/db, version: 1.2.0, wave: -1}\n',
      ),
      'env/prod/web.yaml': 'tag: web\n',
      'env/all.yaml': 'x: 1\n',
    });
    const { releases } = artifactOf(await build(builder(), { releaseFile: 'env/prod/swarmcli-release.yaml' }));
    expect(releases).toMatchObject([
      { name: 'web', wave: 2, values: { tag: 'web', x: 1 }, chart: { ref: '../../charts/web' } },
      { name: 'db', wave: -1, chart: { name: 'db', version: '1.2.0', ref: 'main/db', repo: 'main', repoURL: charts.url } },
    ]);
  });

  it('says what is wrong with every release at once', async () => {
    await repository.commit({
      ...CHART,
      'charts/bad/Chart.yaml': 'name: bad\n',
      'r.yaml': file('- {name: a, chart: ./charts/bad}\n- {name: b, chart: ./charts/web}\n- {name: c, chart: ./charts/none}\n'),
    });
    const error = errorOf(await build(builder(), { releaseFile: 'r.yaml' }));
    expect(error?.message).toMatch(/^r\.yaml: release a: .*\(and 1 more releases\)$/);
    expect(error?.issues?.map(({ message }) => message)).toEqual([
      expect.stringMatching(/release a: is required/),
      expect.stringMatching(/release a: a chart needs at least one template/),
      expect.stringMatching(/release c: "charts\/none" is not in the repository/),
    ]);
  });

  it('that does not say where a chart is', async () => {
    await repository.commit({ 'r.yaml': 'releases: [{name: a, chart: other/db, version: 1.0.0}]' });
    const error = errorOf(await build(builder(), { releaseFile: 'r.yaml' }));
    expect(error).toMatchObject({ code: 'source/invalid', message: expect.stringContaining('other/db') });
  });
});

describe('a chart of a chart repository', () => {
  const source = () => ({ chart: { ref: 'main/db', version: '1.0.0', repositories: [{ name: 'main', url: charts.url }] } });

  it('is rendered again only when its repository says something else of that version', async () => {
    await charts.publish('db', '1.0.0', TEMPLATE);
    await repository.commit({ a: '1' });
    const made = builder();
    await build(made, source());
    await charts.publish('db', '2.0.0', TEMPLATE);
    await build(made, source());
    expect(renderer.renders).toBe(1);
    await charts.publish('db', '1.0.0', TEMPLATE.replace('nginx', 'caddy'));
    expect(artifactOf(await build(made, source())).releases[0]?.manifest).toContain('caddy');
    expect(renderer.renders).toBe(2);
  });

  it('stays what it was while its repository is away', async () => {
    await charts.publish('db', '1.0.0', TEMPLATE);
    await repository.commit({ a: '1' });
    const made = builder();
    const before = await build(made, source());
    charts.routes.clear();
    await repository.commit({ a: '2' });
    expect(artifactOf(await build(made, source()))).toEqual(artifactOf(before));
    expect(renderer.renders).toBe(1);
  });

  it('without a digest comes with a warning', async () => {
    await charts.publish('db', '1.0.0', TEMPLATE, { digest: false });
    await repository.commit({ a: '1' });
    expect(artifactOf(await build(builder(), source())).warnings).toMatchObject([{ rule: 'no-digest' }]);
  });

  it('is tried again when its version is not there yet', async () => {
    await charts.publish('db', '0.9.0', TEMPLATE);
    await repository.commit({ a: '1' });
    const made = builder();
    expect(errorOf(await build(made, source()))?.code).toBe('chart/not-found');
    await charts.publish('db', '1.0.0', TEMPLATE);
    expect(errorOf(await build(made, source()))).toBeUndefined();
  });
});
