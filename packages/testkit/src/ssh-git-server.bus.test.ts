import { expect, test } from 'vitest';
import { isolatedGit } from './git-repo.ts';
import { run } from './run.ts';
import { sshGitServer } from './ssh-git-server.ts';

test('lets its key in, and nobody else', async () => {
  await using server = await sshGitServer();
  const commit = await (await server.createRepo('app')).commit({ a: '1' });
  const lsRemote = (identity: string) =>
    run('git', ['ls-remote', server.url('app'), 'refs/heads/main'], {
      env: {
        ...isolatedGit,
        GIT_SSH_COMMAND: `ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o UserKnownHostsFile=${server.knownHostsFile} -i ${identity}`,
      },
      timeoutMs: 10_000,
    });

  expect(await lsRemote(server.privateKeyFile)).toBe(`${commit}\trefs/heads/main\n`);
  await expect(lsRemote('/dev/null')).rejects.toThrow('Permission denied');
});
