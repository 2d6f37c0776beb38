import { canonicalJson, HivekeepError } from '@hivekeep/contracts';
import type { KnownNode, SwarmLease } from '@hivekeep/swarm';
import type { Daemon } from '../daemon.ts';
import type { World } from '../world.ts';
import { rememberedNodes } from './remembered-nodes.ts';

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

  /** Takes in the manager's list as a look saw it. */
  async note(world: World): Promise<void> {
    const { lease, now, daemon } = this.#tools;
    const after = (known: Record<string, KnownNode> = {}) => rememberedNodes(known, world, now());
    const known = lease.lastKnown?.state.nodes;
    if (canonicalJson(after(known)) !== canonicalJson(known ?? {}))
      await daemon.gate.keep((state) => ({ ...state, nodes: after(state.nodes) }));
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
          `no node '${node}' is known on this swarm, or it was given up before; 'hivekeep prune list' names the uncovered ones`,
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
