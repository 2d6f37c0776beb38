import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GitServer } from '../testing/git-server.ts';
import { waitUntil } from '../testing/wait-until.ts';
import { type CredentialOptions, GitCredentials } from './credentials.ts';
import { DEFAULT_GIT_LIMITS, type GitLimits } from './git-limits.ts';
import { CommitTree, Mirrors } from './index.ts';

let server: GitServer;
let directory: string;
const open: Mirrors[] = [];

beforeAll(async () => {
  server = await GitServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hivekeep-mirrors-'));
});
afterEach(() => {
  for (const mirrors of open.splice(0)) mirrors.close();
  rmSync(directory, { recursive: true, force: true });
});

function mirrorsWith(limits: Partial<GitLimits> = {}, credentials: CredentialOptions = {}): Mirrors {
  const mirrors = new Mirrors({
    directory: join(directory, 'repos'),
    credentials: new GitCredentials(credentials),
    limits: { ...DEFAULT_GIT_LIMITS, ...limits },
    urls: { insecureHosts: [], allowLocal: false },
  });
  open.push(mirrors);
  return mirrors;
}

/** Command lines of the processes that run now and name `text`. */
function processesNaming(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(text));
}

describe('revisions', () => {
  it('takes a tag before a branch of the same name, peels annotated tags and accepts full ids', async () => {
    const repository = server.repository('revisions');
    const first = repository.commit({ a: '1' });
    repository.git('tag', '-a', '-m', 'annotated', 'v1', first);
    repository.git('tag', 'release', first);
    const second = repository.commit({ a: '2' });
    repository.git('branch', 'release', second);
    const mirror = await mirrorsWith().of(server.url('revisions'));
    const refs = await mirror.ask();
    expect(await mirror.commitOf('v1', refs)).toBe(first);
    expect(await mirror.commitOf('release', refs)).toBe(first);
    expect(await mirror.commitOf('main', refs)).toBe(second);
    expect(await mirror.commitOf(first, refs)).toBe(first);
  });

  it.each([
    ['nowhere', /no tag or branch "nowhere"/],
    ['abcdef123', /named by its full id/],
    ['f'.repeat(40), /has no commit f{40}/],
    ['--upload-pack=touch', /no tag or branch/],
  ])('says that %s is unknown', async (revision, message) => {
    server.repository('unknown').commit({ a: '1' });
    const mirror = await mirrorsWith().of(server.url('unknown'));
    const refs = await mirror.ask();
    await expect(mirror.commitOf(revision, refs)).rejects.toMatchObject({
      code: 'source/revision-unknown',
      message: expect.stringMatching(message),
    });
  });

  it('says that a repository is empty', async () => {
    server.repository('empty');
    const mirror = await mirrorsWith().of(server.url('empty'));
    await expect(mirror.commitOf('main', await mirror.ask())).rejects.toMatchObject({
      code: 'source/revision-unknown',
      message: expect.stringContaining('no branch and no tag yet'),
    });
  });

  it('refuses a tag that names no commit', async () => {
    const repository = server.repository('tree-tag');
    repository.commit({ a: '1' });
    repository.git('tag', 'tree', repository.git('rev-parse', 'main^{tree}'));
    const mirror = await mirrorsWith().of(server.url('tree-tag'));
    await expect(mirror.commitOf('tree', await mirror.ask())).rejects.toMatchObject({ code: 'source/revision-unknown' });
  });

  it('takes a force-pushed commit, knows it does not descend, and keeps the old one', async () => {
    const repository = server.repository('forced');
    const base = repository.commit({ a: '1' });
    const old = repository.commit({ a: '2' });
    const mirror = await mirrorsWith().of(server.url('forced'));
    await mirror.commitOf('main', await mirror.ask());
    expect(await mirror.descends(old, base)).toBe(true);
    expect(await mirror.descends(base, old)).toBe(false);
    const forced = repository.commit({ a: '3' }, { orphan: true });
    expect(await mirror.commitOf('main', await mirror.ask())).toBe(forced);
    expect(await mirror.descends(forced, old)).toBe(false);
    expect(await mirror.commitOf(old, await mirror.ask())).toBe(old);
  });

  it('fetches a commit by its id when no branch holds it any more', async () => {
    const repository = server.repository('pinned');
    const lost = repository.commit({ a: 'lost' });
    repository.commit({ a: 'new' }, { orphan: true });
    const mirror = await mirrorsWith().of(server.url('pinned'));
    expect(await mirror.commitOf(lost, await mirror.ask())).toBe(lost);
  });
});

describe('cost', () => {
  it('fetches nothing when the wanted commit is there', async () => {
    server.repository('quiet').commit({ a: '1' });
    const mirror = await mirrorsWith().of(server.url('quiet'));
    await mirror.commitOf('main', await mirror.ask());
    const before = server.conversations('quiet');
    await mirror.commitOf('main', await mirror.ask());
    expect(server.conversations('quiet') - before).toBe(1);
  });

  it('asks once for many callers at once, and anew for one that comes while a question is under way', async () => {
    server.repository('shared').commit({ a: '1' });
    const mirrors = mirrorsWith();
    await Promise.all(Array.from({ length: 200 }, async () => (await mirrors.of(server.url('shared'))).ask()));
    expect(server.conversations('shared')).toBe(1);
    const mirror = await mirrors.of(server.url('shared'));
    const early = mirror.ask();
    await waitUntil('the first question arrived', () => server.conversations('shared') === 2);
    await Promise.all([early, mirror.ask(), mirror.ask()]);
    expect(server.conversations('shared')).toBe(3);
  });
});

