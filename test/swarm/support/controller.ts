import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { labels } from '@hivekeep/application';
import { type DiffResponse, type Event, type History, HivekeepError, type View } from '@hivekeep/contracts';
import { within } from '@hivekeep/runtime';
import {
  type DaemonCall,
  type DaemonProxy,
  daemonProxy,
  type EventuallyOptions,
  eventually,
  freePort,
  type LabCorner,
  type LabNode,
  type ServerProcess,
  startServer,
  tempDir,
} from '@hivekeep/testkit';
import { ApiClient, type StreamedEvent } from './api-client.ts';
import { type AppDeclaration, type AppRepository, appRepository } from './app-repository.ts';
import { program } from './program.ts';

export interface ControllerOptions {
  /** More flags of `up`. */
  readonly flags?: readonly string[];
  /** Environment of the process, beside PATH. */
  readonly env?: Record<string, string>;
  /** The manager it connects to; 1 by default. */
  readonly node?: number;
  /** Nodes whose engines are given with `--node`; none by default. */
  readonly nodes?: readonly LabNode[];
  /** The corner's prefix by default. */
  readonly controllerId?: string;
  /** The swarm's name; the controller id by default. */
  readonly swarm?: string;
  /** Host name of the process, by which it finds its own container; the machine's by default. */
  readonly hostname?: string;
  /** Shared with another controller; one of its own by default. */
  readonly repository?: AppRepository;
  /** `false`: the test starts it. */
  readonly start?: boolean;
}

/**
 * The built product as a process: `hivekeep up` with its app set in Git, before a proxy of a manager's socket. Applications are
 * looked at each hour only, or when there is a commit, so that what happens is what the test asked for; the app set each half second.
 */
export interface Controller extends AsyncDisposable {
  readonly controllerId: string;
  readonly swarm: string;
  readonly apps: AppRepository;
  readonly proxy: DaemonProxy;
  readonly api: ApiClient;
  /** Of the process that runs now, or ran last. */
  readonly process: ServerProcess;
  /**
   * Milliseconds until it would have deleted what it wants to delete: nothing goes in the first 15 s of a term, and one that was
   * started again has to wait for the lease of the one before.
   */
  untilDeletionsMs(): number;
  /** What all its processes wrote on standard error, one JSON object a line. */
  readonly logFile: string;
  log(): Promise<string>;
  /** Starts it (again, after `process.kill()`) and waits until the API answers; the lease may come later. */
  start(): Promise<void>;
  /** Commits the app set and what goes with it, and waits until the controller holds exactly these applications. */
  declare(applications: readonly AppDeclaration[], entries?: Parameters<AppRepository['commit']>[0]): Promise<string>;
  /** A call of the API under `/api/v1`: its JSON. @throws the HivekeepError that it answers with. */
  get(path: string): Promise<unknown>;
  post(path: string, body?: unknown): Promise<unknown>;
  /** The status as the API shows it. */
  view(application: string): Promise<View>;
  views(): Promise<View[]>;
  diff(application: string): Promise<DiffResponse>;
  history(application: string): Promise<History>;
  /** Asks for a sync, waits for its outcome and gives the status. A failure is an outcome: see `status.error`. */
  sync(application: string): Promise<View['status']>;
  /** Waits until no accepted sync or rollback is noted on the swarm any more, and gives the status. */
  synced(application: string): Promise<View['status']>;
  /** What is kept of an application on the swarm: the labels of its state. */
  keptState(application: string): Promise<Record<string, string>>;
  /** Waits until the status is as the predicate says; 30 s by default. */
  waitFor(application: string, is: (status: View['status']) => boolean, options?: EventuallyOptions): Promise<View['status']>;
  /** Every event since the first start, oldest first. */
  readonly events: readonly Event[];
  /** Writes to objects since the last `proxy.forget()`: without the lease's and what is kept of an application's state. */
  objectWrites(): DaemonCall[];
}

