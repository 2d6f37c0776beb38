import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_APP_SET_BYTES } from '@hivekeep/application';
import { HivekeepError, Spec } from '@hivekeep/contracts';
import { type GitRepo, type GitServer, gitServer } from '@hivekeep/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_GIT_LIMITS, GitCredentials, GitFetcher, Mirrors } from '../git/index.ts';
import { AppSet, type AppSetParser } from './app-set.ts';
import type { AppSetReader } from './app-set-reader.ts';
import { FileAppSet } from './file-app-set.ts';
import { GitAppSet } from './git-app-set.ts';

let server: GitServer;
let directory: string;
const opened: Mirrors[] = [];

beforeAll(async () => {
  server = await gitServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hivekeep-app-set-'));
});
afterEach(() => {
  for (const mirrors of opened.splice(0)) mirrors.close();
  rmSync(directory, { recursive: true, force: true });
  server.behave({ kind: 'serve' });
});

/** Lines of `name swarm`; anything else is invalid. The format is not what is tested here. */
const parse: AppSetParser = ({ bytes, file }) =>
  new TextDecoder()
    .decode(bytes)
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', swarm = ''] = line.split(' ');
      if (name === 'broken') throw new HivekeepError('appset/invalid', `${file}: broken`, { issues: [{ file, message: 'broken' }] });
      const source = { repoURL: `https://git.example.com/${name}`, revision: 'main', compose: { files: ['c.yaml'] } };
      return Spec.parse({ name, source, destination: swarm ? { swarm } : {} });
    });

let seconds = 0;
function tick(): Date {
  seconds += 1;
  return new Date(seconds * 1000);
}

function appSetOver(reader: AppSetReader, homeSwarm?: string): AppSet {
  return new AppSet({ reader, parse, homeSwarm, now: tick });
}

function gitAppSet(name: string, folder = 'a'): AppSet {
  const mirrors = new Mirrors({
    directory: join(directory, folder),
    credentials: new GitCredentials({}),
    limits: { ...DEFAULT_GIT_LIMITS, askTimeoutMs: 5_000 },
    urls: { insecureHosts: [], allowLocal: false },
  });
  opened.push(mirrors);
  return appSetOver(
    new GitAppSet({ repoURL: server.url(name), revision: 'main', path: 'apps' }, new GitFetcher(mirrors, DEFAULT_GIT_LIMITS)),
  );
}

const question = { home: true, evidence: false };
const names = (specs: readonly { name: string }[]): string[] => specs.map(({ name }) => name);

