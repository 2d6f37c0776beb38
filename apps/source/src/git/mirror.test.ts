import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type GitEntry, type GitServer, gitServer } from '@hivekeep/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CredentialOptions, GitCredentials } from './credentials.ts';
import { DEFAULT_GIT_LIMITS, type GitLimits } from './git-limits.ts';
import { CommitTree, Mirrors } from './index.ts';

let server: GitServer;
let directory: string;
const open: Mirrors[] = [];

beforeAll(async () => {
  server = await gitServer();
});
afterAll(() => server[Symbol.asyncDispose]());
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

async function rawServer(answer: RequestListener): Promise<{ authority: string; close(): void }> {
  const raw = createServer(answer);
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  const { port } = raw.address() as AddressInfo; // a TCP server's address is never a pipe's name
  return { authority: `127.0.0.1:${port}`, close: () => void raw.close(() => undefined).closeAllConnections() };
}

/** How often a client began to talk about a repository: once per `ls-remote` and once per `fetch`. */
function conversations(repo: string): number {
  return server.requests.filter((request) => request.repo === repo && request.path === 'info/refs').length;
}

/** Command lines by process id of what runs now and names `text`. */
function processes(text: string): [pid: number, line: string][] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid): [number, string] => {
      try {
        return [Number(pid), readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        return [Number(pid), '']; // gone since it was listed
      }
    })
    .filter(([, line]) => line.includes(text));
}

function processesNaming(text: string): string[] {
  return processes(text).map(([, line]) => line);
}

function readersIn(folder: string): number[] {
  return processes(folder)
    .filter(([, line]) => line.includes('cat-file'))
    .map(([pid]) => pid);
}

describe('revisions', () => {
  it('takes a tag before a branch of the same name, peels annotated tags and accepts full ids', async () => {
    const repository = await server.createRepo('revisions');
    const first = await repository.commit({ a: '1' });
    await repository.tag('v1', first, 'annotated');
    await repository.tag('release', first);
    const second = await repository.commit({ a: '2' });
    await repository.git('branch', 'release', second);
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
    await (await server.createRepo('unknown')).commit({ a: '1' });
    const mirror = await mirrorsWith().of(server.url('unknown'));
    const refs = await mirror.ask();
    await expect(mirror.commitOf(revision, refs)).rejects.toMatchObject({
      code: 'source/revision-unknown',
      message: expect.stringMatching(message),
    });
  });

  it('says that a repository is empty', async () => {
    await server.createRepo('empty');
    const mirror = await mirrorsWith().of(server.url('empty'));
    await expect(mirror.commitOf('main', await mirror.ask())).rejects.toMatchObject({
      code: 'source/revision-unknown',
      message: expect.stringContaining('no branch and no tag yet'),
    });
  });

  it('refuses a tag that names no commit', async () => {
    const repository = await server.createRepo('tree-tag');
    await repository.commit({ a: '1' });
    await repository.tag('tree', (await repository.git('rev-parse', 'main^{tree}')).trim());
    const mirror = await mirrorsWith().of(server.url('tree-tag'));
    await expect(mirror.commitOf('tree', await mirror.ask())).rejects.toMatchObject({ code: 'source/revision-unknown' });
  });

  it('takes a force-pushed commit, knows it does not descend, and keeps the old one', async () => {
    const repository = await server.createRepo('forced');
    const base = await repository.commit({ a: '1' });
    const old = await repository.commit({ a: '2' });
    const mirror = await mirrorsWith().of(server.url('forced'));
    await mirror.commitOf('main', await mirror.ask());
    expect(await mirror.descends(old, base)).toBe(true);
    expect(await mirror.descends(base, old)).toBe(false);
    const forced = await repository.commit({ a: '3' }, { onto: null });
    expect(await mirror.commitOf('main', await mirror.ask())).toBe(forced);
    expect(await mirror.descends(forced, old)).toBe(false);
    expect(await mirror.commitOf(old, await mirror.ask())).toBe(old);
  });

  it('fetches a commit by its id when no branch holds it any more', async () => {
    const repository = await server.createRepo('pinned');
    const lost = await repository.commit({ a: 'lost' });
    await repository.commit({ a: 'new' }, { onto: null });
    const mirror = await mirrorsWith().of(server.url('pinned'));
    expect(await mirror.commitOf(lost, await mirror.ask())).toBe(lost);
  });
});

