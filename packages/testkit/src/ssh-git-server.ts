import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { createGitRepo, type GitRepo } from './git-repo.ts';
import { run } from './run.ts';
import { freePort, logTail, startServer } from './server-process.ts';
import { tempDir } from './temp-dir.ts';

/** A real sshd on loopback that lets one throwaway key in. */
export interface SshGitServer extends AsyncDisposable {
  /** `ssh://USER@127.0.0.1:PORT/…/NAME.git` */
  url(repo: string): string;
  createRepo(name: string): Promise<GitRepo>;
  readonly privateKeyFile: string;
  /** A known_hosts file with the server's key. */
  readonly knownHostsFile: string;
}

/** @throws when sshd is not installed (Debian: `openssh-server`) or does not start within 10 s. */
export async function sshGitServer(): Promise<SshGitServer> {
  const dir = await tempDir();
  const port = await freePort();
  const file = (name: string) => join(dir.path, name);
  const newKey = (name: string) => run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file(name)]);
  await Promise.all([newKey('host_key'), newKey('key')]);
  const hostKey = (await readFile(file('host_key.pub'), 'utf8')).split(' ').slice(0, 2).join(' ');
  await writeFile(file('known_hosts'), `[127.0.0.1]:${port} ${hostKey}\n`);
  await writeFile(file('sshd_config'), sshdConfig(dir.path, port));
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true }); // sshd's privilege separation folder, as root only

  const server = await startServer('/usr/sbin/sshd', ['-D', '-e', '-f', file('sshd_config')], file('sshd.log'));
  const end = async () => {
    await server.kill();
    await dir[Symbol.asyncDispose]();
  };
  await eventually(() => listens(port), { intervalMs: 20, failFast: () => server.ended }).catch(async (thrown: unknown) => {
    const log = await logTail(file('sshd.log'));
    await end();
    throw new Error(`sshd does not start (Debian: openssh-server): ${log}`, { cause: thrown });
  });
  return {
    url: (repo) => `ssh://${userInfo().username}@127.0.0.1:${port}${dir.path}/${repo}.git`,
    createRepo: (name) => createGitRepo(file(`${name}.git`)),
    privateKeyFile: file('key'),
    knownHostsFile: file('known_hosts'),
    [Symbol.asyncDispose]: end,
  };
}

/** sshd_config(5); StrictModes would refuse keys below a folder that everyone may write to, as the temporary one is. */
function sshdConfig(dir: string, port: number): string {
  return `ListenAddress 127.0.0.1
Port ${port}
HostKey ${dir}/host_key
AuthorizedKeysFile ${dir}/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
`;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', reject);
  });
}
