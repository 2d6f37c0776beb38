import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent } from 'node:https';
import { join, resolve } from 'node:path';
import type { PruneList, SwarmEntry, View } from '@hivekeep/contracts';
import { type Lab, type LabNode, run, tempDir } from '@hivekeep/testkit';
import { type DaemonLog, daemonLog } from './daemon-log.ts';
import { type HttpsAsk, type LabEntrance, labEntrance } from './lab-entrance.ts';
import { type WallClocks, wallClocks } from './wall-clocks.ts';

/** Our stack on a lab, installed as a user installs it, and a client of its gateway. */
export interface Installation extends AsyncDisposable {
  readonly lab: Lab;
  readonly entrance: LabEntrance;
  /** What our services ask the nodes' engines for. */
  readonly log: DaemonLog;
  /** Of the reconcilers. */
  readonly clocks: WallClocks;
  /** The folder that `deploy init` made. */
  readonly folder: string;
  /** Runs the built command and gives its exit code and output. */
  hivekeep(...args: string[]): Promise<{ code: number; text: string }>;
  /** Runs the docker command on a node: one of this lab by its number, or of another. */
  docker(node: number | LabNode, ...args: string[]): Promise<string>;
  /** `docker stack deploy` of the stack, with the gateway published and what is watched, and these overlays. */
  deploy(...overlays: string[]): Promise<void>;
  /** Loads our image, and that of NATS, on every node of a lab. */
  loadImages(lab: Lab): Promise<void>;
  /** Makes the app set these applications, with these files, in one commit. */
  declare(applications: readonly AppDeclaration[], files?: Record<string, string>): Promise<string>;
  get<T>(path: string): Promise<T>;
  /** The same of every gateway that answers, without those whose node is away. */
  getEach<T>(path: string): Promise<T[]>;
  /** An answer that goes on, from the gateway on a node. */
  follow(node: LabNode, path: string, headers: Record<string, string>): Promise<IncomingMessage>;
  /** Asks the gateway on a node over a connection that is kept; gives the answer's text. */
  keptOpen(node: LabNode): { get(path: string): Promise<string> } & Disposable;
  post<T>(path: string, body?: unknown): Promise<T>;
  application(name: string): Promise<View>;
  prune(): Promise<PruneList>;
  swarms(): Promise<SwarmEntry[]>;
}

/** An application of the lab's own swarm by its name, or one of another. Its compose file is `NAME.yaml`. */
export type AppDeclaration = string | { readonly name: string; readonly swarm?: string };

const checkout = resolve(import.meta.dirname, '../../..');
const IMAGE = 'hivekeep:lab';
/** The same image under another tag: what an update rolls out. On every node that has the images. */
export const NEXT_IMAGE = 'hivekeep:next';
const NATS_IMAGE = 'hivekeep-nats:lab';

/** Where NATS runs: on a worker, so that a manager's fault is none of the bus. */
export const NATS_NODE = 4;
const STACK = 'hivekeep';
const HOST = 'hive.test';
const PORT = 8443;
const WATCHED = 'watched.yml';

