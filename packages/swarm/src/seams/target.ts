/** A destination. Empty: the home swarm. */
export interface SwarmTarget {
  readonly swarm: string;
}

export interface NodeTarget extends SwarmTarget {
  readonly nodeId: string;
}

/** A node that can be reached now. */
export interface ReachableNode {
  readonly id: string;
  readonly hostname: string;
}