describe('an app set in Git', () => {
  let repository: GitRepo;
  let repo: string;
  let count = 0;
  beforeEach(async () => {
    count += 1;
    repo = `set${count}`;
    repository = await server.createRepo(repo);
  });

  it('gives a swarm its own applications whole and of the others the names', async () => {
    const commit = await repository.commit({ apps: 'web\ndb remote\n' });
    const answer = await gitAppSet(repo).answer('here', question);
    expect(answer).toMatchObject({
      mode: 'git',
      revision: commit,
      complete: true,
      identity: `${server.url(repo)} apps`,
      repoURL: server.url(repo),
    });
    expect(names(answer.applications)).toEqual(['web']);
    expect(answer.others).toEqual([{ name: 'db', swarm: 'remote', releases: ['db'] }]);
    const remote = await gitAppSet(repo, 'b').answer('remote', { home: false, evidence: false });
    expect(names(remote.applications)).toEqual(['db']);
    expect(remote.others).toEqual([{ name: 'web', swarm: '', releases: ['web'] }]);
  });

  it('does not move loadedAt for a commit that leaves the file alone', async () => {
    await repository.commit({ apps: 'web' });
    const set = gitAppSet(repo);
    const before = await set.answer('here', question);
    const next = await repository.commit({ other: '1' });
    const after = await set.answer('here', question);
    expect(after).toEqual({ ...before, revision: next });
  });

  it('keeps the last good set over a broken commit, says so each time, and forgets it when mended', async () => {
    const good = await repository.commit({ apps: 'web' });
    const set = gitAppSet(repo);
    await set.answer('here', question);
    const bad = await repository.commit({ apps: 'broken' });
    for (const _ of [1, 2]) {
      const answer = await set.answer('here', { ...question, have: good });
      expect(answer).toMatchObject({ revision: good, complete: false, error: { code: 'appset/invalid' } });
      expect(answer.issues).toEqual([{ file: `apps@${bad}`, message: 'broken' }]);
      expect(names(answer.applications)).toEqual(['web']);
    }
    await expect(set.answer('here', { ...question, evidence: true })).rejects.toMatchObject({
      code: 'appset/stale',
      issues: [{ message: 'broken' }],
    });
    const mended = await repository.commit({ apps: 'web' });
    const answer = await set.answer('here', { ...question, have: good, evidence: true });
    expect(answer).toMatchObject({ revision: mended, complete: true, descends: true });
    expect(answer.error).toBeUndefined();
  });

  it('is silent, not empty, when nothing was ever valid', async () => {
    await repository.commit({ apps: 'broken' });
    const answer = await gitAppSet(repo).answer('here', question);
    expect(answer).toMatchObject({ revision: '', complete: false, applications: [], error: { code: 'appset/invalid' } });
    expect(answer.loadedAt).toBeUndefined();
  });

  it('serves the revision the caller holds after a restart over a broken commit', async () => {
    const good = await repository.commit({ apps: 'web' });
    await repository.commit({ apps: 'broken' });
    const answer = await gitAppSet(repo).answer('here', { ...question, have: good });
    expect(answer).toMatchObject({ revision: good, complete: false, error: { code: 'appset/invalid' } });
    expect(names(answer.applications)).toEqual(['web']);
  });

  it('tells a rewritten history', async () => {
    const old = await repository.commit({ apps: 'web' });
    const set = gitAppSet(repo);
    await set.answer('here', question);
    const forced = await repository.commit({ apps: 'db' }, { onto: null, message: 'forced' });
    expect(await set.answer('here', { ...question, have: old })).toMatchObject({ revision: forced, complete: true, descends: false });
  });

  it('never answers with less than the caller has: two sources, one of them cut off', async () => {
    const first = await repository.commit({ apps: 'web\nz' });
    const [cutOff, other] = [gitAppSet(repo), gitAppSet(repo, 'b')];
    await Promise.all([cutOff.answer('here', question), other.answer('here', question)]);
    const second = await repository.commit({ apps: 'web\nz\nnew' });
    expect(await other.answer('here', { ...question, have: first })).toMatchObject({ revision: second, descends: true });
    server.behave({ kind: 'refuse', status: 500 }, repo);
    await expect(cutOff.answer('here', { ...question, have: second })).rejects.toMatchObject({ code: 'source/behind' });
    expect(await cutOff.answer('here', { ...question, have: first })).toMatchObject({
      revision: first,
      complete: false,
      error: { code: 'source/unreachable' },
    });
    expect(await other.answer('here', { ...question, have: first })).toMatchObject({ revision: second, complete: false });
    server.behave({ kind: 'serve' }, repo);
    expect(await cutOff.answer('here', { ...question, have: second })).toMatchObject({ revision: second, complete: true, descends: true });
  });

  it.each([
    ['a missing file', { other: '1' }, 'appset/not-found'],
    ['a link out of the repository', { apps: { symlink: '/etc/passwd' } }, 'appset/invalid'],
    ['more than 4 MiB', { apps: 'x'.repeat(MAX_APP_SET_BYTES + 1) }, 'appset/too-large'],
  ])('refuses %s', async (_, files, code) => {
    await repository.commit(files);
    expect((await gitAppSet(repo).answer('here', question)).error).toMatchObject({ code, message: expect.stringContaining('apps@') });
  });
});

