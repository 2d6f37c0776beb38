import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Artifact, type ComposeSource, canonicalJson, type Source } from '@hivekeep/contracts';
import { decode, toPlain } from '@hivekeep/goyaml';
import { aSpec, type GitRepo, type GitServer, gitServer } from '@hivekeep/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_GIT_LIMITS, GitCredentials, GitFetcher, Mirrors } from '../git/index.ts';
import { CountingChartRenderer, chartRepositories } from '../testing/chart-renderer.ts';
import { ArtifactBuilder } from './artifact-builder.ts';
import { ComposeRenderer } from './render-compose.ts';
import { SecretDigests } from './secret-digests.ts';

const CANARY = 'canary-3f9a-never-shown';
const COMPOSE = 'services:\n  web:\n    image: nginx:1.27\n';
let server: GitServer;
let repository: GitRepo;
let repo: string;
let directory: string;
let mirrors: Mirrors;
let stored: Map<string, Buffer>;
let renders: string[];
let count = 0;

beforeAll(async () => {
  server = await gitServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hivekeep-builder-'));
  mirrors = new Mirrors({
    directory,
    credentials: new GitCredentials({}),
    limits: DEFAULT_GIT_LIMITS,
    urls: { insecureHosts: [], allowLocal: false },
  });
  stored = new Map();
  renders = [];
  count += 1;
  repo = `builder${count}`;
  repository = await server.createRepo(repo);
});
afterEach(() => {
  mirrors.close();
  rmSync(directory, { recursive: true, force: true });
});

class CountingRenderer extends ComposeRenderer {
  override render(...args: Parameters<ComposeRenderer['render']>) {
    renders.push(args[0].spec.name);
    return super.render(...args);
  }
}

function builder(answerWithinMs = 30_000): ArtifactBuilder {
  const artifacts = { put: async (digest: string, bytes: Uint8Array) => void stored.set(digest, Buffer.from(bytes)) };
  return new ArtifactBuilder({
    fetcher: new GitFetcher(mirrors, DEFAULT_GIT_LIMITS),
    renderer: new CountingRenderer(new SecretDigests()),
    charts: CountingChartRenderer.over(chartRepositories(join(directory, 'charts'))),
    artifacts,
    answerWithinMs,
  });
}

function specOf(name: string, compose: Partial<ComposeSource> = {}, source: Partial<Source> = {}) {
  return aSpec({
    name,
    source: { repoURL: server.url(repo), revision: 'main', compose: { files: ['compose.yaml'], ...compose }, ...source },
  });
}

const { signal } = new AbortController();

async function buildOne(made: ArtifactBuilder, spec: ReturnType<typeof specOf>, swarm = 'east') {
  const [result] = await made.build(swarm, [{ application: spec }], signal);
  if (!result) throw new Error('expected one result');
  return result;
}

/** The artifact of a result, which must be a success. */
async function artifactOf(made: ArtifactBuilder, spec: ReturnType<typeof specOf>, swarm = 'east'): Promise<Artifact> {
  const result = await buildOne(made, spec, swarm);
  if ('error' in result) throw new Error(result.error.message);
  return Artifact.parse(JSON.parse(stored.get(result.digest)?.toString() ?? ''));
}

function manifestOf(artifact: Artifact): unknown {
  return toPlain(decode(artifact.releases[0]?.manifest ?? ''));
}

