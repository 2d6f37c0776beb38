import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Artifact, sourceCalls } from '@hivekeep/contracts';
import { createLogger, MemoryBroker, MemoryBus, openSealed, type RunningService, sealingKeys } from '@hivekeep/runtime';
import { type GitRepo, type GitServer, gitServer } from '@hivekeep/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { SourceConfig } from './source-config.ts';
import { startSource } from './start-source.ts';

const TOKEN = 'canary-token-77aa';
const SECRET = 'canary-secret-31bb';
const COMPOSE = 'services:\n  web:\n    image: nginx:1.27\n    secrets: [token]\nsecrets:\n  token:\n    file: token.txt\n';
let server: GitServer;
let repository: GitRepo;
let repo: string;
let directory: string;
let lines: string[];
let broker: MemoryBroker;
let caller: MemoryBus;
const running: RunningService[] = [];
let count = 0;

beforeAll(async () => {
  server = await gitServer({ token: TOKEN });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hivekeep-source-'));
  count += 1;
  repo = `service${count}`;
  repository = await server.createRepo(repo);
  lines = [];
  broker = new MemoryBroker();
  caller = new MemoryBus(broker);
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
  await caller.close();
  rmSync(directory, { recursive: true, force: true });
});

function start(config: z.input<typeof SourceConfig>): Promise<void> {
  const logger = createLogger({ format: 'json', level: 'debug', write: (line) => lines.push(line) });
  const parsed = SourceConfig.parse({ data: directory, gitToken: TOKEN, ...config });
  return startSource({ bus: new MemoryBus(broker), config: parsed, logger }).then((service) => void running.push(service));
}

function fromGit(): Promise<void> {
  return start({ appsetRepo: server.url(repo), appsetRevision: 'main', appsetPath: 'applications.yaml' });
}

function entry(name: string, swarm?: string): string {
  const destination = swarm === undefined ? '' : `    destination: {swarm: ${swarm}}\n`;
  return `  - name: ${name}\n    source:\n      repoURL: ${server.url(repo)}\n      revision: main\n      compose: {files: [${name}.yaml]}\n${destination}`;
}

const ask = (swarm: string, request: Partial<z.input<typeof sourceCalls.appSet.request>> = {}) =>
  caller.call(sourceCalls.appSet, { swarm }, { home: swarm === 'main', ...request });

