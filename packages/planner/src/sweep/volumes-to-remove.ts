/** One agent's list of a stack's volumes, with the ticket a removal must bring back. */
export interface VolumeTicket {
  readonly node: string;
  readonly ticket: string;
  readonly volumes: readonly string[];
}

export interface VolumeFacts {
  readonly tickets: readonly VolumeTicket[];
  /** Names the release's own kept records declare or mount; external ones are not its own and must be left out. */
  readonly namedByRelease: ReadonlySet<string>;
  /** Names any service of the swarm mounts, read after the tickets. */
  readonly mountedNow: ReadonlySet<string>;
  /** Names that records or the newest manifests of other releases declare or mount, external mounts included, with the release. */
  readonly declaredByOthers: ReadonlyMap<string, string>;
}

export interface NodeVolume {
  readonly node: string;
  readonly volume: string;
}

export interface VolumeDecision {
  readonly remove: readonly (NodeVolume & { readonly ticket: string })[];
  /** Volumes in use by a service: the sweep waits for them. */
  readonly blocked: readonly NodeVolume[];
  /** Volumes that stay because another release declares them. */
  readonly kept: readonly (NodeVolume & { readonly release: string })[];
  /** Labelled volumes that no record names: reported, and only a person removes them. */
  readonly strays: readonly NodeVolume[];
}

/**
 * Which of a departed release's volumes may go, on which node and under which ticket. A label says where a volume lives, a record says
 * whose it is, and the third list says who still declares it: all three must agree.
 */
export function volumesToRemove(facts: VolumeFacts): VolumeDecision {
  const remove: (NodeVolume & { ticket: string })[] = [];
  const blocked: NodeVolume[] = [];
  const kept: (NodeVolume & { release: string })[] = [];
  const strays: NodeVolume[] = [];
  for (const { node, ticket, volumes } of facts.tickets) {
    for (const volume of volumes) {
      const other = facts.declaredByOthers.get(volume);
      if (other !== undefined) kept.push({ node, volume, release: other });
      else if (facts.mountedNow.has(volume)) blocked.push({ node, volume });
      else if (!facts.namedByRelease.has(volume)) strays.push({ node, volume });
      else remove.push({ node, volume, ticket });
    }
  }
  return { remove, blocked, kept, strays };
}
