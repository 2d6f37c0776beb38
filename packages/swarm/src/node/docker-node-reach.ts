import { HivekeepError } from '@hivekeep/contracts';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { NodeBackend, NodeReach } from '../seams/node-reach.ts';
import type { NodeTarget, ReachableNode, SwarmTarget } from '../seams/target.ts';
import { DockerNodeBackend } from './docker-node-backend.ts';

export interface DockerNodeReachOptions {
  readonly swarm: string;
  /** Daemons of the swarm's nodes by host name. */
  readonly daemons: ReadonlyMap<string, DockerSwarm>;
  /** How long a node may take to answer, in milliseconds. */
  readonly lookTimeoutMs?: number;
  /** Makes a node's backend; the usual one when absent. */
  readonly backend?: (daemon: DockerSwarm, nodeId: string) => NodeBackend;
}

const LOOK_TIMEOUT_MS = 3_000;

/** Reaches nodes by endpoints that were given (`--node NAME=DOCKER_HOST`); a node is known by the id its daemon says. */
export class DockerNodeReach implements NodeReach {
  readonly #swarm: string;
  readonly #daemons: ReadonlyMap<string, DockerSwarm>;
  readonly #lookTimeoutMs: number;
  readonly #create: (daemon: DockerSwarm, nodeId: string) => NodeBackend;
  readonly #ids = new Map<string, string>();
  readonly #backends = new Map<string, NodeBackend>();

  constructor(options: DockerNodeReachOptions) {
    this.#swarm = options.swarm;
    this.#daemons = options.daemons;
    this.#lookTimeoutMs = options.lookTimeoutMs ?? LOOK_TIMEOUT_MS;
    this.#create = options.backend ?? ((daemon, nodeId) => new DockerNodeBackend({ daemon, nodeId }));
  }

  async nodes(target: SwarmTarget, signal?: AbortSignal): Promise<ReachableNode[]> {
    if (target.swarm !== this.#swarm) return [];
    const looks = [...this.#daemons].map(([hostname, daemon]) => this.#look(hostname, daemon, signal));
    const found = await Promise.all(looks);
    signal?.throwIfAborted();
    return found.filter((node) => node !== undefined);
  }

  nodeBackend(target: NodeTarget): NodeBackend {
    const backend = target.swarm === this.#swarm ? this.#backends.get(target.nodeId) : undefined;
    if (!backend)
      throw new HivekeepError('node/unknown', `no endpoint for node ${target.nodeId} of swarm ${target.swarm}; give it with --node`);
    return backend;
  }

  async #look(hostname: string, daemon: DockerSwarm, signal?: AbortSignal): Promise<ReachableNode | undefined> {
    try {
      const id = await this.#idOf(hostname, daemon, signal);
      if (!id) return undefined;
      if (!this.#backends.has(id)) this.#backends.set(id, this.#create(daemon, id));
      return { id, hostname };
    } catch {
      // An unreachable node is left out; who needs it compares with the manager's list and names it as uncovered.
      return undefined;
    }
  }

  /** A manager's `/info` asks the swarm's leader and hangs without one: then the id known from before stands, if the daemon lives. */
  async #idOf(hostname: string, daemon: DockerSwarm, signal?: AbortSignal): Promise<string | undefined> {
    const call = { timeoutMs: this.#lookTimeoutMs, signal };
    try {
      const { nodeId } = await daemon.info(call);
      if (nodeId) this.#ids.set(hostname, nodeId);
      return nodeId;
    } catch (error) {
      if (!HivekeepError.is(error, 'swarm/timeout', 'swarm/no-leader')) throw error;
      await daemon.ping(call);
      return this.#ids.get(hostname);
    }
  }
}
