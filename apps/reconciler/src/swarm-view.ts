import type { AppSetStatus, Presence, PruneList, SwarmView } from '@hivekeep/contracts';
import type { CapabilityReport, SwarmLease } from '@hivekeep/swarm';
import type { ReconcilerOptions } from './config.ts';
import { nodeCoverage } from './sweep/node-coverage.ts';
import { manyLeft } from './sweep/remembered-nodes.ts';
import type { World } from './world.ts';

export interface SwarmViewInput {
  readonly options: ReconcilerOptions;
  readonly version: string;
  readonly lease: Pick<SwarmLease, 'state' | 'epoch' | 'lastKnown'>;
  readonly world: World | undefined;
  readonly unread: string | undefined;
  readonly appSet: AppSetStatus;
  /** Whether an earlier term told of applications. */
  readonly toldBefore: boolean;
  readonly applications: number;
  readonly agents: readonly Presence[];
  readonly capabilities: readonly CapabilityReport[];
  readonly prune: PruneList;
  readonly now: Date;
}

/** What a reconciler says of its swarm. Pure. */
export function swarmView(input: SwarmViewInput): SwarmView {
  const { options, lease, world } = input;
  const freeze = lease.lastKnown?.state.freeze;
  const nodes = (world?.index.snapshot.nodes ?? []).map((node) => nodeCoverage(node, input.agents, input.version));
  const sized = input.capabilities.some(({ name, present }) => name === 'SwarmSizer' && present);
  const { bytes = 0, warning } = world?.recordUsage ?? {};
  return {
    swarm: options.swarm,
    home: options.home,
    controllerId: options.controllerId,
    version: input.version,
    active: lease.state === 'active',
    ...(lease.lastKnown && { holder: lease.lastKnown.holder }),
    epoch: lease.epoch,
    ...stateOf(input),
    ...(freeze && { frozen: { by: freeze.by, at: freeze.at } }),
    appSet: input.appSet,
    applications: input.applications,
    nodes,
    ...(world && { coverage: sized && nodes.every(({ covered }) => covered) ? 'complete' : 'partial' }),
    capabilities: [...input.capabilities],
    prune: input.prune,
    recordBytes: bytes,
    warnings: [
      ...(world?.unreadable ?? []).map(({ message }) => message),
      ...[warning, manyLeft(lease.lastKnown?.state.nodes ?? {})].filter((text) => text !== undefined),
    ],
    observedAt: input.now.toISOString(),
  };
}

/** A term that has no set yet looks after nothing: what an earlier one told of the applications is not known to be so still. */
function stateOf({ unread, world, appSet, toldBefore, lease }: SwarmViewInput): Pick<SwarmView, 'state' | 'message'> {
  if (unread !== undefined) return { state: 'unreachable', message: unread };
  if (appSet.revision === '' && (toldBefore || lease.lastKnown?.state.commit !== undefined))
    return { state: 'unknown', message: `no application set is known yet${appSet.error ? `: ${appSet.error}` : ''}` };
  return { state: world ? 'ok' : 'unknown' };
}