/** `await using controller = await startController(corner)`: ends by SIGKILL; what it made belongs to the corner. */
export async function startController(corner: LabCorner, options: ControllerOptions = {}): Promise<Controller> {
  await using resources = new AsyncDisposableStack();
  let kept: AsyncDisposableStack | undefined;
  const { node = 1, controllerId = corner.prefix, swarm = controllerId } = options;
  const dir = resources.use(await tempDir());
  const proxy = resources.use(await daemonProxy(corner.lab.node(node).socket));
  const apps = options.repository ?? resources.use(await appRepository());
  const port = await freePort();
  const token = `token-of-${controllerId}`;
  await writeFile(join(dir.path, 'token'), token);
  const logFile = join(dir.path, 'up.log');
  await writeFile(logFile, '');
  const flags = [
    ...['--swarm', swarm, '--controller-id', controllerId, '--docker-host', `unix://${proxy.socket}`],
    ...['--appset-repo', apps.url, '--appset-revision', 'main', '--appset-path', apps.appSetPath],
    ...['--reconcile-interval', '1h', '--appset-interval', '500ms', '--data', join(dir.path, 'data')],
    ...['--listen', `127.0.0.1:${port}`, '--admin-token-file', join(dir.path, 'token'), '--log-level', 'debug', '--log-format', 'json'],
    ...(options.nodes ?? []).flatMap(({ name, socket }) => ['--node', `${name}=unix://${socket}`]),
    ...(options.flags ?? []),
  ];
  const started: ServerProcess[] = [];
  resources.defer(async () => {
    for (const process of started) await process.kill();
  });

  const streamed: StreamedEvent[] = [];
  const listening = new AbortController();
  resources.defer(() => listening.abort());

  const api = new ApiClient(port, token);
  let startedAt = 0;
  const start = async () => {
    startedAt = performance.now();
    const env = Object.entries({ PATH: process.env.PATH ?? '', ...options.env }).map(([key, value]) => `${key}=${value}`);
    const named = options.hostname === undefined ? [] : ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', options.hostname];
    const command = [...env, ...named, process.execPath, '--enable-source-maps', program, 'up', ...flags];
    started.push(await startServer('env', ['-i', ...command], logFile));
    const ended = () => started.at(-1)?.ended === true;
    const answers = async () => {
      if (ended()) throw new Error(`up ended: ${await readFile(logFile, 'utf8')}`);
      await api.get('/status');
    };
    await eventually(answers, { timeoutMs: 90_000, failFast: ended });
    await api.follow(streamed, listening.signal);
  };

  const controller: Controller = {
    controllerId,
    swarm,
    apps,
    proxy,
    api,
    get process() {
      const last = started.at(-1);
      if (!last) throw new Error('the controller was not started');
      return last;
    },
    untilDeletionsMs: () => Math.max(4_000, startedAt + (started.length > 1 ? 36_000 : 20_000) - performance.now()),
    logFile,
    log: () => readFile(logFile, 'utf8'),
    start,
    async declare(applications, entries) {
      const commit = await apps.declare(applications, entries);
      await eventually(async () => (await heldRevision(api, swarm)) === commit, { timeoutMs: 90_000 });
      return commit;
    },
    get: (path) => api.get(path),
    post: (path, body) => api.post(path, body),
    view: (application) => api.view(application),
    views: () => api.views(),
    diff: (application) => api.diff(application),
    history: (application) => api.history(application),
    async sync(application) {
      await api.post(`/applications/${application}/sync`);
      return controller.synced(application);
    },
    async synced(application) {
      await eventually(async () => isSettled(await keptState(corner.docker, controllerId, application)), { timeoutMs: 90_000 });
      return (await api.view(application)).status;
    },
    keptState: (application) => keptState(corner.docker, controllerId, application),
    waitFor: async (application, is, waiting) => {
      try {
        return await api.waitFor(application, is, waiting);
      } catch (cause) {
        const late = () => new HivekeepError('swarm/timeout', 'the swarm does not tell its tasks');
        const swarm = await within(corner.describe(), { ms: 5_000, late }).catch(String);
        throw new Error(`${(cause as Error).message}\n${swarm}`, { cause });
      }
    },
    get events() {
      return streamed.flatMap(({ event }) => event ?? []);
    },
    objectWrites: () => withoutBookkeeping(proxy.writes()),
    [Symbol.asyncDispose]: async () => kept?.disposeAsync(),
  };
  if (options.start !== false) await start();
  kept = resources.move();
  return controller;
}

/** The commit of the app set that the active reconciler holds. */
async function heldRevision(api: ApiClient, swarm: string): Promise<string | undefined> {
  const entry = await api.swarm(swarm);
  return entry.state === 'ok' ? entry.view?.appSet.revision : undefined;
}

/** What is kept of an application on the swarm: the labels of its state. */
export async function keptState(docker: LabCorner['docker'], controllerId: string, application: string): Promise<Record<string, string>> {
  const configs = await docker.listConfigs({
    filters: { label: [`${labels.application}=${application}`, `${labels.controller}=${controllerId}`] },
  });
  return configs.find((config) => config.Spec?.Labels?.[labels.type] === 'app')?.Spec?.Labels ?? {};
}

/** Whether what was accepted has its outcome, and a state that was emptied with it is gone. */
function isSettled(kept: Readonly<Record<string, string>>): boolean {
  const state = Object.keys(kept).filter((key) => key.startsWith('com.hivekeep.state.'));
  const open = ['com.hivekeep.state.sync', 'com.hivekeep.state.rollback'].some((note) => state.includes(note));
  return !open && (state.length > 0 || Object.keys(kept).length === 0);
}

/** Without the lease's writes and those of what is kept of an application, whose last update empties it and so names its id. */
function withoutBookkeeping(writes: readonly DaemonCall[]): DaemonCall[] {
  const named = (write: DaemonCall) => /^hivekeep\.(lease|app)\./.test((write.body as { Name?: string } | undefined)?.Name ?? '');
  const idOf = ({ path }: DaemonCall) => path.split('/')[2];
  const ids = new Set(writes.filter(named).map(idOf));
  return writes.filter((write) => !named(write) && !(write.method === 'DELETE' && ids.has(idOf(write))));
}
