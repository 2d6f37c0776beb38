import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';
import { gitEnvironment, runGit } from './run-git.ts';

/** The commit that is checked out in a repository on this machine, bare or not. Throws `source/revision-unknown` when there is none. */
export async function headOf(repository: string): Promise<string> {
  const inner = join(repository, '.git');
  const gitDir = await stat(inner).then(
    () => inner,
    () => repository,
  );
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  const { exitCode, stdout } = await runGit({ args, gitDir, env: gitEnvironment(), timeoutMs: 10_000 });
  if (exitCode !== 0) throw new HivekeepError('source/revision-unknown', `${repository} is no Git repository or has no commit yet`);
  return stdout.toString('utf8').trim();
}