/** Builds and loads the images and makes the folder, with these flags too; nothing is deployed yet. */
export async function installation(lab: Lab, ...flags: string[]): Promise<Installation> {
  await using resources = new AsyncDisposableStack();
  const dir = resources.use(await tempDir());
  const entrance = resources.use(await labEntrance(lab, dir.path, PORT));
  const folder = join(dir.path, 'hive');
  const images = await buildImages(dir.path);
  const loadImages = async (onto: Lab) => {
    for (const image of images) await onto.load(image);
    for (const { docker } of onto.nodes) await docker.getImage(IMAGE).tag({ repo: 'hivekeep', tag: 'next' });
  };
  await loadImages(lab);
  await entrance.repo.commit({ 'applications.yaml': 'apiVersion: v1\napplications: []\n' });

  const program = join(checkout, 'apps/cli/out/main.js');
  const hivekeep = async (...args: string[]) => {
    const env = { PATH: process.env.PATH, DOCKER_HOST: `unix://${lab.node(1).socket}` };
    const ended = await run('sh', ['-c', '"$@" 2>&1; echo "exit $?"', 'sh', process.execPath, program, ...args], { env });
    const [, text = '', code = ''] = /^(.*)exit (\d+)\n$/s.exec(ended) ?? [];
    return { code: Number(code), text };
  };
  const docker = (node: number | LabNode, ...args: string[]) => {
    const { socket } = typeof node === 'number' ? lab.node(node) : node;
    return run('docker', args, { cwd: folder, env: { PATH: process.env.PATH, HOME: dir.path, DOCKER_HOST: `unix://${socket}` } });
  };

  const git = ['--appset-repo', entrance.repoURL, '--allow-insecure-git', entrance.gitHost];
  const sweeping = ['--prune', '--prune-volumes', '--prune-volumes-after', '0s', '--interval', '5s'];
  const made = await hivekeep(
    'deploy',
    'init',
    folder,
    '--image',
    IMAGE,
    '--nats-image',
    NATS_IMAGE,
    '--gateway-name',
    HOST,
    ...git,
    ...sweeping,
    ...flags,
  );
  if (made.code !== 0) throw new Error(`deploy init: ${made.text}`);

  const log = resources.use(await daemonLog(lab, folder));
  const clocks = await wallClocks(lab, folder);
  await writeFile(join(folder, WATCHED), JSON.stringify(watched(log, clocks)));
  const gateway = await gatewayClient(entrance, folder);
  const call = anyGateway(lab, gateway);
  const get = <T>(path: string) => call<T>('GET', path);
  const kept: { resources?: AsyncDisposableStack } = {};
  const result: Installation = {
    lab,
    entrance,
    log,
    clocks,
    folder,
    hivekeep,
    docker,
    get,
    getEach: async <T>(path: string) => {
      const answers = await Promise.allSettled(lab.nodes.map(({ address }) => gateway.call<T>(address, 'GET', path)));
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    },
    follow: (node, path, headers) => entrance.open(node.address, gateway.request('GET', path, undefined, headers)),
    keptOpen: ({ address }) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      return {
        get: async (path) => {
          const ask = () => entrance.ask(address, { ...gateway.request('GET', path), agent });
          const { status, text } = await ask().catch(ask); // a kept connection may have been closed meanwhile
          if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
          return text;
        },
        [Symbol.dispose]: () => agent.destroy(),
      };
    },
    loadImages,
    deploy: async (...overlays) => {
      const files = ['stack.yml', 'gateway.yml', WATCHED, ...overlays].flatMap((file) => ['-c', file]);
      await docker(1, 'stack', 'deploy', ...files, STACK);
    },
    post: (path, body = {}) => call('POST', path, body),
    declare: (applications, files = {}) =>
      entrance.repo.commit({ ...files, 'applications.yaml': appSet(applications, entrance.repoURL) }, { date: new Date() }),
    application: (name) => get<View>(`/applications/${name}`),
    prune: () => get<PruneList>('/prune?swarm=default'),
    swarms: async () => (await get<{ swarms: SwarmEntry[] }>('/swarms')).swarms,
    [Symbol.asyncDispose]: async () => kept.resources?.disposeAsync(),
  };
  kept.resources = resources.move();
  return result;
}

/** An overlay: reconcilers and agents reach their engines through the log, and reconcilers read wall clocks of their own. */
function watched(log: DaemonLog, { mount, environment }: WallClocks): object {
  const socket = { type: 'bind', source: log.socket, target: '/var/run/docker.sock' };
  const services = { reconciler: { volumes: [socket, mount], environment }, 'node-agent': { volumes: [socket] } };
  return { version: '3.9', services };
}

/** Gives the archives' paths. */
async function buildImages(dir: string): Promise<string[]> {
  const images = [
    [join(checkout, 'deploy/image.sh'), IMAGE],
    [join(checkout, 'test/lab/nats-image.sh'), NATS_IMAGE],
  ] as const;
  const files: string[] = [];
  for (const [index, [script, name]] of images.entries()) {
    const file = join(dir, `image-${index}.tar`);
    await run(script, [file, name], { timeoutMs: 180_000 });
    files.push(file);
  }
  return files;
}

interface GatewayClient {
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): HttpsAsk;
  /** Throws when no gateway answers there, or with an error. */
  call<T>(address: string, method: string, path: string, body?: unknown): Promise<T>;
}

async function gatewayClient(entrance: LabEntrance, folder: string): Promise<GatewayClient> {
  const ca = await readFile(join(folder, 'ca.crt'), 'utf8');
  const token = (await readFile(join(folder, 'secrets/admin-token'), 'utf8')).trim();
  const own = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const request: GatewayClient['request'] = (method, path, body, headers = {}) => ({
    method,
    path: `/api/v1${path}`,
    headers: { ...own, ...headers },
    ca,
    servername: HOST,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    request,
    async call<T>(address: string, method: string, path: string, body?: unknown) {
      const { status, text } = await entrance.ask(address, request(method, path, body));
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
      return JSON.parse(text) as T; // what the contract of the gateway says of this path
    },
  };
}

/** Asks whichever node runs a gateway that answers. */
function anyGateway(lab: Lab, { call }: GatewayClient) {
  let last = lab.node(1).address;
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const others = lab.nodes.map(({ address }) => address).filter((address) => address !== last);
    let failure: unknown;
    for (const address of [last, ...others]) {
      try {
        const answer = await call<T>(address, method, path, body);
        last = address;
        return answer;
      } catch (thrown) {
        failure ??= thrown;
      }
    }
    throw failure;
  };
}

function appSet(declared: readonly AppDeclaration[], repoURL: string): string {
  const applications = declared
    .map((one) => (typeof one === 'string' ? { name: one } : one))
    .map(({ name, swarm }: { name: string; swarm?: string }) => ({
      name,
      source: { repoURL, revision: 'main', compose: { files: [`${name}.yaml`] } },
      syncPolicy: { automated: true },
      driftDetection: 'live',
      ...(swarm !== undefined && { destination: { swarm } }),
    }));
  return JSON.stringify({ apiVersion: 'v1', applications }, null, 2); // JSON is YAML
}
