import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isolatedGit } from './git-repo.ts';
import { type GitServer, gitServer } from './git-server.ts';
import { run } from './run.ts';
import { tempDir } from './temp-dir.ts';

let server: GitServer;
beforeAll(async () => {
  server = await gitServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.behave({ kind: 'serve' });
  server.forget();
});

const git = (...args: string[]) => run('git', args, { env: isolatedGit, timeoutMs: 10_000 });
const lsRemote = (url: string, ...options: string[]) => git(...options, 'ls-remote', url, 'refs/heads/main');

test('serves commits with the given author, time, symlinks and executables', async () => {
  const repo = await server.createRepo('tree');
  const commit = await repo.commit(
    { 'a/compose.yaml': 'services: {}\n', link: { symlink: '/etc/passwd' }, 'run.sh': { executable: '#!/bin/sh\n' }, 'ä "b".txt': 'x' },
    { message: 'First', author: { name: 'Ada', email: 'ada@example.invalid' }, date: new Date('2026-02-03T04:05:06Z') },
  );
  await using dir = await tempDir();
  await git('clone', '--quiet', server.url('tree'), dir.path);

  expect(await git('-C', dir.path, 'log', '-1', '--format=%H %an %ae %at %s')).toBe(`${commit} Ada ada@example.invalid 1770091506 First\n`);
  expect(await readFile(join(dir.path, 'a/compose.yaml'), 'utf8')).toBe('services: {}\n');
  expect(await readFile(join(dir.path, 'ä "b".txt'), 'utf8')).toBe('x');
  expect(await readlink(join(dir.path, 'link'))).toBe('/etc/passwd');
  expect(await repo.git('ls-tree', 'HEAD', 'run.sh')).toContain('100755');
  expect(server.requests[0]).toEqual({ repo: 'tree', method: 'GET', path: 'info/refs', service: 'git-upload-pack' });
});

test('a commit builds on the branch, removes paths, and a forced one leaves history behind', async () => {
  const repo = await server.createRepo('history');
  const first = await repo.commit({ a: '1', b: '1' });
  const second = await repo.commit({ b: null });
  expect(await repo.git('ls-tree', '--name-only', second)).toBe('a\n');
  expect((await repo.git('rev-parse', `${second}^`)).trim()).toBe(first);

  const forced = await repo.commit({ c: '1' }, { onto: null });
  expect(await lsRemote(server.url('history'))).toBe(`${forced}\trefs/heads/main\n`);
  expect(await repo.git('rev-list', '--count', forced)).toBe('1\n');
});

test('refuses without the token, and takes it as a password', async () => {
  await using guarded = await gitServer({ token: 's3cret' });
  const commit = await (await guarded.createRepo('app')).commit({ a: '1' });
  const url = guarded.url('app');
  await expect(lsRemote(url)).rejects.toThrow('could not read Username');
  await expect(lsRemote(url.replace('//', '//u:wrong@'))).rejects.toThrow('Authentication failed');
  expect(await lsRemote(url.replace('//', '//u:s3cret@'))).toContain(commit);
});

test.for([
  [{ kind: 'refuse', status: 503 }, /503/],
  [{ kind: 'hang' }, /SIGKILL/],
  [{ kind: 'cut', afterBytes: 10 }, /ended with 128/],
] as const)('misbehaves when told to: %o', async ([behaviour, message]) => {
  await (await server.createRepo(`bad-${behaviour.kind}`)).commit({ a: '1' });
  server.behave(behaviour);
  const asked = run('git', ['ls-remote', server.url(`bad-${behaviour.kind}`)], { env: isolatedGit, timeoutMs: 1000 });
  await expect(asked).rejects.toThrow(message);
});

test('cut refuses connections until it listens again', async () => {
  await (await server.createRepo('cut')).commit({ a: '1' });
  await server.cut();
  await expect(lsRemote(server.url('cut'))).rejects.toThrow(/Failed to connect|Connection refused|Could not connect/i);
  await server.listen();
  expect(await lsRemote(server.url('cut'))).toContain('refs/heads/main');
});
