import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { ConvertCaseInput } from '@hivekeep/compose';
import { run } from '@hivekeep/testkit';

/** The version that the recorded cases were made with; older ones send other things. */
const OLDEST = { major: 28, minor: 2 };

/**
 * The docker command to compare with, as an absolute path: that of HIVEKEEP_DOCKER_CLI, else the first of the path; undefined
 * without one, or when it is too old.
 */
export async function findDockerCli(): Promise<string | undefined> {
  const { HIVEKEEP_DOCKER_CLI: given, PATH = '' } = process.env;
  const candidates = given === undefined ? PATH.split(delimiter).map((folder) => join(folder, 'docker')) : [given];
  const program = candidates.find((path) => existsSync(path));
  if (program === undefined) return undefined;
  const { stdout } = await promisify(execFile)(program, ['--version']);
  const [major = 0, minor = 0] = /\d+\.\d+/.exec(stdout)?.[0].split('.').map(Number) ?? [];
  return major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor) ? program : undefined;
}

export interface StackDeploy {
  readonly program: string;
  /** An empty folder, so that nobody's settings are used. */
  readonly config: string;
  /** Unix socket of the engine. */
  readonly socket: string;
  readonly stack: string;
}

/** `docker stack deploy` of a case, with the case's environment and nothing else. @throws with its stderr when it ends with an error */
export async function stackDeploy({ program, config, socket, stack }: StackDeploy, input: ConvertCaseInput, folder: string): Promise<void> {
  const files = input.files.flatMap((file) => ['-c', file]);
  const connection = ['--config', config, '--host', `unix://${socket}`];
  await run(program, [...connection, 'stack', 'deploy', '--resolve-image', 'never', '--detach=true', ...files, stack], {
    cwd: folder,
    env: { ...input.env },
    ...(input.files.includes('-') && { input: await input.reader.read('-') }),
  });
}