describe('servers that fail', () => {
  it.each([
    ['is gone', { status: 404 }, 'source/unreachable'],
    ['breaks', { status: 500 }, 'source/unreachable'],
    ['refuses', { status: 403 }, 'source/auth'],
    ['redirects', { status: 302, location: 'http://127.0.0.1:1' }, 'source/refused'],
  ])('translates a server that %s', async (_, behaviour, code) => {
    server.behaviour.set('failing', behaviour);
    const mirror = await mirrorsWith().of(server.url('failing'));
    await expect(mirror.ask()).rejects.toMatchObject({ code, message: expect.stringContaining(server.url('failing')) });
  });

  it('ends a question that is not answered, with every process it started', async () => {
    server.behaviour.set('hanging', { hang: true });
    const mirror = await mirrorsWith({ askTimeoutMs: 700 }).of(server.url('hanging'));
    const asking = mirror.ask();
    asking.catch(() => undefined);
    await waitUntil('the transport helper runs', () => processesNaming(server.url('hanging')).some((line) => line.includes('remote-http')));
    await expect(asking).rejects.toMatchObject({ code: 'source/timeout' });
    await waitUntil('no process is left', () => processesNaming(server.url('hanging')).length === 0);
  });

  it('ends everything when the service stops', async () => {
    server.behaviour.set('stopping', { hang: true });
    const mirrors = mirrorsWith();
    const asking = (await mirrors.of(server.url('stopping'))).ask();
    asking.catch(() => undefined);
    await waitUntil('the transport helper runs', () => processesNaming(server.url('stopping')).length > 0);
    mirrors.close();
    await expect(asking).rejects.toMatchObject({ code: 'cancelled' });
    await waitUntil('no process is left', () => processesNaming(server.url('stopping')).length === 0);
  });

  it('ends a fetch that grows beyond the limit and keeps nothing of it', async () => {
    const { randomBytes } = await import('node:crypto');
    server.repository('huge').commit({ big: randomBytes(3_000_000) });
    const mirror = await mirrorsWith({ maxRepositoryBytes: 1_000_000 }).of(server.url('huge'));
    await expect(mirror.commitOf('main', await mirror.ask())).rejects.toMatchObject({ code: 'source/too-large' });
    expect(readdirSync(join(directory, 'repos'))).toEqual([]);
  });
});

