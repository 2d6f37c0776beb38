import { HivekeepError, nodeAgentCalls, type Presence } from '@hivekeep/contracts';
import type { Bus } from '@hivekeep/runtime';
import type { NodeBackend, NodeReach, NodeTarget, ReachableNode, RemoveVolumeRequest, StackVolumes, SwarmTarget } from '@hivekeep/swarm';
import { isTooOld } from './agent-version.ts';

/** Reaches nodes through the agents that announce themselves on the bus. */
export class AgentReach implements NodeReach {
  /** Ids of nodes that the last `nodes` left out, because their agent is too old. */
  outdated: ReadonlySet<string> = new Set();
  readonly #bus: Bus;
  readonly #version: string;
  readonly #backends = new Map<string, NodeBackend>();
  #listed: ReadonlySet<string> = new Set();

  /** `version`: the reconciler's own. */
  constructor(bus: Bus, version: string) {
    this.#bus = bus;
    this.#version = version;
  }

  /** One for each node with a living agent of that swarm that is not too old; nodes without are left out. Throws `bus/*`. */
  async nodes(target: SwarmTarget): Promise<readonly ReachableNode[]> {
    const agents = await this.agents(target);
    const old = agents.filter(({ version }) => isTooOld(version, this.#version));
    this.outdated = new Set(old.flatMap(({ node }) => node?.id ?? []));
    const nodes = agents.filter((agent) => !old.includes(agent)).flatMap(({ node }) => (node ? [node] : []));
    this.#listed = new Set(nodes.map(({ id }) => `${target.swarm}/${id}`));
    return nodes;
  }

  /** The presence records of that swarm's agents, one a node. */
  async agents(target: SwarmTarget): Promise<readonly Presence[]> {
    const present = await this.#bus.presence.list(target.swarm);
    const agents = present.filter((record) => record.service === 'node-agent' && record.node !== undefined);
    return [...new Map(agents.map((agent) => [agent.node?.id, agent])).values()];
  }

  /** Throws `node/unknown` for a node that the last `nodes` did not list. */
  nodeBackend(target: NodeTarget): NodeBackend {
    const key = `${target.swarm}/${target.nodeId}`;
    if (!this.#listed.has(key))
      throw new HivekeepError('node/unknown', `no agent of node ${target.nodeId} of swarm ${target.swarm} is present`);
    const known = this.#backends.get(key);
    if (known) return known;
    const backend = new AgentNode(this.#bus, target);
    this.#backends.set(key, backend);
    return backend;
  }
}

class AgentNode implements NodeBackend {
  readonly #bus: Bus;
  readonly #target: NodeTarget;

  constructor(bus: Bus, target: NodeTarget) {
    this.#bus = bus;
    this.#target = target;
  }

  async stackVolumes({ stack, epoch, signal }: { stack: string; epoch: number; signal?: AbortSignal }): Promise<StackVolumes> {
    const { node, ...answer } = await this.#call(() =>
      this.#bus.call(nodeAgentCalls.stackVolumes, this.#address(), { stack, epoch }, signal ? { signal } : {}),
    );
    return { nodeId: node, ...answer };
  }

  async removeVolume({ signal, ...request }: RemoveVolumeRequest): Promise<{ removed: boolean }> {
    return this.#call(() => this.#bus.call(nodeAgentCalls.removeVolume, this.#address(), request, signal ? { signal } : {}));
  }

  #address(): { swarm: string; node: string } {
    return { swarm: this.#target.swarm, node: this.#target.nodeId };
  }

  async #call<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (!HivekeepError.is(error, 'bus/no-answer', 'bus/timeout', 'bus/unavailable')) throw error;
      throw new HivekeepError('node/unreachable', `the agent of node ${this.#target.nodeId} does not answer: ${error.message}`, {
        cause: error,
      });
    }
  }
}
