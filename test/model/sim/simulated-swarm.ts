import { labels as keys } from '@hivekeep/application';
import type { ConfigSpec, Labels, SecretSpec, ServiceSpec } from '@hivekeep/compose';
import type { EngineRequest } from '@hivekeep/swarm/testing';
import type { Random } from './random.ts';
import { isOff } from './rules.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { VirtualTime } from './virtual-time.ts';

export type Kind = 'services' | 'networks' | 'configs' | 'secrets';

/** An object as the Engine API gives it; never changed, only replaced. */
export interface Stored {
  readonly ID: string;
  readonly Version: { readonly Index: number };
  readonly CreatedAt: string;
  readonly UpdatedAt: string;
  readonly Spec: ServiceSpec | ConfigSpec | SecretSpec | { readonly Name: string; readonly Labels?: Labels };
  readonly PreviousSpec?: Stored['Spec'];
}

/** Whoever sends a write: a reconciler in a term of its own, or a person. */
export interface Sender {
  readonly name: string;
  readonly epoch: number;
  readonly sentAt: number;
}

export interface Change {
  readonly kind: Kind;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  readonly sender: Sender;
}

/** The status and body of an answer. */
export type Answer = readonly [status: number, body: unknown];

type Objects = Record<Kind, Map<string, Stored>>;

const WALL_START = Date.parse('2026-01-02T03:04:05Z');
const KINDS: readonly string[] = ['services', 'networks', 'configs', 'secrets'];
/** How long containers of a removed service go on holding its volumes and networks, at most. */
const LINGER_MS = 4_000;

export function wallClock(now: number): number {
  return WALL_START + now;
}

/** A swarm as its managers agree on it: one index for all writes, compare-and-swap, names that are taken, objects in use. */
export class SimulatedSwarm {
  readonly time: VirtualTime;
  readonly nodes: SimulatedNode[] = [];
  onChange: (change: Change) => void = () => undefined;
  readonly #random: Random;
  #objects: Objects = { services: new Map(), networks: new Map(), configs: new Map(), secrets: new Map() };
  #index = 100;
  #ids = 0;
  readonly #namesOf = new Map<string, string>();
  /** Networks that containers still hang on, and until when. */
  readonly #lingering = new Map<string, number>();

  constructor(time: VirtualTime, random: Random) {
    this.time = time;
    this.#random = random;
  }

  objects(kind: Kind): Stored[] {
    return [...this.#objects[kind].values()];
  }

  /** The present, as an isolated manager goes on telling it. */
  remember(): Objects {
    const { services, networks, configs, secrets } = this.#objects;
    return { services: new Map(services), networks: new Map(networks), configs: new Map(configs), secrets: new Map(secrets) };
  }

  addNode(node: SimulatedNode): void {
    this.nodes.push(node);
  }

  removeNode(node: SimulatedNode): void {
    this.nodes.splice(this.nodes.indexOf(node), 1);
  }

  /** Tasks of services whose node is not up any more start on another one. */
  reschedule(): void {
    for (const service of this.objects('services')) this.#schedule(service);
  }

  /** Swarm's own bookkeeping moves the index of a service, or of any other object, without changing its spec. */
  touch(): void {
    const service = this.#random.pick(this.objects('services'));
    if (service) this.#objects.services.set(service.ID, { ...service, Version: { Index: ++this.#index } });
  }

  /** A person's removal by hand. */
  removeByHand(kind: Kind, name: string): void {
    const found = this.objects(kind).find(({ Spec }) => Spec.Name === name);
    if (found) this.#drop(kind, found, this.#person());
  }

  /** A person's creation by hand. */
  createByHand(kind: Kind, spec: Stored['Spec']): void {
    this.#create(kind, spec, this.#person());
  }

  /** A person's change by hand. */
  changeByHand(kind: Kind, name: string, change: Partial<Stored['Spec']>): void {
    const found = this.objects(kind).find(({ Spec }) => Spec.Name === name);
    if (found) this.#update(kind, found, found.Version.Index, { ...found.Spec, ...change } as Stored['Spec'], this.#person());
  }

  answer(request: EngineRequest, sender: Sender, stale?: Objects): Answer {
    const [, kind = '', id = '', verb = ''] = request.path.split('/');
    if (KINDS.includes(kind)) return this.#object(request, kind as Kind, id, verb, sender, stale ?? this.#objects);
    if (kind === 'nodes') return [200, this.nodes.filter(({ listed }) => listed).map((node) => node.asListed())];
    if (kind === 'tasks') return [200, this.#tasks()];
    if (kind === 'containers') return [404, { message: `No such container: ${id}` }];
    return [404, { message: 'page not found' }];
  }

  #person(): Sender {
    return { name: 'person', epoch: 0, sentAt: this.time.now };
  }

  #object(request: EngineRequest, kind: Kind, id: string, verb: string, sender: Sender, from: Objects): Answer {
    if (id === '') return [200, this.#list(kind, from, request.query ?? {})];
    if (id === 'create') return this.#create(kind, request.body as Stored['Spec'], sender);
    const object = from[kind].get(id) ?? this.#byName(request, kind, id);
    if (!object) return [404, { message: `${kind.slice(0, -1)} ${id} not found` }];
    if (request.method === 'DELETE') return this.#remove(kind, object, sender);
    if (verb !== 'update') return [200, withoutEpoch(object)];
    return this.#update(kind, object, Number(request.query?.version), request.body as Stored['Spec'], sender);
  }

  #list(kind: Kind, from: Objects, query: Readonly<Record<string, string>>): unknown[] {
    const filters = JSON.parse(query.filters ?? '{}') as { label?: string[]; name?: string[] };
    const [label] = filters.label ?? [];
    const [name] = filters.name ?? [];
    const [key = '', value] = label?.split('=') ?? [];
    const found = [...from[kind].values()].filter(
      ({ Spec }) =>
        (label === undefined || (Spec.Labels?.[key] !== undefined && (value === undefined || Spec.Labels[key] === value))) &&
        (name === undefined || Spec.Name.startsWith(name)),
    );
    return kind === 'networks' ? found.map(asNetwork) : found.map(withoutEpoch);
  }

