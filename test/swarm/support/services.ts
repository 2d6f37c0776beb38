import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DaemonProxy,
  daemonProxy,
  eventually,
  freePort,
  type LabCorner,
  type NatsServer,
  type ServerProcess,
  startServer,
  tempDir,
} from '@hivekeep/testkit';
import { ApiClient } from './api-client.ts';
import { type AppRepository, appRepository } from './app-repository.ts';
import { preload, program } from './program.ts';

export interface ServicesOptions {
  readonly nats: NatsServer;
  /** More flags of the reconciler. */
  readonly flags?: readonly string[];
  /** One of its own by default. */
  readonly repository?: AppRepository;
  /** The engine's socket of an agent by its node's name; the node's own by default. */
  readonly sockets?: Readonly<Record<string, string>>;
  /** By how much the wall clock of a service is off, by its name. */
  readonly clocksOffMs?: Readonly<Record<string, number>>;
  /** Sources by name, with the URL at which each finds the app set's repository; by default `source` alone. */
  readonly sources?: Readonly<Record<string, string>>;
  /** Services that do not run until `start`. */
  readonly later?: readonly string[];
}

/** The product as one process for each service, over a real NATS server: the reconciler on the first manager, an agent on each node. */
export interface Services extends AsyncDisposable {
  readonly swarm: string;
  readonly apps: AppRepository;
  readonly api: ApiClient;
  /** Before the reconciler's manager. */
  readonly proxy: DaemonProxy;
  /** Starts one again. */
  start(name: string): Promise<void>;
  kill(name: string): Promise<void>;
  /** SIGSTOP, and its end. */
  pause(name: string): void;
  resume(name: string): void;
  log(name: string): string;
}

/** `await using services = await startServices(corner, { nats })`: `source`, `reconciler`, `gateway`, `agent-NODE` run then. */
export async function startServices(corner: LabCorner, { nats, flags = [], ...options }: ServicesOptions): Promise<Services> {
  await using resources = new AsyncDisposableStack();
  const { prefix: swarm, lab } = corner;
  const dir = resources.use(await tempDir());
  const apps = options.repository ?? resources.use(await appRepository());
  const { sources = { source: apps.url }, sockets = {}, clocksOffMs = {}, later = [] } = options;
  const proxy = resources.use(await daemonProxy(lab.node(1).socket));
  const port = await freePort();
  const token = `token-of-${swarm}`;
  await writeFile(join(dir.path, 'token'), token);
  const appSet = ['--appset-revision', 'main', '--appset-path', apps.appSetPath];
  const settings: Record<string, readonly string[]> = {
    ...Object.fromEntries(
      Object.entries(sources).map(([name, url]) => [name, ['source', ...appSet, '--appset-repo', url, '--data', join(dir.path, name)]]),
    ),
    reconciler: [
      ...['reconciler', '--swarm', swarm, '--home', '--controller-id', swarm, '--docker-host', `unix://${proxy.socket}`],
      ...['--reconcile-interval', '1h', '--appset-interval', '500ms', ...flags],
    ],
    gateway: ['gateway', '--listen', `127.0.0.1:${port}`, '--admin-token-file', join(dir.path, 'token'), '--appset-interval', '1s'],
    ...Object.fromEntries(
      lab.nodes.map(({ name, socket }) => [
        `agent-${name}`,
        ['node-agent', '--swarm', swarm, '--docker-host', `unix://${sockets[name] ?? socket}`],
      ]),
    ),
  };
  const running = new Map<string, ServerProcess>();
  resources.defer(async () => {
    for (const process of running.values()) await process.kill();
  });
  const log = (name: string) => join(dir.path, `${name}.log`);
  const start = async (name: string) => {
    const args = ['service', ...(settings[name] ?? []), '--nats', nats.url, '--log-level', 'debug', '--log-format', 'json'];
    const off = clocksOffMs[name];
    const env = off === undefined ? {} : { ...preload('shifted-clock'), TEST_CLOCK_SHIFT_MS: String(off) };
    const assignments = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const command = [...assignments, process.execPath, '--enable-source-maps', program, ...args];
    running.set(name, await startServer('env', command, log(name)));
  };
  for (const name of Object.keys(settings).filter((one) => !later.includes(one))) await start(name);
  const api = new ApiClient(port, token);
  await eventually(async () => (await api.swarm(swarm)).state === 'ok', { timeoutMs: 90_000 });
  const kept = resources.move();
  return {
    swarm,
    apps,
    api,
    proxy,
    start,
    kill: async (name) => running.get(name)?.kill(),
    pause: (name) => running.get(name)?.pause(),
    resume: (name) => running.get(name)?.resume(),
    log,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
