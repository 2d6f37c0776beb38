import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PruneList, SwarmEntry, View } from '@hivekeep/contracts';
import { eventually, type Lab, run, tempDir } from '@hivekeep/testkit';
import { type LabEntrance, labEntrance } from './lab-entrance.ts';

/** Our stack on a lab, installed as a user installs it, and a client of its gateway. */
export interface Installation extends AsyncDisposable {
  readonly lab: Lab;
  readonly entrance: LabEntrance;
  /** The folder that `deploy init` made. */
  readonly folder: string;
  /** Runs the built command and gives its exit code and output. */
  hivekeep(...args: string[]): Promise<{ code: number; text: string }>;
  /** Runs the docker command on a node, by its number. */
  docker(node: number, ...args: string[]): Promise<string>;
  /** `docker stack deploy` of the folder's files. */
  deploy(): Promise<void>;
  /** Makes the app set these applications, with these files, in one commit. */
  declare(applications: readonly string[], files?: Record<string, string>): Promise<string>;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  application(name: string): Promise<View>;
  prune(): Promise<PruneList>;
  swarm(): Promise<SwarmEntry>;
}

const checkout = resolve(import.meta.dirname, '../../..');
const IMAGE = 'hivekeep:lab';
const NATS_IMAGE = 'hivekeep-nats:lab';
const STACK = 'hivekeep';
const HOST = 'hive.test';
const PORT = 8443;

/** Builds and loads the images and makes the folder; nothing is deployed yet. */
export async function installation(lab: Lab): Promise<Installation> {
  await using resources = new AsyncDisposableStack();
  const dir = resources.use(await tempDir());
  const entrance = resources.use(await labEntrance(lab, dir.path, PORT));
  const folder = join(dir.path, 'hive');
  await loadImages(lab, dir.path);
  await entrance.repo.commit({ 'applications.yaml': 'apiVersion: v1\napplications: []\n' });

  const program = join(checkout, 'apps/cli/out/main.js');
  const hivekeep = async (...args: string[]) => {
    const env = { PATH: process.env.PATH, DOCKER_HOST: `unix://${lab.node(1).socket}` };
    const ended = await run('sh', ['-c', '"$@" 2>&1; echo "exit $?"', 'sh', process.execPath, program, ...args], { env });
    const [, text = '', code = ''] = /^(.*)exit (\d+)\n$/s.exec(ended) ?? [];
    return { code: Number(code), text };
  };
  const docker = (node: number, ...args: string[]) =>
    run('docker', args, { cwd: folder, env: { PATH: process.env.PATH, HOME: dir.path, DOCKER_HOST: `unix://${lab.node(node).socket}` } });

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
  );
  if (made.code !== 0) throw new Error(`deploy init: ${made.text}`);

  const call = await gatewayCall(lab, entrance, folder);
  const get = <T>(path: string) => call<T>('GET', path);
  const kept: { resources?: AsyncDisposableStack } = {};
  const result: Installation = {
    lab,
    entrance,
    folder,
    hivekeep,
    docker,
    get,
    deploy: async () => void (await docker(1, 'stack', 'deploy', '-c', 'stack.yml', '-c', 'gateway.yml', STACK)),
    post: (path, body = {}) => call('POST', path, body),
    declare: (applications, files = {}) =>
      entrance.repo.commit({ ...files, 'applications.yaml': appSet(applications, entrance.repoURL) }, { date: new Date() }),
    application: (name) => get<View>(`/applications/${name}`),
    prune: () => get<PruneList>('/prune'),
    swarm: async () => {
      const [entry] = (await get<{ swarms: SwarmEntry[] }>('/swarms')).swarms;
      if (!entry) throw new Error('the gateway knows no swarm');
      return entry;
    },
    [Symbol.asyncDispose]: async () => kept.resources?.disposeAsync(),
  };
  kept.resources = resources.move();
  return result;
}

async function loadImages(lab: Lab, dir: string): Promise<void> {
  const folder = join(dir, 'images');
  await mkdir(folder);
  const images = [
    [join(checkout, 'deploy/image.sh'), IMAGE],
    [join(checkout, 'test/lab/nats-image.sh'), NATS_IMAGE],
  ] as const;
  for (const [index, [script, name]] of images.entries()) {
    const file = join(folder, `${index}.tar`);
    await run(script, [file, name], { timeoutMs: 180_000 });
    await lab.load(file);
    await run('rm', [file]);
  }
}

/** Asks whichever node runs a gateway that answers. */
async function gatewayCall(lab: Lab, entrance: LabEntrance, folder: string) {
  const ca = await readFile(join(folder, 'ca.crt'), 'utf8');
  const token = (await readFile(join(folder, 'secrets/admin-token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  let last = lab.node(1).address;
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const others = lab.nodes.map(({ address }) => address).filter((address) => address !== last);
    let failure: unknown;
    for (const address of [last, ...others]) {
      const options = {
        method,
        path: `/api/v1${path}`,
        headers,
        ca,
        servername: HOST,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      try {
        const { status, text } = await entrance.ask(address, options);
        last = address;
        if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
        return JSON.parse(text) as T; // what the contract of the gateway says of this path
      } catch (thrown) {
        if (address === last) failure = thrown;
        failure ??= thrown;
      }
    }
    throw failure;
  };
}

function appSet(names: readonly string[], repoURL: string): string {
  const applications = names.map((name) => ({
    name,
    source: { repoURL, revision: 'main', compose: { files: [`${name}.yaml`] } },
    syncPolicy: { automated: true },
    driftDetection: 'live',
  }));
  return JSON.stringify({ apiVersion: 'v1', applications }, null, 2); // JSON is YAML
}

/** Waits until an application is as Git says and runs, at this commit when it is given. */
export async function settled(hive: Installation, name: string, commit?: string, timeoutMs = 90_000): Promise<View> {
  return eventually(
    async () => {
      const view = await hive.application(name);
      const { sync, health } = view.status;
      if (sync.state === 'synced' && health.state === 'healthy' && (commit === undefined || sync.revision === commit)) return view;
      throw new Error(`its status is ${JSON.stringify(view.status)}`);
    },
    { timeoutMs, intervalMs: 500 },
  );
}