  /** Who deletes by a name deletes whatever has it now. */
  #byName({ method }: EngineRequest, kind: Kind, id: string): Stored | undefined {
    if (method !== 'DELETE' || !isOff('deletes go by id')) return undefined;
    const name = this.#namesOf.get(id);
    return this.objects(kind).find(({ Spec }) => Spec.Name === name);
  }

  #create(kind: Kind, spec: Stored['Spec'], sender: Sender): Answer {
    if (this.objects(kind).some(({ Spec }) => Spec.Name === spec.Name))
      return [409, { message: `rpc error: code = AlreadyExists desc = ${kind.slice(0, -1)} ${spec.Name} already exists` }];
    const missing = kind === 'services' ? this.#missing(spec as ServiceSpec) : undefined;
    if (missing) return [404, { message: missing }];
    const at = new Date(wallClock(this.time.now)).toISOString();
    const created = { ID: `${kind}-${++this.#ids}`, Version: { Index: this.#next(spec) }, CreatedAt: at, UpdatedAt: at, Spec: spec };
    this.#put(kind, undefined, created, sender);
    return [201, { ID: created.ID }];
  }

  #update(kind: Kind, before: Stored, version: number, spec: Stored['Spec'], sender: Sender): Answer {
    const now = this.#objects[kind].get(before.ID);
    if (!now) return [404, { message: `${kind.slice(0, -1)} ${before.ID} not found` }];
    if (version !== now.Version.Index && !isOverwritten(kind, now))
      return [500, { message: 'rpc error: code = Unknown desc = update out of sequence' }];
    const missing = kind === 'services' ? this.#missing(spec as ServiceSpec) : undefined;
    if (missing) return [404, { message: missing }];
    const UpdatedAt = new Date(wallClock(this.time.now)).toISOString();
    const Spec = kind === 'services' ? spec : { ...now.Spec, Labels: spec.Labels ?? {} };
    const after = {
      ...now,
      Version: { Index: this.#next(spec, now) },
      UpdatedAt,
      Spec,
      ...(kind === 'services' && { PreviousSpec: now.Spec }),
    };
    this.#put(kind, now, after, sender);
    return [200, undefined];
  }

  #remove(kind: Kind, object: Stored, sender: Sender): Answer {
    const user = kind === 'services' ? undefined : this.#userOf(kind, object);
    if (user) return [400, { message: `${kind.slice(0, -1)} '${object.Spec.Name}' is in use by the following service: ${user}` }];
    this.#drop(kind, object, sender);
    return [204, undefined];
  }

  #put(kind: Kind, before: Stored | undefined, after: Stored, sender: Sender): void {
    this.#objects[kind].set(after.ID, after);
    this.#namesOf.set(after.ID, after.Spec.Name);
    if (kind === 'services') this.#schedule(after);
    this.onChange({ kind, before, after, sender });
  }

  #next({ Name }: { readonly Name: string }, before?: Stored): number {
    this.#index += 1;
    if (!Name.startsWith(LEASE) || !isOff('epochs grow over a lease deleted by hand')) return this.#index;
    return (before?.Version.Index ?? 0) + 1;
  }

  #drop(kind: Kind, object: Stored, sender: Sender): void {
    if (!this.#objects[kind].delete(object.ID)) return;
    this.#index += 1;
    if (kind === 'services') this.#unschedule(object);
    this.onChange({ kind, before: object, after: undefined, sender });
  }

  #missing(spec: ServiceSpec): string | undefined {
    for (const { ConfigID, ConfigName } of spec.TaskTemplate.ContainerSpec?.Configs ?? [])
      if (!this.#objects.configs.has(ConfigID)) return `config ${ConfigName} not found`;
    const networks = this.objects('networks');
    for (const { Target } of spec.TaskTemplate.Networks ?? [])
      if (!networks.some(({ ID, Spec }) => ID === Target || Spec.Name === Target)) return `network ${Target} not found`;
    return undefined;
  }

  #userOf(kind: Kind, { ID, Spec }: Stored): string | undefined {
    if (kind === 'networks' && (this.#lingering.get(Spec.Name) ?? 0) > this.time.now) return 'a task that ends';
    const user = this.objects('services').find((service) => {
      const { TaskTemplate: task } = service.Spec as ServiceSpec;
      if (kind === 'networks') return task.Networks?.some(({ Target }) => Target === ID || Target === Spec.Name);
      if (kind === 'configs') return task.ContainerSpec?.Configs?.some(({ ConfigID }) => ConfigID === ID);
      return task.ContainerSpec?.Secrets?.some(({ SecretID }) => SecretID === ID);
    });
    return user?.Spec.Name;
  }

  /** One task for each replica; its volumes are made where it starts, if they are not there. */
  #schedule({ ID, Spec }: Stored): void {
    const service = Spec as ServiceSpec;
    const up = this.nodes.filter(({ schedulable }) => schedulable);
    const placed = this.nodes.filter(({ tasks }) => tasks.has(ID));
    const wanted = service.Mode.Replicated?.Replicas ?? 1;
    const staying = placed.filter(({ schedulable }) => schedulable).slice(0, wanted);
    for (const node of placed) if (!staying.includes(node)) node.stop(ID, this.#lingerUntil());
    const free = up.filter((node) => !staying.includes(node));
    const chosen = [...staying];
    while (chosen.length < wanted && free.length > 0)
      chosen.push(free.splice(this.#random.between(0, free.length - 1), 1)[0] as SimulatedNode);
    for (const node of chosen) node.start(ID, service, this.time.now);
  }

  #unschedule({ ID, Spec }: Stored): void {
    const until = this.#lingerUntil();
    for (const node of this.nodes) node.stop(ID, until);
    for (const { Target } of (Spec as ServiceSpec).TaskTemplate.Networks ?? []) {
      const name = this.#objects.networks.get(Target)?.Spec.Name ?? Target;
      this.#lingering.set(name, until);
    }
  }

  #lingerUntil(): number {
    return this.time.now + this.#random.between(0, LINGER_MS);
  }

  #tasks(): unknown[] {
    return this.objects('services').flatMap(({ ID, Version, Spec }) =>
      this.nodes.flatMap((node, slot) => {
        const startedAt = node.tasks.get(ID);
        if (startedAt === undefined || !node.schedulable) return [];
        const at = new Date(wallClock(startedAt)).toISOString();
        const status = { State: 'running', Message: 'started' };
        const task = { ID: `task-${ID}-${node.id}`, Version, CreatedAt: at, UpdatedAt: at, Status: status, DesiredState: 'running' };
        return [{ ...task, ServiceID: ID, Slot: slot + 1, NodeID: node.id, Spec: (Spec as ServiceSpec).TaskTemplate }];
      }),
    );
  }
}

const LEASE = 'hivekeep.lease.';

/** Whether a write does not mind what was written since its sender has read. */
function isOverwritten(kind: Kind, { Spec }: Stored): boolean {
  if (kind === 'services') return isOff('an update assumes the index of its plan');
  return Spec.Name.startsWith(LEASE) && isOff('the lease is changed by compare-and-swap alone');
}

function withoutEpoch(object: Stored): Stored {
  if (!isOff('a higher epoch on an object deposes') || object.Spec.Name.startsWith(LEASE)) return object;
  const { [keys.epoch]: _, ...Labels } = object.Spec.Labels ?? {};
  return { ...object, Spec: { ...object.Spec, Labels } };
}

function asNetwork({ ID, Spec, CreatedAt }: Stored): unknown {
  return { Id: ID, Name: Spec.Name, Created: CreatedAt, Scope: 'swarm', Driver: 'overlay', Labels: Spec.Labels };
}

/** The stack an object is of by its label. */
export function stackOf({ Spec }: Stored): string | undefined {
  return Spec.Labels?.[keys.stack];
}