describe('who may ask for what', () => {
  it('lets a swarm build what is declared for it and nothing else', async () => {
    writeFileSync(join(directory, 'apps'), 'web\ndb remote');
    const set = appSetOver(FileAppSet.mounted(join(directory, 'apps')));
    const [web, db] = await set.load();
    if (!web || !db) throw new Error('expected two applications');
    const refused = async (swarm: string, applications: Spec[]) =>
      [...(await set.refused(swarm, applications))].map(([spec, { code }]) => [spec, code]);
    expect(await refused('remote', [db, web])).toEqual([]);
    expect(await refused('here', [db, web])).toEqual([[db, 'application/unknown']]);
    const elsewhere = { ...web, source: { ...web.source, repoURL: 'https://git.example.com/other' } };
    expect(await refused('here', [elsewhere])).toEqual([[elsewhere, 'application/unknown']]);
    // Then it may be the set that is old, not the caller that is wrong.
    writeFileSync(join(directory, 'apps'), '!');
    expect(await refused('here', [elsewhere, web])).toEqual([[elsewhere, 'source/behind']]);
  });

  it('gives applications without a destination to the home swarm alone when it is named', async () => {
    writeFileSync(join(directory, 'apps'), 'web');
    const set = appSetOver(FileAppSet.mounted(join(directory, 'apps')), 'main');
    await expect(set.answer('other', question)).rejects.toMatchObject({ code: 'auth/forbidden' });
    expect(names((await set.answer('main', question)).applications)).toEqual(['web']);
    expect((await set.refused('other', await set.load())).size).toBe(1);
  });
});

describe('an app set in a file', () => {
  it('is read at each question and may be replaced by rename', async () => {
    const file = join(directory, 'apps');
    writeFileSync(file, 'web');
    const set = appSetOver(FileAppSet.inDirectory(directory, 'apps'));
    const first = await set.answer('here', question);
    expect(first).toMatchObject({ mode: 'path', complete: true, source: file });
    writeFileSync(join(directory, 'next'), 'db');
    renameSync(join(directory, 'next'), file);
    const second = await set.answer('here', { ...question, have: first.revision });
    expect(names(second.applications)).toEqual(['db']);
    expect(second.descends).toBeUndefined();
    rmSync(file);
    expect(await set.answer('here', question)).toMatchObject({
      revision: second.revision,
      complete: false,
      error: { code: 'appset/not-found' },
    });
  });

  it('loads exactly 4 MiB and refuses one byte more', async () => {
    const file = join(directory, 'apps');
    writeFileSync(file, `web\n${' '.repeat(MAX_APP_SET_BYTES - 4)}`);
    expect(names(await appSetOver(FileAppSet.mounted(file)).load())).toEqual(['web']);
    writeFileSync(file, `web\n${' '.repeat(MAX_APP_SET_BYTES - 3)}`);
    await expect(appSetOver(FileAppSet.mounted(file)).load()).rejects.toMatchObject({ code: 'appset/too-large' });
  });

  it('follows links inside the folder and refuses one that leads out', async () => {
    mkdirSync(join(directory, 'root'));
    writeFileSync(join(directory, 'root', 'real'), 'web');
    writeFileSync(join(directory, 'outside'), 'web');
    symlinkSync('real', join(directory, 'root', 'inside'));
    symlinkSync('../outside', join(directory, 'root', 'out'));
    expect(names(await appSetOver(FileAppSet.inDirectory(join(directory, 'root'), 'inside')).load())).toEqual(['web']);
    await expect(appSetOver(FileAppSet.inDirectory(join(directory, 'root'), 'out')).load()).rejects.toMatchObject({
      code: 'appset/invalid',
    });
    await expect(appSetOver(FileAppSet.inDirectory(join(directory, 'root'), '../outside')).load()).rejects.toMatchObject({
      code: 'appset/invalid',
    });
  });
});
