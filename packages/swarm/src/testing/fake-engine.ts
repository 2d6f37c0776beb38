import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DockerSwarm } from '../client/docker-swarm.ts';

type Kind = 'services' | 'networks' | 'configs' | 'secrets';
interface Stored {
  ID: string;
  Version: { Index: number };
  CreatedAt: string;
  UpdatedAt: string;
  Spec: { Name: string; Labels?: Record<string, string> | null; Data?: string };
  /** What a service had before its last update, as the engine keeps it. */
  PreviousSpec?: Stored['Spec'];
}

export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/**
 * What becomes of a call: `pass`; `hang` (never done, never answered); `land` (done after `ms` although nobody gets the answer);
 * `stale` (a read that answers what was true when `freeze` was called); `fail` with a status and a text; `drop` the connection.
 */
export type Behaviour = 'pass' | 'hang' | 'stale' | 'drop' | { readonly land: number } | { readonly fail: number; readonly text: string };

/** The nasty parts of a manager's daemon, for what a real one can't be made to do at will. The rest is tested on real engines. */
export class FakeEngine implements AsyncDisposable {
  readonly calls: FakeCall[] = [];
  behave: (call: FakeCall) => Behaviour = () => 'pass';
  volumes: { Name: string; Labels: Record<string, string>; inUse?: boolean }[] = [];
  nodeId = 'node-id-1';
  /** What the manager lists. */
  nodes: { ID: string; Description: { Hostname: string }; Spec: { Availability: string }; Status: { State: string } }[] = [];
  /** Labels of containers by id. */
  containers: Record<string, Record<string, string>> = {};
  readonly #objects: Record<Kind, Map<string, Stored>> = {
    services: new Map(),
    networks: new Map(),
    configs: new Map(),
    secrets: new Map(),
  };
  #stale: Record<Kind, Map<string, Stored>> | undefined;
  #index = 10;
  #ids = 0;
  readonly #streams = new Set<ServerResponse>();
  readonly #server = createServer((request, response) => void this.#handle(request, response).catch(() => response.destroy()));
  readonly #dir: string;

  private constructor(dir: string) {
    this.#dir = dir;
  }

  static async start(): Promise<FakeEngine> {
    const engine = new FakeEngine(await mkdtemp(join(tmpdir(), 'fake-engine-')));
    engine.#server.listen(engine.socket);
    await once(engine.#server, 'listening');
    return engine;
  }

  get socket(): string {
    return join(this.#dir, 'docker.sock');
  }

  client(timeoutMs = 2_000): DockerSwarm {
    return new DockerSwarm({ endpoint: { kind: 'socket', path: this.socket }, timeoutMs });
  }

  /** Remembers the present for `stale` reads. */
  freeze(): void {
    this.#stale = structuredClone(this.#objects);
  }

  objects(kind: Kind): Stored[] {
    return [...this.#objects[kind].values()];
  }

  /** Someone else's write of labels: no compare, a new index. */
  relabel(kind: Kind, name: string, change: (labels: Record<string, string>) => Record<string, string>): void {
    const object = this.objects(kind).find(({ Spec }) => Spec.Name === name);
    if (!object) throw new Error(`no ${name}`);
    if (kind === 'services') object.PreviousSpec = structuredClone(object.Spec);
    object.Spec.Labels = change(object.Spec.Labels ?? {});
    object.Version.Index = ++this.#index;
  }

  add(kind: Kind, spec: Stored['Spec']): string {
    const ID = `${kind}-${++this.#ids}`;
    const time = '2026-01-02T03:04:05.678901234Z';
    this.#objects[kind].set(ID, { ID, Version: { Index: ++this.#index }, CreatedAt: time, UpdatedAt: time, Spec: spec });
    return ID;
  }

  remove(kind: Kind, id: string): void {
    this.#objects[kind].delete(id);
  }

  /** Sends bytes to every open events stream, as they are. */
  emit(bytes: string | Buffer): void {
    for (const stream of this.#streams) stream.write(bytes);
  }

  /** Ends every events stream. */
  cutStreams(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutStreams();
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = request.url ?? '';
    const path = url.split('?')[0] ?? '';
    const call: FakeCall = { method: request.method ?? '', path, url, body: Buffer.concat(chunks).toString(), headers: request.headers };
    this.calls.push(call);
    const behaviour = this.behave(call);
    if (behaviour === 'hang') return;
    if (behaviour === 'drop') return void response.destroy();
    if (typeof behaviour === 'object' && 'fail' in behaviour) return answer(response, behaviour.fail, { message: behaviour.text });
    if (typeof behaviour === 'object') {
      await sleep(behaviour.land);
      this.#answer(call, this.#objects);
      return;
    }
    if (path === '/events') return this.#open(response);
    const [status, body] = this.#answer(call, behaviour === 'stale' && this.#stale ? this.#stale : this.#objects);
    answer(response, status, body);
  }

  #open(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.#streams.add(response);
  }

  #answer(call: FakeCall, from: Record<Kind, Map<string, Stored>>): [number, unknown] {
    const [, kind = '', id = '', verb] = call.path.split('/');
    const query = new URLSearchParams(call.url.split('?')[1]);
    if (kind === '_ping') return [200, 'OK'];
    if (kind === 'version') return [200, { ApiVersion: '1.41' }];
    if (kind === 'info') return [200, { Swarm: { NodeID: this.nodeId, LocalNodeState: 'active', ControlAvailable: true, Nodes: 1 } }];
    if (kind === 'nodes') return [200, this.nodes];
    if (kind === 'tasks') return [200, []];
    if (kind === 'containers')
      return id in this.containers ? [200, { Config: { Labels: this.containers[id] } }] : [404, { message: `No such container: ${id}` }];
    if (kind === 'volumes') return this.#volumes(call, id, query);
    const objects = from[kind as Kind];
    if (!objects) return [404, { message: 'page not found' }];
    if (id === '') {
      const found = [...objects.values()].filter((object) => matches(object, query));
      return [200, kind === 'networks' ? found.map(asNetwork) : found];
    }
    if (id === 'create') return this.#create(kind as Kind, JSON.parse(call.body));
    const object = objects.get(id);
    if (!object) return [404, { message: `${kind.slice(0, -1)} ${id} not found` }];
    if (call.method === 'DELETE') return [204, objects.delete(id) && undefined];
    return verb === 'update' ? this.#update(object, Number(query.get('version')), JSON.parse(call.body)) : [200, object];
  }

  #create(kind: Kind, spec: Stored['Spec']): [number, unknown] {
    if (this.objects(kind).some(({ Spec }) => Spec.Name === spec.Name))
      return [409, { message: `rpc error: code = AlreadyExists desc = ${kind.slice(0, -1)} ${spec.Name} already exists` }];
    return [201, { ID: this.add(kind, spec) }];
  }

  #update(object: Stored, version: number, spec: Stored['Spec']): [number, unknown] {
    if (version !== object.Version.Index) return [500, { message: 'rpc error: code = Unknown desc = update out of sequence' }];
    object.Spec = { ...object.Spec, ...spec };
    object.Version.Index = ++this.#index;
    return [200, undefined];
  }

  #volumes(call: FakeCall, name: string, query: URLSearchParams): [number, unknown] {
    if (call.method === 'GET')
      return [200, { Volumes: this.volumes.filter(({ Name, Labels }) => matches({ Spec: { Name, Labels } }, query)) }];
    const volume = this.volumes.find(({ Name }) => Name === name);
    if (!volume) return [404, { message: `get ${name}: no such volume` }];
    if (volume.inUse) return [409, { message: `remove ${name}: volume is in use - [abc]` }];
    this.volumes = this.volumes.filter((each) => each !== volume);
    return [204, undefined];
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function matches({ Spec }: { Spec: Pick<Stored['Spec'], 'Name' | 'Labels'> }, query: URLSearchParams): boolean {
  const { label = [], name = [] } = JSON.parse(query.get('filters') ?? '{}') as { label?: string[]; name?: string[] };
  const labelled = label.every((wanted) => {
    const [key = '', value] = wanted.split('=');
    return Spec.Labels?.[key] !== undefined && (value === undefined || Spec.Labels[key] === value);
  });
  return labelled && name.every((prefix) => Spec.Name.startsWith(prefix));
}

function asNetwork({ ID, Spec, CreatedAt }: Stored) {
  return { Id: ID, Name: Spec.Name, Created: CreatedAt, Scope: 'swarm', Driver: 'overlay', Labels: Spec.Labels };
}
