import { labels as keys } from '@hivekeep/application';
import type { Labels, ServiceSpec } from '@hivekeep/compose';
import { VolumeDoor } from '@hivekeep/node-agent';
import { DockerNodeBackend, DockerSwarm } from '@hivekeep/swarm';
import type { EngineRequest } from '@hivekeep/swarm/testing';
import { isOff } from './rules.ts';
import { type Fate, SimulatedHttp } from './simulated-http.ts';
import type { Answer } from './simulated-swarm.ts';
import { Host, type VirtualTime } from './virtual-time.ts';

interface Volume {
  readonly labels: Labels;
  /** Ids of services whose containers hold it, and until when: for ever while they run. */
  readonly users: Map<string, number>;
}

/** A machine of the swarm: its tasks, its volumes, and the agent on it. */
export class SimulatedNode {
  readonly id: string;
  readonly hostname: string;
  readonly time: VirtualTime;
  state: 'ready' | 'down' = 'ready';
  availability: 'active' | 'drain' = 'active';
  /** Whether the managers know of it. */
  listed = true;
  /** Whether a person has given it up. */
  forgotten = false;
  /** Ids of services with a task here, and since when. */
  readonly tasks = new Map<string, number>();
  readonly volumes: Map<string, Volume>;
  /** What is to become of a call to its daemon. */
  fate: (request: EngineRequest) => Fate = () => 'pass';
  onVolumeRemoved: (node: SimulatedNode, volume: string, stack: string) => void = () => undefined;
  /** Undefined: no agent runs. */
  agent: { readonly host: Host; readonly door: VolumeDoor } | undefined;

  /** `disk`: what another node left on it. */
  constructor(time: VirtualTime, id: string, hostname: string, disk: Map<string, Volume> = new Map()) {
    this.time = time;
    this.id = id;
    this.hostname = hostname;
    this.volumes = disk;
  }

  get schedulable(): boolean {
    return this.listed && this.state === 'ready' && this.availability === 'active';
  }

  /** Starts its agent anew; tickets of the one before are lost. */
  startAgent(): void {
    this.stopAgent();
    const host = new Host(this.time, `agent-${this.id}`);
    const http = new SimulatedHttp({
      host,
      latency: () => 20,
      fate: (request) => this.fate(request),
      arrival: (request) => () => this.answer(request),
    });
    const daemon = new SimulatedDocker(http);
    const ticketMs = isOff('tickets run out') ? 1e9 : 10_000;
    const Backend = isOff('agents refuse lower epochs') ? AnyEpoch : DockerNodeBackend;
    const backend = host.run(() => new Backend({ daemon, nodeId: this.id, monotonicNow: () => host.monotonic, ticketMs }));
    this.agent = { host, door: new VolumeDoor(backend) };
  }

  stopAgent(): void {
    if (this.agent) this.agent.host.dead = true;
    this.agent = undefined;
  }

  start(service: string, spec: ServiceSpec, now: number): void {
    if (!this.tasks.has(service)) this.tasks.set(service, now);
    for (const mount of spec.TaskTemplate.ContainerSpec?.Mounts ?? []) {
      if (mount.Type !== 'volume' || !mount.Source) continue;
      const volume = this.volumes.get(mount.Source) ?? { labels: mount.VolumeOptions?.Labels ?? {}, users: new Map() };
      volume.users.set(service, Number.POSITIVE_INFINITY);
      this.volumes.set(mount.Source, volume);
    }
  }

  stop(service: string, until: number): void {
    if (!this.tasks.delete(service)) return;
    for (const { users } of this.volumes.values()) if (users.has(service)) users.set(service, until);
  }

  asListed(): unknown {
    return {
      ID: this.id,
      Version: { Index: 1 },
      Spec: { Role: 'worker', Availability: this.availability, Labels: {} },
      Description: { Hostname: this.hostname },
      Status: { State: this.state, Addr: '' },
    };
  }

  /** Its own daemon: volumes alone. */
  answer({ method, path, query }: EngineRequest): Answer {
    const [, , name = ''] = path.split('/');
    const filters = JSON.parse(query?.filters ?? '{}') as { label?: string[]; name?: string[] };
    if (method === 'GET') {
      const stack = filters.label?.[0]?.split('=')[1];
      const found = [...this.volumes].filter(
        ([volume, { labels }]) => labels[keys.stack] === stack && volume.includes(filters.name?.[0] ?? ''),
      );
      return [200, { Volumes: found.map(([Name, { labels }]) => ({ Name, Labels: labels })) }];
    }
    const volume = this.volumes.get(name);
    if (!volume) return [404, { message: `get ${name}: no such volume` }];
    if ([...volume.users.values()].some((until) => until > this.time.now))
      return [409, { message: `remove ${name}: volume is in use - [abc]` }];
    this.volumes.delete(name);
    this.onVolumeRemoved(this, name, volume.labels[keys.stack] ?? '');
    return [204, undefined];
  }
}

class AnyEpoch extends DockerNodeBackend {
  override stackVolumes(request: Parameters<DockerNodeBackend['stackVolumes']>[0]) {
    return super.stackVolumes({ ...request, epoch: 1 });
  }
  override removeVolume(request: Parameters<DockerNodeBackend['removeVolume']>[0]) {
    return super.removeVolume({ ...request, epoch: 1 });
  }
}

/** A daemon's client whose calls the simulation answers. */
export class SimulatedDocker extends DockerSwarm {
  override readonly http: SimulatedHttp;

  constructor(http: SimulatedHttp) {
    super({ endpoint: { kind: 'socket', path: '/nowhere' } });
    this.http = http;
  }
}
