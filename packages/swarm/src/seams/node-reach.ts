import type { NodeTarget, ReachableNode, SwarmTarget } from './target.ts';

export interface NodeVolume {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What a node answers about a stack's volumes. The ticket must come back with each removal, while it is valid. */
export interface StackVolumes {
  readonly nodeId: string;
  readonly ticket: string;
  /** How long the ticket lasts from the answer, in milliseconds of the node's own clock. */
  readonly validMs: number;
  readonly volumes: readonly NodeVolume[];
}

export interface RemoveVolumeRequest {
  readonly stack: string;
  readonly volume: string;
  readonly ticket: string;
  readonly epoch: number;
  readonly signal?: AbortSignal;
}

/** How long a ticket lasts, in milliseconds of the node's own clock: so long a removal that nobody heard of again may still be carried out. */
export const TICKET_MS = 10_000;

/** The two questions that only a node's own daemon can answer. It can't deploy: a worker's daemon can't. */
export interface NodeBackend {
  /** @throws HivekeepError `node/stale-epoch` for an epoch lower than one seen, `node/unreachable`, `swarm/*` */
  stackVolumes(request: { readonly stack: string; readonly epoch: number; readonly signal?: AbortSignal }): Promise<StackVolumes>;
  /**
   * `removed: false` when it is gone already.
   * @throws HivekeepError `swarm/in-use`, `node/ticket`, `node/stale-epoch`, `node/unreachable`, `swarm/*`
   */
  removeVolume(request: RemoveVolumeRequest): Promise<{ readonly removed: boolean }>;
}

/** Reaches nodes' own daemons. */
export interface NodeReach {
  /** Nodes that can be reached now; the others are left out, never listed and failed on. */
  nodes(target: SwarmTarget, signal?: AbortSignal): Promise<readonly ReachableNode[]>;
  /** The same instance for the same node. @throws HivekeepError `node/unknown` for one that `nodes` does not list */
  nodeBackend(target: NodeTarget): NodeBackend;
}
