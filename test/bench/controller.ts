import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem, type SwarmEntry, type View } from '@hivekeep/contracts';
import {
  type DaemonCall,
  type DaemonProxy,
  daemonProxy,
  eventually,
  freePort,
  type GitRepo,
  type GitServer,
  gitServer,
  type Lab,
  tempDir,
} from '@hivekeep/testkit';
import { type HivekeepProcess, startHivekeep } from './hivekeep-process.ts';

export interface ControllerOptions {
  readonly lab: Lab;
  /** The repository's first files. */
  readonly files: Readonly<Record<string, string>>;
  /** The app set's `applications`; `REPO` stands for the repository's URL. */
  readonly applications: readonly string[];
  readonly flags?: readonly string[];
}

/** `hivekeep up` on the first manager of a lab, through a proxy that counts, with a repository of its own over HTTP. */
export interface BenchController extends AsyncDisposable {
  readonly process: HivekeepProcess;
  readonly proxy: DaemonProxy;
  readonly git: GitServer;
  readonly repository: GitRepo;
  /** When the process was started, on the monotonic clock. */
  readonly startedAt: number;
  get<T>(path: string): Promise<T>;
  post<T>(path: string): Promise<T>;
  /** The API's event stream, as text, until the signal. */
  events(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  views(): Promise<View[]>;
}

const REQUEST_MS = 10_000;

export async function startController(options: ControllerOptions): Promise<BenchController> {
  await using resources = new AsyncDisposableStack();
  const dir = resources.use(await tempDir());
  const git = resources.use(await gitServer());
  const repository = await git.createRepo('apps');
  const set = `applications:\n${options.applications.join('')}`.replaceAll('REPO', git.url('apps'));
  await repository.commit({ ...options.files });
  await writeFile(join(dir.path, 'applications.yaml'), set);
  await writeFile(join(dir.path, 'token'), 'bench');
  const proxy = resources.use(await daemonProxy(options.lab.node(1).socket));
  const port = await freePort();
  const startedAt = performance.now();
  const process = resources.use(startHivekeep(upArguments(options, dir.path, proxy.socket, port), join(dir.path, 'log')));
  const request = async (method: string, path: string, signal = AbortSignal.timeout(REQUEST_MS)) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, signal, headers: { authorization: 'Bearer bench' } });
    if (!response.ok) throw new Error(`${method} ${path}: ${Problem.safeParse(await response.json()).data?.detail ?? response.status}`);
    return response;
  };
  const get = async <T>(path: string) => (await (await request('GET', path)).json()) as T;
  const serving = async () => (await get<{ swarms: SwarmEntry[] }>('/api/v1/swarms')).swarms.some((swarm) => swarm.state === 'ok');
  await eventually(serving, { timeoutMs: 60_000, intervalMs: 50, failFast: () => process.ended }).catch(async (cause: unknown) => {
    throw new Error(`hivekeep up does not serve:\n${await process.log()}`, { cause });
  });
  const kept = resources.move();
  return {
    process,
    proxy,
    git,
    repository,
    startedAt,
    get,
    post: async <T>(path: string) => (await (await request('POST', path)).json()) as T,
    events: async (signal) => {
      const { body } = await request('GET', '/api/v1/events', signal);
      if (!body) throw new Error('the event stream has no body');
      return body;
    },
    views: async () => (await get<{ applications: View[] }>('/api/v1/applications')).applications,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function upArguments({ flags = [] }: ControllerOptions, folder: string, socket: string, port: number): string[] {
  return [
    ...['up', '--swarm', 'bench', '--controller-id', 'bench', '--docker-host', `unix://${socket}`],
    ...['--config', join(folder, 'applications.yaml'), '--data', join(folder, 'data')],
    ...['--listen', `127.0.0.1:${port}`, '--admin-token-file', join(folder, 'token')],
    ...flags,
  ];
}

/** Calls of the lease alone: it lists leases by name and swaps one of them. */
export function isLeaseCall(call: DaemonCall, leaseId: string): boolean {
  const filters = call.query.get('filters') ?? '';
  return filters.includes('hivekeep.lease.') || call.path === `/configs/${leaseId}` || call.path === `/configs/${leaseId}/update`;
}

export async function leaseIdOf(lab: Lab): Promise<string> {
  const [lease] = await lab.node(1).docker.listConfigs({ filters: { name: ['hivekeep.lease.bench'] } });
  if (!lease) throw new Error('the swarm has no lease');
  return lease.ID;
}