describe('credentials', () => {
  const token = 'canary-token-5f1c';

  it('sends the token of a mounted file, read at each use, in no argument', async () => {
    server.repository('private').commit({ a: '1' });
    server.behaviour.set('private', { credential: `robot:${token}` });
    const tokenFile = join(directory, 'token');
    writeFileSync(tokenFile, 'wrong\n');
    const document = { hosts: { [server.authority]: { username: 'robot', tokenFile } } };
    const mirror = await mirrorsWith({}, { readDocument: async () => document }).of(server.url('private'));
    await expect(mirror.ask()).rejects.toMatchObject({ code: 'source/auth' });
    writeFileSync(tokenFile, `${token}\n`);
    const lines: string[] = [];
    const watch = setInterval(() => lines.push(...processesNaming('private')), 5);
    expect((await mirror.ask()).size).toBe(1);
    clearInterval(watch);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toContain(token);
    expect(lines.join('\n')).not.toContain(Buffer.from(`robot:${token}`).toString('base64'));
  });

  it('does not follow a redirect with the token', async () => {
    const other = await GitServer.start();
    try {
      other.repository('target').commit({ a: '1' });
      server.behaviour.set('target', { status: 301, location: `http://${other.authority}` });
      const mirror = await mirrorsWith({}, { fallback: { token } }).of(server.url('target'));
      await expect(mirror.ask()).rejects.toMatchObject({ code: 'source/refused' });
      expect(other.seen).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it('never shows the token in an error', async () => {
    server.behaviour.set('denied', { credential: 'nobody:nothing' });
    const mirror = await mirrorsWith({}, { fallback: { token } }).of(server.url('denied'));
    const error = await mirror.ask().then(
      () => expect.unreachable(),
      (thrown: Error) => thrown,
    );
    expect(
      server.seen.some(({ authorization }) => authorization === `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`),
    ).toBe(true);
    expect(`${error.message} ${String(error.cause)}`).not.toContain(token);
  });

  it.each([
    ['is missing', undefined],
    ['is empty', ' \n'],
    ['has two lines', 'a\nb'],
  ])('refuses a token file that %s', async (_, content) => {
    const tokenFile = join(directory, 'token');
    if (content !== undefined) writeFileSync(tokenFile, content);
    const mirror = await mirrorsWith({}, { fallback: { tokenFile } }).of(server.url('any'));
    await expect(mirror.ask()).rejects.toMatchObject({ code: 'source/auth', message: expect.stringContaining(tokenFile) });
  });

  it('needs a key for ssh', async () => {
    await expect(mirrorsWith().of('git@example.com:team/app.git')).rejects.toMatchObject({ code: 'source/auth' });
  });
});

describe('files at a commit', () => {
  async function treeOf(
    name: string,
    files: Parameters<ReturnType<GitServer['repository']>['commit']>[0],
    limits: Partial<GitLimits> = {},
  ) {
    server.repository(name).commit(files);
    const mirror = await mirrorsWith(limits).of(server.url(name));
    return new CommitTree(mirror, await mirror.commitOf('main', await mirror.ask()), { ...DEFAULT_GIT_LIMITS, ...limits });
  }

  it('reads files and follows symlinks inside the tree', async () => {
    const binary = Buffer.from([0, 255, 10, 13, 10, 0]);
    const tree = await treeOf('inside', { 'd/a': binary, link: { link: 'd' }, 'd/up': { link: '../d/a' } });
    expect(await tree.read('d/a')).toEqual(binary);
    expect(await tree.read('./x/../link/a')).toEqual(binary);
    expect(await tree.read('d/up')).toEqual(binary);
    expect([...tree.reads.keys()]).toEqual(['d/a', 'link/a', 'd/up']);
  });

  it.each([
    ['passwd', 'source/refused', /"passwd" is a symlink that leads outside/],
    ['up', 'source/refused', /"up" is a symlink that leads outside/],
    ['through/passwd', 'source/refused', /outside/],
    ['loop', 'source/refused', /in a circle/],
    ['dangling', 'source/refused', /nowhere/],
    ['module', 'source/refused', /submodule "module"/],
    ['module/file', 'source/refused', /submodule "module"/],
    ['../a', 'source/refused', /leads outside/],
    ['/etc/passwd', 'source/refused', /absolute/],
    ['a\nb', 'source/refused', /no path/],
    ['a\\b', 'source/refused', /no path/],
    ['none', 'source/path-missing', /"none" is not in the repository/],
    ['a/b', 'source/path-missing', /not in the repository/],
    ['%2e%2e/a', 'source/path-missing', /not in the repository/],
    ['folder', 'source/path-missing', /is a folder/],
  ])('refuses %j', async (path, code, message) => {
    const tree = await treeOf('hostile', {
      a: '1',
      'folder/x': '1',
      passwd: { link: '/etc/passwd' },
      up: { link: '../outside' },
      through: { link: '/etc' },
      loop: { link: 'loop' },
      dangling: { link: 'nothing' },
      module: { submodule: '1'.repeat(40) },
    });
    await expect(tree.read(path)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('reads a limited size, number and sum of files', async () => {
    const files = { big: 'x'.repeat(101), a: 'x'.repeat(60), b: 'x'.repeat(60) };
    const tree = await treeOf('limits', files, { maxFileBytes: 100, maxTotalBytes: 110, maxFiles: 2 });
    await expect(tree.read('big')).rejects.toMatchObject({
      code: 'source/too-large',
      message: expect.stringContaining('"big" has 101 bytes'),
    });
    const fresh = await treeOf('limits', files, { maxFileBytes: 100, maxTotalBytes: 110, maxFiles: 2 });
    await fresh.read('a');
    await expect(fresh.read('b')).rejects.toMatchObject({ code: 'source/too-large', message: expect.stringContaining('together') });
  });
});

describe('mirrors on disk', () => {
  it('makes a damaged mirror anew', async () => {
    const repository = server.repository('damaged');
    repository.commit({ a: 'first' });
    const mirrors = mirrorsWith();
    const mirror = await mirrors.of(server.url('damaged'));
    await mirror.commitOf('main', await mirror.ask());
    mirror.close();
    const [name] = readdirSync(join(directory, 'repos'));
    const packs = join(directory, 'repos', name as string, 'objects', 'pack');
    for (const file of readdirSync(packs)) rmSync(join(packs, file), { force: true });
    const next = repository.commit({ a: 'second' });
    expect(await mirror.commitOf('main', await mirror.ask())).toBe(next);
    expect((await new CommitTree(mirror, next, DEFAULT_GIT_LIMITS).read('a')).toString()).toBe('second');
  });

  it('removes a mirror that two sweeps in a row found unused, and no wanted one', async () => {
    for (const name of ['wanted', 'left']) server.repository(name).commit({ a: '1' });
    const mirrors = mirrorsWith();
    for (const name of ['wanted', 'left']) {
      const mirror = await mirrors.of(server.url(name));
      await mirror.commitOf('main', await mirror.ask());
    }
    const wanted = [server.url('wanted')];
    expect(await mirrors.sweep(wanted)).toBe(0);
    expect(await mirrors.sweep(wanted)).toBe(0);
    expect(readdirSync(join(directory, 'repos'))).toHaveLength(2);
    expect(await mirrors.sweep(wanted)).toBe(1);
    expect(readdirSync(join(directory, 'repos'))).toHaveLength(1);
  });
});