describe('the source service', () => {
  it('loads the set, builds an application and seals its secret; no token or secret shows anywhere', async () => {
    const commit = await repository.commit({
      'applications.yaml': `applications:\n${entry('shop')}${entry('far', 'edge')}`,
      'shop.yaml': COMPOSE,
      'token.txt': SECRET,
    });
    await fromGit();
    const set = await ask('main', { evidence: true });
    expect(set).toMatchObject({
      mode: 'git',
      revision: commit,
      complete: true,
      others: [{ name: 'far', swarm: 'edge', releases: ['far'] }],
    });
    const [application] = set.applications;
    if (!application) throw new Error('expected an application');

    const { results } = await caller.call(sourceCalls.build, { swarm: 'main' }, { applications: [{ application }] });
    const [result] = results;
    if (!result || 'error' in result) throw new Error(`expected a build, found ${JSON.stringify(result)}`);
    const bytes = await caller.artifacts.get(result.digest);
    const artifact = Artifact.parse(JSON.parse(Buffer.from(bytes ?? []).toString()));
    const names = artifact.releases.flatMap(({ secrets }) => secrets.map(({ name }) => name));

    const keys = sealingKeys();
    const request = { application, commit, release: 'shop', names, publicKey: keys.publicKey };
    const { sealed } = await caller.call(sourceCalls.secretContents, { swarm: 'main' }, request);
    expect(Object.values(sealed).map((text) => openSealed(keys.privateKey, text).toString())).toEqual([SECRET]);

    const everything = [JSON.stringify([set, results, sealed]), Buffer.from(bytes ?? []).toString(), ...lines].join('\n');
    for (const canary of [TOKEN, SECRET])
      for (const encoding of ['utf8', 'base64', 'hex'] as const) expect(everything).not.toContain(Buffer.from(canary).toString(encoding));
  });

  it('lets no swarm build, or read secrets of, what is declared for another', async () => {
    const commit = await repository.commit({
      'applications.yaml': `applications:\n${entry('shop')}`,
      'shop.yaml': COMPOSE,
      'token.txt': SECRET,
    });
    await start({ appsetRepo: server.url(repo), appsetRevision: 'main', appsetPath: 'applications.yaml', homeSwarm: 'main' });
    const { applications } = await ask('main');
    const [application] = applications;
    if (!application) throw new Error('expected an application');
    await expect(ask('edge', { home: true })).rejects.toMatchObject({ code: 'auth/forbidden' });
    const built = await caller.call(sourceCalls.build, { swarm: 'edge' }, { applications: [{ application }] });
    expect(built.results).toMatchObject([{ application: 'shop', error: { code: 'application/unknown' } }]);
    const request = { application, commit, release: 'shop', names: ['shop_token'], publicKey: sealingKeys().publicKey };
    await expect(caller.call(sourceCalls.secretContents, { swarm: 'edge' }, request)).rejects.toMatchObject({
      code: 'application/unknown',
    });
  });

  it('answers with every problem of a broken set and keeps the good one', async () => {
    const good = await repository.commit({ 'applications.yaml': `applications:\n${entry('shop')}` });
    await fromGit();
    await ask('main');
    await repository.commit({ 'applications.yaml': `applications:\n${entry('shop')}${entry('shop')}    nonsense: 1\n` });
    const answer = await ask('main', { have: good });
    expect(answer).toMatchObject({ revision: good, complete: false, error: { code: 'appset/invalid' } });
    expect(answer.issues?.length).toBeGreaterThanOrEqual(2);
    expect(answer.applications.map(({ name }) => name)).toEqual(['shop']);
  });

  it('starts without a set in Git and reports a wrong token', async () => {
    await repository.commit({ 'applications.yaml': `applications:\n${entry('shop')}` });
    await start({ appsetRepo: server.url(repo), appsetRevision: 'main', appsetPath: 'applications.yaml', gitToken: 'wrong-canary' });
    const answer = await ask('main');
    expect(answer).toMatchObject({ revision: '', complete: false, applications: [], error: { code: 'source/auth' } });
    expect([JSON.stringify(answer), ...lines].join('\n')).not.toContain('wrong-canary');
  });

  it.each([
    ['is missing', undefined, 'appset/not-found'],
    ['is invalid', 'applications: []\n', 'appset/invalid'],
  ])('does not start when the mounted set %s', async (_, content, code) => {
    const config = join(directory, 'applications.yaml');
    if (content !== undefined) writeFileSync(config, content);
    await expect(start({ config })).rejects.toMatchObject({ code });
  });

  it('announces itself while it runs', async () => {
    writeFileSync(join(directory, 'applications.yaml'), `applications:\n${entry('shop')}`);
    await start({ appsetDir: directory });
    expect(await caller.presence.list()).toMatchObject([{ service: 'source' }]);
    await running.pop()?.close();
    expect(await caller.presence.list()).toEqual([]);
  });
});

describe('its configuration', () => {
  it.each([
    [{ appsetRepo: 'r', appsetDir: 'd' }, 'appsetDir'],
    [{ appsetRepo: 'r', appsetPath: 'p' }, 'appsetRevision'],
    [{ appsetRepo: 'r', appsetRevision: 'v' }, 'appsetPath'],
    [{ appsetRevision: 'v' }, 'appsetRevision'],
    [{ appsetPath: 'p' }, 'appsetPath'],
    [{ config: 'c', appsetDir: 'd' }, 'config'],
    [{ data: 'relative' }, 'data'],
  ])('refuses %j', (config, member) => {
    const parsed = SourceConfig.safeParse(config);
    expect(parsed.error?.issues.map(({ path }) => path[0])).toContain(member);
  });
});
