import type { Liveness } from './lease-observer.ts';
import { bindingDifferences, type LeaseBinding, type LeaseRecord } from './lease-record.ts';

/** Another controller with a lease on this swarm. */
export interface OtherController {
  readonly controllerId: string;
  readonly appSet: string;
  readonly liveness: Liveness;
}

export interface StandbyView {
  readonly own: LeaseRecord;
  /** Whether the holder of `own` lives. */
  readonly holder: Liveness;
  readonly others: readonly OtherController[];
  /** What this process runs with. */
  readonly binding: LeaseBinding;
  readonly identity: string;
  readonly takeOver: boolean;
}

export type StandbyDecision = { readonly kind: 'take' } | { readonly kind: 'wait' } | { readonly kind: 'refuse'; readonly reason: string };

/** What a standby does after a look. Pure. */
export function decideStandby(view: StandbyView): StandbyDecision {
  const rivals = view.others.filter(({ appSet }) => appSet === view.binding.appSet);
  const rival = rivals.find(({ liveness }) => liveness === 'living');
  if (rival) return refuse(`controller ${rival.controllerId} is alive on this swarm with the same app set; stop one of the two`);
  const differences = view.takeOver ? [] : bindingDifferences(view.own.binding, view.binding);
  if (differences.length > 0)
    return refuse(`${view.own.name} is bound to something else (${differences.join('; ')}); correct the flags or start with --take-over`);
  if (rivals.some(({ liveness }) => liveness === 'undecided')) return { kind: 'wait' };
  // A holder that is ourselves is a swap of ours that landed after its time: it is swapped again, under a new epoch.
  const free = view.own.holder === view.identity || view.holder === 'dead';
  return { kind: free ? 'take' : 'wait' };
}

function refuse(reason: string): StandbyDecision {
  return { kind: 'refuse', reason };
}