describe('cost', () => {
  it('fetches nothing when the wanted commit is there', async () => {
    await (await server.createRepo('quiet')).commit({ a: '1' });
    const mirror = await mirrorsWith().of(server.url('quiet'));
    await mirror.commitOf('main', await mirror.ask());
    const before = conversations('quiet');
    await mirror.commitOf('main', await mirror.ask());
    expect(conversations('quiet') - before).toBe(1);
  });

  it('asks once for many callers at once, and anew for one that comes while a question is under way', async () => {
    await (await server.createRepo('shared')).commit({ a: '1' });
    const mirrors = mirrorsWith();
    await Promise.all(Array.from({ length: 200 }, async () => (await mirrors.of(server.url('shared'))).ask()));
    expect(conversations('shared')).toBe(1);
    const mirror = await mirrors.of(server.url('shared'));
    const early = mirror.ask();
    await eventually(() => conversations('shared') === 2);
    await Promise.all([early, mirror.ask(), mirror.ask()]);
    expect(conversations('shared')).toBe(3);
  });
});

describe('servers that fail', () => {
  it.each([
    ['is gone', 404, 'source/unreachable'],
    ['breaks', 500, 'source/unreachable'],
    ['refuses', 403, 'source/auth'],
    ['redirects', 302, 'source/refused'],
  ])('translates a server that %s', async (_, status, code) => {
    server.behave({ kind: 'refuse', status }, 'failing');
    const mirror = await mirrorsWith().of(server.url('failing'));
    await expect(mirror.ask()).rejects.toMatchObject({ code, message: expect.stringContaining(server.url('failing')) });
  });

  it('ends a question that is not answered, with every process it started', async () => {
    server.behave({ kind: 'hang' }, 'hanging');
    const mirror = await mirrorsWith({ askTimeoutMs: 700 }).of(server.url('hanging'));
    const asking = mirror.ask();
    asking.catch(() => undefined);
    await eventually(() => processesNaming(server.url('hanging')).some((line) => line.includes('remote-http')));
    await expect(asking).rejects.toMatchObject({ code: 'source/timeout' });
    await eventually(() => processesNaming(server.url('hanging')).length === 0);
  });

  it('ends everything when the service stops', async () => {
    server.behave({ kind: 'hang' }, 'stopping');
    const mirrors = mirrorsWith();
    const asking = (await mirrors.of(server.url('stopping'))).ask();
    asking.catch(() => undefined);
    await eventually(() => processesNaming(server.url('stopping')).length > 0);
    mirrors.close();
    await expect(asking).rejects.toMatchObject({ code: 'cancelled' });
    await eventually(() => processesNaming(server.url('stopping')).length === 0);
  });

  it('ends a fetch that grows beyond the limit and keeps nothing of it', async () => {
    await (await server.createRepo('huge')).commit({ big: randomBytes(3_000_000) });
    const mirror = await mirrorsWith({ maxRepositoryBytes: 1_000_000 }).of(server.url('huge'));
    await expect(mirror.commitOf('main', await mirror.ask())).rejects.toMatchObject({ code: 'source/too-large' });
    expect(readdirSync(join(directory, 'repos'))).toEqual([]);
  });
});