describe('a build', () => {
  it('stores canonical JSON under its digest, with the commit beside it', async () => {
    const commit = await repository.commit(
      { 'compose.yaml': COMPOSE },
      { message: 'First\n\nbody', author: { name: 'Ada', email: 'ada@example.invalid' } },
    );
    const result = await buildOne(builder(), specOf('shop'));
    expect(result).toMatchObject({
      application: 'shop',
      provenance: { commit, author: 'Ada', subject: 'First', committedAt: '2026-01-01T00:00:00.000Z' },
      complete: true,
    });
    const [[digest, bytes] = ['', Buffer.alloc(0)]] = stored;
    expect(digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    const artifact = Artifact.parse(JSON.parse(bytes.toString()));
    expect(bytes.toString()).toBe(canonicalJson(artifact));
    expect(artifact.releases).toMatchObject([{ name: 'shop', wave: 0, chart: { name: 'compose', version: '0.0.0', ref: 'compose' } }]);
    expect(manifestOf(artifact)).toMatchObject({ services: { web: { image: 'nginx:1.27' } } });
    expect(bytes.toString()).not.toContain(commit);
  });

  it('asks a repository once for 200 applications', async () => {
    await repository.commit({ 'compose.yaml': COMPOSE });
    const made = builder();
    const requests = Array.from({ length: 200 }, (_, index) => ({ application: specOf(`app${index}`) }));
    await made.build('east', requests, signal);
    server.forget();
    const results = await made.build('east', requests, signal);
    expect(results.map(({ application }) => application)).toEqual(requests.map(({ application }) => application.name));
    expect(server.requests.filter(({ path }) => path === 'info/refs')).toHaveLength(1);
    expect(renders).toHaveLength(200);
  });

  it('renders again only what a commit touches', async () => {
    const files = { 'a.yaml': COMPOSE, 'b.yaml': COMPOSE, 'b.env': 'X=1' };
    await repository.commit(files);
    const made = builder();
    const requests = [
      { application: specOf('a', { files: ['a.yaml'] }) },
      { application: specOf('b', { files: ['b.yaml'], envFiles: ['b.env'] }) },
    ];
    const before = await made.build('east', requests, signal);
    const unrelated = await repository.commit({ other: '1' });
    const after = await made.build('east', requests, signal);
    expect([...renders].sort()).toEqual(['a', 'b']);
    expect(after.map((result) => 'digest' in result && result.digest)).toEqual(before.map((result) => 'digest' in result && result.digest));
    expect(after.map((result) => 'provenance' in result && result.provenance.commit)).toEqual([unrelated, unrelated]);
    await repository.commit({ 'b.env': 'X=2' });
    await made.build('east', requests, signal);
    expect([...renders].sort()).toEqual(['a', 'b', 'b']);
  });

  it('stores a lost artifact again', async () => {
    await repository.commit({ 'compose.yaml': COMPOSE });
    const made = builder();
    const result = await buildOne(made, specOf('shop'));
    const digest = 'digest' in result ? result.digest : '';
    stored.clear();
    await made.build('east', [{ application: specOf('shop') }], signal);
    expect(stored.size).toBe(0);
    await made.build('east', [{ application: specOf('shop'), lost: digest }], signal);
    expect([...stored.keys()]).toEqual([digest]);
  });

  it('costs only its own application when it fails', async () => {
    await repository.commit({
      'compose.yaml': COMPOSE,
      'bad.yaml': 'services: [',
      out: { symlink: '/etc/passwd' },
      'sops.env': 'A=ENC[AES256_GCM,data:x]',
    });
    const made = builder();
    const gone = { repoURL: server.url('gone') };
    const chart = { repoURL: server.url(repo), revision: 'main', chart: { path: 'chart' } };
    const cases = [
      [specOf('good'), undefined],
      [specOf('bad', { files: ['bad.yaml'] }), 'compose/invalid'],
      [specOf('none', { files: ['none.yaml'] }), 'compose/invalid'],
      [specOf('out', { files: ['out'] }), 'compose/invalid'],
      [specOf('up', { files: ['../compose.yaml'] }), 'compose/invalid'],
      [specOf('sops', { envFiles: ['sops.env'] }), 'source/unsupported'],
      [specOf('branch', {}, { revision: 'nowhere' }), 'source/revision-unknown'],
      [specOf('gone', {}, gone), 'source/unreachable'],
      [aSpec({ name: 'chart', source: chart }), 'source/path-missing'],
      [specOf('scheme', {}, { repoURL: 'ext::sh -c id' }), 'source/refused'],
    ] as const;
    server.behave({ kind: 'refuse', status: 404 }, 'gone');
    const results = await made.build(
      'east',
      cases.map(([application]) => ({ application })),
      signal,
    );
    expect(results.map((result) => [result.application, 'error' in result ? result.error.code : undefined])).toEqual(
      cases.map(([{ name }, code]) => [name, code]),
    );
  });

  it.each([
    ['a symlink to /etc/passwd', { link: { symlink: '/etc/passwd' } }, 'link'],
    ['a symlink out of the repository', { link: { symlink: '../../secret' } }, 'link'],
    ['a path out of the repository', {}, '../../etc/passwd'],
    ['an absolute path', {}, '/proc/self/environ'],
  ])('refuses %s as the content of a secret, a config or an env file, naming it', async (_, files, path) => {
    await repository.commit({
      'env.yaml': `${COMPOSE}    env_file: ${path}\n`,
      'objects.yaml': `${COMPOSE}secrets:\n  a:\n    file: ${path}\nconfigs:\n  b:\n    file: ${path}\n`,
      ...files,
    });
    const made = builder();
    const results = [
      await buildOne(made, specOf('env', { files: ['env.yaml'] })),
      await buildOne(made, specOf('objects', { files: ['objects.yaml'] })),
    ];
    const issues = results.flatMap((result) => ('error' in result ? (result.error.issues ?? []) : []));
    expect(issues.map((issue) => issue.path).sort()).toEqual(['configs.b.file', 'secrets.a.file', 'services.web.env_file[0]']);
    for (const issue of issues) expect(issue.message).toContain(path);
    expect(stored.size).toBe(0);
  });

  it('answers the others while one repository hangs', async () => {
    await repository.commit({ 'compose.yaml': COMPOSE });
    server.behave({ kind: 'hang' }, 'hanging');
    const applications = [specOf('good'), specOf('late', {}, { repoURL: server.url('hanging') })];
    const results = await builder(1_500).build(
      'east',
      applications.map((application) => ({ application })),
      signal,
    );
    expect(results).toMatchObject([
      { application: 'good', complete: true },
      { application: 'late', error: { code: 'source/timeout' } },
    ]);
  });
});

describe('the environment of a compose source', () => {
  it('is the env files in order, then env, and never that of this process', async () => {
    await repository.commit({
      'compose.yaml': 'services:\n  web:\n    image: "i:$A.$B.$C.x$PATH"\n    environment: [A, HOME]\n',
      'one.env': 'A=1\nB=1\nC=1\nPATH\n',
      'two.env': 'B=2\nC=2\n',
    });
    const artifact = await artifactOf(builder(), specOf('shop', { envFiles: ['one.env', 'two.env'], env: { C: '3' } }));
    expect(manifestOf(artifact)).toMatchObject({ services: { web: { image: 'i:1.2.3.x' } } });
    expect(artifact.releases[0]?.manifest).not.toContain(process.env.HOME ?? 'unset');
  });

  it('names file and line of a bad env file', async () => {
    await repository.commit({ 'compose.yaml': COMPOSE, 'bad.env': 'A=1\nB C=2\n' });
    const result = await buildOne(builder(), specOf('shop', { envFiles: ['bad.env'] }));
    expect(result).toMatchObject({ error: { code: 'compose/invalid', issues: [{ file: 'bad.env', line: 2 }] } });
  });
});

describe('secrets', () => {
  const files = {
    'compose.yaml': `${COMPOSE}    secrets: [token]\n    configs: [page]\nsecrets:\n  token:\n    file: token.txt\nconfigs:\n  page:\n    file: page.html\n`,
    'token.txt': CANARY,
    'page.html': '<h1>hello</h1>',
  };

  it('are in no artifact and no result, and come back by the name of the object', async () => {
    const commit = await repository.commit(files);
    const made = builder();
    const result = await buildOne(made, specOf('shop'));
    const artifact = await artifactOf(made, specOf('shop'));
    const [reference] = artifact.releases[0]?.secrets ?? [];
    expect(reference?.name).toMatch(/^shop_token-[0-9a-f]{12}$/);
    expect(reference?.name.slice(-12)).toBe(reference?.digest?.slice(0, 12));
    expect(Object.values(artifact.releases[0]?.files ?? {})).toEqual([Buffer.from(files['page.html']).toString('base64')]);
    const everything = JSON.stringify([result, ...[...stored.values()].map(String)]);
    for (const form of [CANARY, Buffer.from(CANARY).toString('base64'), Buffer.from(CANARY).toString('hex')])
      expect(everything).not.toContain(form);
    const contents = await made.secretContents('east', specOf('shop'), commit, [reference?.name ?? '']);
    expect([...contents.values()].map(String)).toEqual([CANARY]);
  });

  it('have another name on another swarm', async () => {
    await repository.commit(files);
    const made = builder();
    const [east, west] = [await artifactOf(made, specOf('shop'), 'east'), await artifactOf(made, specOf('shop'), 'west')];
    expect(east.releases[0]?.secrets).not.toEqual(west.releases[0]?.secrets);
    expect(Object.keys(east.releases[0]?.files ?? {})).toEqual(Object.keys(west.releases[0]?.files ?? {}));
  });

  it('are not given out under a name that their content no longer makes', async () => {
    const commit = await repository.commit(files);
    await expect(builder().secretContents('east', specOf('shop'), commit, ['shop_token_000000000000'])).rejects.toMatchObject({
      code: 'artifact/missing',
    });
  });

  it('are in no error', async () => {
    await repository.commit({ ...files, 'compose.yaml': `${files['compose.yaml']}    nonsense: 1\n`, 'canary.env': `${CANARY} x=1\n` });
    const made = builder();
    const results = [await buildOne(made, specOf('shop')), await buildOne(made, specOf('asfile', { files: ['token.txt'] }))];
    for (const result of results) expect('error' in result).toBe(true);
    expect(JSON.stringify(results)).not.toContain(CANARY);
  });
});
