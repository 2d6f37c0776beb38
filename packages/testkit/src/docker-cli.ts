import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The version that the recorded cases were made with; older ones send other things. */
const OLDEST = { major: 28, minor: 2 };

/**
 * The docker command to compare with, as an absolute path: that of HIVEKEEP_DOCKER_CLI, else the first of the path that is new
 * enough; undefined without one.
 */
export async function findDockerCli(): Promise<string | undefined> {
  const { HIVEKEEP_DOCKER_CLI: given, PATH = '' } = process.env;
  const candidates = given === undefined ? PATH.split(delimiter).map((folder) => join(folder, 'docker')) : [given];
  for (const program of candidates) if (existsSync(program) && (await isNewEnough(program))) return program;
  return undefined;
}

async function isNewEnough(program: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)(program, ['--version']);
  const [major = 0, minor = 0] = /\d+\.\d+/.exec(stdout)?.[0].split('.').map(Number) ?? [];
  return major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor);
}
