import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';
import { checkout } from '../checkout.ts';

export interface LabOptions {
  /** The checkout's own when absent. */
  name?: string | undefined;
  /** Major version of the engine: 20, 26 or 28; this machine's when absent. */
  engine?: string | undefined;
}

/** The environment by which `test/lab/lab.sh` knows which lab is meant. */
export function labEnvironment({ name, engine }: LabOptions): NodeJS.ProcessEnv {
  return { ...process.env, ...(name && { LAB_NAME: name }), ...(engine && { LAB_ENGINE: engine }) };
}

/**
 * Runs a command of the lab with this process's own input and output, and gives its exit code. `whole`: Ctrl-C does not reach it,
 * so that it is never left in the middle.
 */
export async function runLab(args: readonly string[], options: LabOptions = {}, { whole = false } = {}): Promise<number> {
  const child = spawn(join(checkout, 'test/lab/lab.sh'), args, {
    stdio: [whole ? 'ignore' : 'inherit', 'inherit', 'inherit'],
    env: labEnvironment(options),
    detached: whole,
  });
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new HivekeepError('internal', `could not start the lab's script: ${cause.message}`, { cause })));
    child.once('close', (code) => resolve(code ?? 8));
  });
}

/**
 * Brings a lab up, or finds it up. @throws internal when it cannot be; the reason is on stderr.
 */
export async function labUp(size: { nodes: number; managers?: number | undefined }, options: LabOptions = {}): Promise<void> {
  const args = ['up', String(size.nodes), ...(size.managers === undefined ? [] : [String(size.managers)])];
  if ((await runLab(args, options, { whole: true })) !== 0) {
    throw new HivekeepError('internal', 'the lab did not come up, see above; ./hivekeep lab down removes what there is of it');
  }
}

/** Ends every process of a lab and deletes its files. */
export async function labDown(options: LabOptions = {}): Promise<void> {
  if ((await runLab(['down'], options, { whole: true })) !== 0) {
    throw new HivekeepError('internal', 'the lab could not be taken down whole, see above; try ./hivekeep lab down again');
  }
}

/** The engine's address of a node, from 1, as DOCKER_HOST takes it: `unix:///…/docker.sock`. @throws internal without such a node. */
export async function labDockerHost(node: number, options: LabOptions = {}): Promise<string> {
  const child = spawn(join(checkout, 'test/lab/lab.sh'), ['env', String(node)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: labEnvironment(options),
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new HivekeepError('internal', `the lab has no engine on node ${node}, see above`);
  return text.trim().replace('DOCKER_HOST=', '');
}
