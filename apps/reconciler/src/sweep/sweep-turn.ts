import { labels as keys, owningApplication } from '@hivekeep/application';
import type { ReleaseRecord } from '@hivekeep/charts';
import {
  type Departure,
  type StampedRelease,
  type SweepFacts,
  type SweepMark,
  type SweepObject,
  type VolumeDecision,
  volumesToRemove,
} from '@hivekeep/planner';
import type { AppStateStore, IntentStore, RecordStore, SwarmWatcher } from '@hivekeep/swarm';
import { stackVolumes } from '../apply/trim-history.ts';
import type { Daemon } from '../daemon.ts';
import type { Registrations } from '../registrations.ts';
import type { World } from '../world.ts';
import type { NodeVolumesTools, VolumeRound } from './node-volumes.ts';
import { newestRecordId } from './sweep-evidence.ts';
import { volumeFacts } from './volume-facts.ts';

/** What the sweep of a release works with. */
export interface SweepConnections extends NodeVolumesTools {
  readonly controllerId: string;
  readonly daemon: Daemon;
  readonly watcher: Pick<SwarmWatcher, 'resync'>;
  readonly records: RecordStore<ReleaseRecord>;
  readonly intents: IntentStore;
  readonly states: AppStateStore;
  readonly registrations: Registrations;
}

/** What allows the removal of a release, and how far it may go. */
export interface SweepPermit {
  /** Milliseconds since the epoch, as marks have them, on a clock that nobody sets within a term. */
  readonly now: () => number;
  readonly ownStack: string | undefined;
  readonly enabled: boolean;
  readonly volumes: { readonly enabled: boolean; readonly waitMs: number };
  /** Earliest moment of a deletion in this term. */
  readonly deletionsFrom: number;
  frozen(): boolean;
  /** Loads the app set anew, as evidence. Gives what it says of the release, with the applications that may declare it unseen. */
  reload(stamped: StampedRelease, signal: AbortSignal): Promise<{ departure: Departure; undecided: readonly string[] }>;
  /** Why the brake lets this release's removal not begin; undefined when it does. */
  held(stamped: StampedRelease): string | undefined;
}

export type SweepReleaseTools = SweepConnections & SweepPermit;

/** What one turn of a release's sweep has learnt. */
export interface SweepTurn {
  mark: SweepMark | undefined;
  departure: Departure;
  undecided: readonly string[];
  batch: { startedAt: number; loadedAt: number; renewedAt: number };
  /** The phase was begun in this turn, and no deletion was sent since. */
  untouched: boolean;
  round: VolumeRound | undefined;
  ticketsAt: number | undefined;
  readonly removedVolumes: string[];
  /** Ids of objects whose removal was accepted. */
  readonly removed: Set<string>;
  settleUntil: number;
}

const NO_VOLUMES: VolumeDecision = { remove: [], blocked: [], kept: [], strays: [] };

/** Which volumes may go by the tickets at hand; none without any, or when one has run out. */
export function decideVolumes(tools: SweepReleaseTools, release: string, world: World, turn: SweepTurn): VolumeDecision {
  if (turn.round && tools.monotonicNow() >= turn.round.validUntil) {
    turn.round = undefined;
    turn.ticketsAt = undefined;
  }
  if (!turn.round) return NO_VOLUMES;
  return volumesToRemove({ tickets: turn.round.tickets, ...volumeFacts(release, world, tools.registrations) });
}

/** All that decides the next step, by this look. */
export function factsOf(
  tools: SweepReleaseTools,
  { application, release }: StampedRelease,
  world: World,
  turn: SweepTurn,
  decision: VolumeDecision,
): SweepFacts {
  return {
    application,
    release,
    enabled: tools.enabled,
    frozen: tools.frozen(),
    ownStack: tools.ownStack === release,
    departure: turn.departure,
    undecided: turn.undecided,
    draining: tools.registrations.draining(),
    held: tools.held({ application, release }),
    deletionsFrom: tools.deletionsFrom,
    batch: turn.batch,
    untouched: turn.untouched,
    newestRecord: newestRecordId(world, release),
    stack: stackObjects(world, release, tools.controllerId),
    volumes: {
      ...tools.volumes,
      named: namesVolumes(world, release),
      ticketsAt: turn.ticketsAt,
      decision,
      uncovered: turn.round?.uncovered ?? [],
    },
    records: (world.records.get(release) ?? []).map(({ config, record }) => ({
      id: config.id,
      name: config.name,
      revision: record.revision,
    })),
    intents: (world.intents.get(release) ?? []).map(({ id, name, revision }) => ({ id, name, revision })),
  };
}

/** Whether a kept record of the release declares a volume of its own. */
function namesVolumes(world: World, release: string): boolean {
  return (world.records.get(release) ?? []).some(({ record }) => stackVolumes(record).some((volume) => !volume.external));
}

/**
 * Everything under the stack label but records and our own bookkeeping. Without a record or an intent the stack may be somebody else's by
 * now: then only what we stamped.
 */
function stackObjects(world: World, release: string, controllerId: string): SweepObject[] {
  const { services, configs, secrets, networks } = world.index.snapshot;
  const isOurs = world.records.has(release) || world.intents.has(release);
  const ofStack = (labels: Readonly<Record<string, string>> | null | undefined): boolean =>
    labels?.[keys.stack] === release &&
    labels[keys.record.type] === undefined &&
    labels[keys.type] === undefined &&
    (isOurs || owningApplication(labels[keys.owner], release, controllerId) !== undefined);
  return [
    ...services.filter(({ spec }) => ofStack(spec.Labels)).map(({ id, spec }) => ({ kind: 'service' as const, id, name: spec.Name })),
    ...configs.filter(({ labels }) => ofStack(labels)).map(({ id, name }) => ({ kind: 'config' as const, id, name })),
    ...secrets.filter(({ labels }) => ofStack(labels)).map(({ id, name }) => ({ kind: 'secret' as const, id, name })),
    ...networks
      .filter(({ labels, scope }) => ofStack(labels) && scope === 'swarm')
      .map(({ id, name }) => ({ kind: 'network' as const, id, name })),
  ];
}
