import { HivekeepError } from '@hivekeep/contracts';
import type { LiveNode } from '@hivekeep/planner';
import type { KnownNode, SwarmLease } from '@hivekeep/swarm';
import type { Daemon } from '../daemon.ts';

export interface KnownNodesTools {
  readonly daemon: Daemon;
  readonly lease: SwarmLease;
  readonly now: () => Date;
}

/** Every node that may hold volumes, kept on the lease. */
export class KnownNodes {
  readonly #tools: KnownNodesTools;

  constructor(tools: KnownNodesTools) {
    this.#tools = tools;
  }

  /** Keeps every node id the manager ever listed: one that left may come back under another id with its volumes. */
  async note(nodes: readonly LiveNode[]): Promise<void> {
    const { lease, now } = this.#tools;
    const known = lease.lastKnown?.state.nodes ?? {};
    const fresh = nodes.filter((node) => known[node.id] === undefined);
    if (fresh.length === 0) return;
    const since = now().toISOString();
    const added: Record<string, KnownNode> = Object.fromEntries(fresh.map((node) => [node.id, { hostname: node.hostname, since }]));
    await this.#tools.daemon.gate.keep((state) => ({ ...state, nodes: { ...added, ...state.nodes } }));
  }

  /** Gives up a node for good: its volumes are no longer waited for. Throws `node/unknown`. */
  async forget(node: string, actor: string): Promise<{ node: string }> {
    let forgotten = node;
    await this.#tools.daemon.gate.keep((state) => {
      const known = Object.entries(state.nodes ?? {});
      const matches = known.filter(([id, { hostname }]) => id === node || hostname === node);
      const [match] = matches;
      if (!match)
        throw new HivekeepError(
          'node/unknown',
          `no node '${node}' was ever listed on this swarm; 'hivekeep prune list' names the uncovered ones`,
        );
      if (matches.length > 1)
        throw new HivekeepError(
          'node/unknown',
          `'${node}' names ${matches.length} nodes; use the id of one: ${matches.map(([id]) => id).join(', ')}`,
        );
      forgotten = match[0];
      return {
        ...state,
        nodes: { ...state.nodes, [match[0]]: { ...match[1], forgotten: { by: actor, at: this.#tools.now().toISOString() } } },
      };
    });
    return { node: forgotten };
  }
}
