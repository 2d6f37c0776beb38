import type { ConvertCaseInput } from '@hivekeep/compose';
import { run } from '@hivekeep/testkit';

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
