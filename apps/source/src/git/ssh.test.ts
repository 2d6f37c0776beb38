import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SshGitServer, sshGitServer } from '@hivekeep/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommitTree, DEFAULT_GIT_LIMITS, GitCredentials, Mirrors, readCredentialsFile } from './index.ts';

let server: SshGitServer;
let directory: string;

beforeAll(async () => {
  server = await sshGitServer();
  await (await server.createRepo('app')).commit({ a: 'over ssh' });
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hivekeep-ssh-test-'));
  vi.stubEnv('TMPDIR', directory);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

function mirrorsWith(entry: string): Mirrors {
  const file = join(directory, 'credentials.yaml');
  writeFileSync(file, `hosts:\n  ${JSON.stringify(new URL(server.url('app')).host)}:\n${entry}`);
  return new Mirrors({
    directory: join(directory, 'repos'),
    credentials: new GitCredentials({ readDocument: () => readCredentialsFile(file) }),
    limits: DEFAULT_GIT_LIMITS,
    urls: { insecureHosts: [], allowLocal: false },
  });
}

describe('repositories over ssh', () => {
  it('are read with the key and known hosts of their host, and the copy of the key is gone afterwards', async () => {
    const mirrors = mirrorsWith(`    sshKeyFile: ${server.privateKeyFile}\n    knownHostsFile: ${server.knownHostsFile}\n`);
    const mirror = await mirrors.of(server.url('app'));
    const commit = await mirror.commitOf('main', await mirror.ask());
    expect((await new CommitTree(mirror, commit, DEFAULT_GIT_LIMITS).read('a')).toString()).toBe('over ssh');
    expect(readdirSync(directory).filter((name) => name.startsWith('hivekeep-ssh-key-'))).toEqual([]);
    mirrors.close();
  });

  it('are refused when the host key is unknown', async () => {
    const empty = join(directory, 'empty');
    writeFileSync(empty, '');
    const mirror = await mirrorsWith(`    sshKeyFile: ${server.privateKeyFile}\n    knownHostsFile: ${empty}\n`).of(server.url('app'));
    await expect(mirror.ask()).rejects.toMatchObject({ code: 'source/auth', message: expect.stringContaining('known_hosts') });
  });

  it('are refused when the key is', async () => {
    const key = join(directory, 'key');
    writeFileSync(key, 'no key\n');
    const mirror = await mirrorsWith(`    sshKeyFile: ${key}\n    knownHostsFile: ${server.knownHostsFile}\n`).of(server.url('app'));
    await expect(mirror.ask()).rejects.toMatchObject({ code: 'source/auth' });
  });

  it('are refused where no copy of the key can be made', async () => {
    const keys = `    sshKeyFile: ${server.privateKeyFile}\n    knownHostsFile: ${server.knownHostsFile}\n`;
    const mirror = await mirrorsWith(keys).of(server.url('app'));
    vi.stubEnv('TMPDIR', join(directory, 'missing'));
    await expect(mirror.ask()).rejects.toMatchObject({ code: 'source/auth', message: expect.stringContaining('has to be writable') });
  });

  it('need a valid credentials file', async () => {
    const mirrors = mirrorsWith('    token: plain\n');
    await expect(mirrors.of(server.url('app'))).rejects.toMatchObject({
      code: 'source/auth',
      message: expect.stringContaining('credentials.yaml'),
    });
  });
});
