export interface NodeVolume {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The two questions that only a node's own daemon can answer. Each is one call to the daemon. */
export abstract class NodeBackend {
  /** Volumes of this node that carry the stack's label. Throws `swarm/unreachable`, `swarm/timeout` or `cancelled`. */
  abstract stackVolumes(stack: string, signal: AbortSignal): Promise<readonly NodeVolume[]>;
  /** False when the volume was gone already. Throws `swarm/in-use` while a container has it, and as above. */
  abstract removeVolume(name: string, signal: AbortSignal): Promise<boolean>;
}