describe('credentials', () => {
  const token = 'canary-token-5f1c';

  it('sends the token of a mounted file, read at each use, in no argument', async () => {
    await using closed = await gitServer({ token });
    await (await closed.createRepo('private')).commit({ a: '1' });
    const tokenFile = join(directory, 'token');
    writeFileSync(tokenFile, 'wrong\n');
    const document = { hosts: { [new URL(closed.url('private')).host]: { username: 'robot', tokenFile } } };
    const mirror = await mirrorsWith({}, { readDocument: async () => document }).of(closed.url('private'));
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
    await (await server.createRepo('target')).commit({ a: '1' });
    const redirect = await rawServer((_, response) =>
      response.writeHead(301, { location: `${server.url('target')}/info/refs?service=git-upload-pack` }).end(),
    );
    try {
      const before = server.requests.length;
      const mirror = await mirrorsWith({}, { fallback: { token } }).of(`http://${redirect.authority}/moved.git`);
      await expect(mirror.ask()).rejects.toMatchObject({ code: 'source/refused' });
      expect(server.requests.length).toBe(before);
    } finally {
      redirect.close();
    }
  });

  it('never shows the token in an error, not even when the server sends it back', async () => {
    const seen: (string | undefined)[] = [];
    const echo = await rawServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`no: ${request.headers.authorization} ${token}`);
    });
    try {
      const mirror = await mirrorsWith({}, { fallback: { token } }).of(`http://${echo.authority}/echo.git`);
      const error: unknown = await mirror.ask().catch((thrown: unknown) => thrown);
      expect(seen).toContain(`Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`);
      expect(error).toMatchObject({ code: 'source/unreachable' });
      expect(`${error} ${error instanceof Error ? error.cause : ''}`).not.toContain(token);
    } finally {
      echo.close();
    }
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
  async function treeOf(name: string, files: Record<string, GitEntry>, limits: Partial<GitLimits> = {}) {
    await (await server.createRepo(name)).commit(files);
    const mirror = await mirrorsWith(limits).of(server.url(name));
    return new CommitTree(mirror, await mirror.commitOf('main', await mirror.ask()), { ...DEFAULT_GIT_LIMITS, ...limits });
  }

  it('reads files and follows symlinks inside the tree', async () => {
    const binary = Buffer.from([0, 255, 10, 13, 10, 0]);
    const tree = await treeOf('inside', { 'd/a': binary, link: { symlink: 'd' }, 'd/up': { symlink: '../d/a' } });
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
      passwd: { symlink: '/etc/passwd' },
      up: { symlink: '../outside' },
      through: { symlink: '/etc' },
      loop: { symlink: 'loop' },
      dangling: { symlink: 'nothing' },
      module: { gitlink: '1'.repeat(40) },
    });
    await expect(tree.read(path)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('refuses a file of 100 MB without reading it', async () => {
    const tree = await treeOf('large', { big: Buffer.alloc(100 * 1024 * 1024), small: '1' });
    await expect(tree.read('big')).rejects.toMatchObject({ code: 'source/too-large', message: expect.stringContaining('104857600 bytes') });
    expect((await tree.read('small')).toString()).toBe('1');
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
    const repository = await server.createRepo('damaged');
    await repository.commit({ a: 'first' });
    const mirrors = mirrorsWith();
    const mirror = await mirrors.of(server.url('damaged'));
    await mirror.commitOf('main', await mirror.ask());
    mirror.close();
    const [name] = readdirSync(join(directory, 'repos'));
    const packs = join(directory, 'repos', name as string, 'objects', 'pack');
    for (const file of readdirSync(packs)) rmSync(join(packs, file), { force: true });
    const next = await repository.commit({ a: 'second' });
    expect(await mirror.commitOf('main', await mirror.ask())).toBe(next);
    expect((await new CommitTree(mirror, next, DEFAULT_GIT_LIMITS).read('a')).toString()).toBe('second');
  });

  it('starts its reader again when that was killed', async () => {
    await (await server.createRepo('killed')).commit({ a: '1', b: '2' });
    const mirror = await mirrorsWith().of(server.url('killed'));
    const commit = await mirror.commitOf('main', await mirror.ask());
    const tree = new CommitTree(mirror, commit, DEFAULT_GIT_LIMITS);
    expect((await tree.read('a')).toString()).toBe('1');
    const [reader] = readersIn(directory);
    if (reader === undefined) throw new Error('expected a reader');
    process.kill(reader, 'SIGKILL');
    await eventually(() => readersIn(directory).length === 0);
    expect((await tree.read('b')).toString()).toBe('2');
  });

  it('keeps nothing of a fetch that was cut, and fetches it the next time', async () => {
    const repository = await server.createRepo('cut');
    const commit = await repository.commit({ big: randomBytes(400_000) });
    const mirror = await mirrorsWith().of(server.url('cut'));
    const refs = await mirror.ask();
    server.behave({ kind: 'cut', afterBytes: 100_000 }, 'cut');
    await expect(mirror.commitOf('main', refs)).rejects.toMatchObject({ code: 'source/unreachable' });
    const packs = join(directory, 'repos', readdirSync(join(directory, 'repos'))[0] ?? '', 'objects', 'pack');
    expect(readdirSync(packs)).toEqual([]);
    server.behave({ kind: 'serve' }, 'cut');
    expect(await mirror.commitOf('main', await mirror.ask())).toBe(commit);
  });

  it('removes a mirror that two sweeps in a row found unused, and no wanted one', async () => {
    for (const name of ['wanted', 'left']) await (await server.createRepo(name)).commit({ a: '1' });
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
