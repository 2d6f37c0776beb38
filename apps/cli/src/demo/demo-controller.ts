import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { HivekeepError, httpApi, type View } from '@hivekeep/contracts';
import { ApiClient } from '../client/api-client.ts';
import type { DemoNode } from './demo-swarm.ts';

export interface DemoController {
  readonly server: string;
  readonly tokenFile: string;
  readonly logFile: string;
  /** Throws when the process has ended, with the end of its log. */
  applications(): Promise<View[]>;
  application(name: string): Promise<View>;
  stop(): Promise<void>;
}

export interface ControllerOptions {
  readonly folder: string;
  readonly repository: string;
  readonly nodes: readonly DemoNode[];
  readonly controllerId: string;
}

const STOP_MS = 15_000;

/** Starts `hivekeep up`, everything in one process, with intervals short enough to watch. */
export async function startController(options: ControllerOptions): Promise<DemoController> {
  const { folder } = options;
  const tokenFile = join(folder, 'token');
  const token = randomBytes(24).toString('base64url');
  await writeFile(tokenFile, `${token}\n`, { mode: 0o600 });
  const listen = `127.0.0.1:${await freePort()}`;
  const logFile = join(folder, 'hivekeep.log');
  const log = openSync(logFile, 'a');
  // a process group of its own: Ctrl-C is for us alone, we stop it after what we clean up first
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.js'), ...upArguments(options, listen, tokenFile)], {
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const client = new ApiClient({ server: new URL(`http://${listen}`), token });
  const alive = async () => {
    if (child.exitCode === null) return;
    const end = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-5).join('\n');
    throw new HivekeepError('internal', `hivekeep up ended with ${child.exitCode}:\n${end}`);
  };
  return {
    server: `http://${listen}`,
    tokenFile,
    logFile,
    applications: async () => {
      await alive();
      return (await client.call(httpApi.applications)).value.applications;
    },
    application: async (name) => (await client.call(httpApi.application, { params: { app: name } })).value,
    stop: () => stopChild(child),
  };
}

function upArguments({ folder, repository, nodes, controllerId }: ControllerOptions, listen: string, tokenFile: string): string[] {
  const [manager] = nodes;
  return [
    'up',
    ...['--swarm', 'demo', '--controller-id', controllerId],
    ...['--docker-host', manager?.dockerHost ?? ''],
    ...nodes.flatMap((node) => ['--node', `${node.name}=${node.dockerHost}`]),
    ...['--appset-repo', repository, '--appset-revision', 'main', '--appset-path', 'applications.yaml', '--allow-local-git'],
    ...['--appset-interval', '4s', '--reconcile-interval', '10s'],
    ...['--prune', '--prune-volumes', '--prune-volumes-after', '0s'],
    ...['--data', join(folder, 'data'), '--listen', listen, '--admin-token-file', tokenFile],
  ];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new HivekeepError('internal', 'the machine gave no free port');
  return address.port;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}
