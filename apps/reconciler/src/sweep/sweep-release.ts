import { labels as keys } from '@hivekeep/application';
import type { ReleaseRecord } from '@hivekeep/charts';
import { HivekeepError } from '@hivekeep/contracts';
import {
  type Departure,
  nextSweepAction,
  type StampedRelease,
  type SweepAction,
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
import { pause } from '../work/lane.ts';
import type { World } from '../world.ts';
import { askForVolumes, type NodeVolumesTools, type VolumeRound } from './node-volumes.ts';
import { markOf, newestRecordId } from './sweep-evidence.ts';
import { volumeFacts } from './volume-facts.ts';

export interface SweepReleaseTools extends NodeVolumesTools {
  readonly daemon: Daemon;
  readonly watcher: Pick<SwarmWatcher, 'resync'>;
  readonly records: RecordStore<ReleaseRecord>;
  readonly intents: IntentStore;
  readonly states: AppStateStore;
  readonly registrations: Registrations;
  readonly ownStack: string | undefined;
  readonly enabled: boolean;
  readonly volumes: { readonly enabled: boolean; readonly waitMs: number };
  /** Milliseconds since the epoch, as marks have them. */
  readonly now: () => number;
  /** Earliest moment of a deletion in this term. */
  readonly deletionsFrom: number;
  frozen(): boolean;
  /** Loads the app set anew, as evidence. Gives what it says of the release, with the applications that may declare it unseen. */
  reload(stamped: StampedRelease, signal: AbortSignal): Promise<{ departure: Departure; undecided: readonly string[] }>;
  /** Why the brake lets this release's removal not begin; undefined when it does. */
  held(stamped: StampedRelease): string | undefined;
}

/** How a release's sweep stands after its turn. */
export interface SweepOutcome {
  readonly action: Exclude<SweepAction['do'], 'load' | 'renew-lease' | 'mark'> | 'mark';
  readonly reason?: string;
  readonly until?: number;
  readonly mark: SweepMark | undefined;
  readonly removedVolumes: readonly string[];
  readonly uncovered: VolumeRound['uncovered'];
  readonly strays: readonly { readonly node: string; readonly volume: string }[];
}

/** Steps of one turn at most: a plan that asks for more goes round in circles. */
const MAX_STEPS = 200;
/** How long objects that are still in use are tried again within a turn, and how often. Milliseconds. */
const SETTLE_MS = 30_000;
const SETTLE_EVERY_MS = 1_000;
const NO_VOLUMES: VolumeDecision = { remove: [], blocked: [], kept: [], strays: [] };

interface Turn {
  mark: SweepMark | undefined;
  departure: Departure;
  undecided: readonly string[];
  batch: { startedAt: number; loadedAt: number; renewedAt: number };
  round: VolumeRound | undefined;
  ticketsAt: number | undefined;
  readonly removedVolumes: string[];
  /** Ids of objects whose removal was accepted. */
  readonly removed: Set<string>;
  settleUntil: number;
}

/**
 * Takes one departed release as far as it can go now: asks the pure plan for the next step, carries it out, looks again.
 * Throws what a step throws; the mark says where the next turn goes on.
 */
export async function sweepRelease(
  tools: SweepReleaseTools,
  stamped: StampedRelease,
  seen: { readonly departure: Departure; readonly undecided: readonly string[] },
  signal: AbortSignal,
): Promise<SweepOutcome> {
  const now = tools.now();
  const turn: Turn = {
    ...seen,
    mark: undefined,
    batch: { startedAt: now, loadedAt: 0, renewedAt: 0 },
    round: undefined,
    ticketsAt: undefined,
    removedVolumes: [],
    removed: new Set(),
    settleUntil: now + SETTLE_MS,
  };
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const world = await tools.looks.fresh();
    turn.mark = markOf(world, stamped.release);
    const decision = decideVolumes(tools, stamped.release, world, turn);
    const action = nextSweepAction(turn.mark, factsOf(tools, stamped, world, turn, decision), tools.now());
    const waits = await carryOut(tools, stamped, turn, action, signal);
    if (waits) return outcome(action, turn, decision);
  }
  throw new HivekeepError(
    'internal',
    `the sweep of release ${stamped.release} took more than ${MAX_STEPS} steps; it goes on after the next load`,
  );
}

function outcome(action: SweepAction, turn: Turn, decision: VolumeDecision): SweepOutcome {
  return {
    action: action.do as SweepOutcome['action'],
    ...('reason' in action && { reason: action.reason }),
    ...(action.do === 'wait-until' && { until: action.at }),
    mark: turn.mark,
    removedVolumes: turn.removedVolumes,
    uncovered: turn.round?.uncovered ?? [],
    strays: decision.strays,
  };
}

function decideVolumes(tools: SweepReleaseTools, release: string, world: World, turn: Turn): VolumeDecision {
  if (turn.round && tools.monotonicNow() >= turn.round.validUntil) {
    turn.round = undefined;
    turn.ticketsAt = undefined;
  }
  if (!turn.round) return NO_VOLUMES;
  return volumesToRemove({ tickets: turn.round.tickets, ...volumeFacts(release, world, tools.registrations) });
}

function factsOf(
  tools: SweepReleaseTools,
  { application, release }: StampedRelease,
  world: World,
  turn: Turn,
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
    newestRecord: newestRecordId(world, release),
    stack: stackObjects(world, release),
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

/** Everything under the stack label but records and our own bookkeeping. */
function stackObjects(world: World, release: string): SweepObject[] {
  const { services, configs, secrets, networks } = world.index.snapshot;
  const ofStack = (labels: Readonly<Record<string, string>> | null | undefined): boolean =>
    labels?.[keys.stack] === release && labels[keys.record.type] === undefined && labels[keys.type] === undefined;
  return [
    ...services.filter(({ spec }) => ofStack(spec.Labels)).map(({ id, spec }) => ({ kind: 'service' as const, id, name: spec.Name })),
    ...configs.filter(({ labels }) => ofStack(labels)).map(({ id, name }) => ({ kind: 'config' as const, id, name })),
    ...secrets.filter(({ labels }) => ofStack(labels)).map(({ id, name }) => ({ kind: 'secret' as const, id, name })),
    ...networks
      .filter(({ labels, scope }) => ofStack(labels) && scope === 'swarm')
      .map(({ id, name }) => ({ kind: 'network' as const, id, name })),
  ];
}

/** Does one step. True: nothing more can be done now. */
async function carryOut(
  tools: SweepReleaseTools,
  stamped: StampedRelease,
  turn: Turn,
  action: SweepAction,
  signal: AbortSignal,
): Promise<boolean> {
  switch (action.do) {
    case 'nothing':
    case 'hold':
    case 'wait-until':
      return !(await mayStillSettle(tools, turn, action, signal));
    case 'mark':
      await keepMark(tools, stamped, action.mark, signal);
      turn.batch = { startedAt: tools.now(), loadedAt: 0, renewedAt: 0 };
      return false;
    case 'clear-mark':
      await keepMark(tools, turn.mark ?? stamped, undefined, signal);
      return true;
    case 'load': {
      const loadedAt = tools.now();
      Object.assign(turn, await tools.reload(stamped, signal));
      turn.batch.loadedAt = loadedAt;
      // Records are known by hints, and hints get lost: what is deleted next is judged by all of them.
      tools.watcher.resync();
      return false;
    }
    case 'renew-lease':
      await tools.daemon.gate.renew(signal);
      turn.batch.renewedAt = tools.now();
      return false;
    case 'remove-stack':
      return !(await removeStack(tools, action.objects, turn, signal));
    case 'request-volumes':
      turn.round = await askForVolumes(tools, stamped.release, signal);
      turn.ticketsAt = tools.now();
      return false;
    case 'remove-volumes':
      return !(await removeVolumes(tools, stamped.release, action.volumes, turn, signal));
    case 'delete-records':
      await tools.daemon.gate.renew(signal);
      for (const { id, name } of action.records) await removeRecord(tools, id, name, signal);
      return false;
    case 'delete-intents':
      for (const { id } of action.intents) await tools.daemon.tracked(() => tools.intents.remove(id, { signal }));
      return false;
    case 'done':
      await keepMark(tools, turn.mark ?? stamped, undefined, signal);
      return true;
  }
}

/** Volumes that tasks of the removed stack still hold are waited for, within the turn's bound. */
async function mayStillSettle(tools: SweepReleaseTools, turn: Turn, action: SweepAction, signal: AbortSignal): Promise<boolean> {
  if (action.do !== 'hold' || turn.mark?.phase !== 'volumes' || !turn.round || turn.round.uncovered.length > 0) return false;
  if (tools.now() >= turn.settleUntil || signal.aborted) return false;
  await pause(SETTLE_EVERY_MS, signal);
  turn.round = undefined;
  turn.ticketsAt = undefined;
  return true;
}

async function keepMark(
  tools: SweepReleaseTools,
  { application, release }: StampedRelease,
  mark: SweepMark | undefined,
  signal: AbortSignal,
): Promise<void> {
  tools.daemon.gate.check(signal);
  await tools.daemon.tracked(() =>
    tools.states.update(
      application,
      ({ sweep = {}, ...state }) => {
        const { [release]: _, ...others } = sweep;
        const next = mark ? { ...others, [release]: mark } : others;
        return { ...state, ...(Object.keys(next).length > 0 && { sweep: next }) };
      },
      { signal },
    ),
  );
}

/**
 * By id, in order. What is still in use, or still listed after its removal (a network, while tasks leave it), is looked at again
 * after a pause; false when the turn's bound has passed.
 */
async function removeStack(tools: SweepReleaseTools, objects: readonly SweepObject[], turn: Turn, signal: AbortSignal): Promise<boolean> {
  let inUse = objects.every(({ id }) => turn.removed.has(id)) ? 1 : 0;
  for (const object of objects) {
    try {
      await tools.daemon.remove(object.kind, object, signal);
      turn.removed.add(object.id);
    } catch (error) {
      if (!HivekeepError.is(error, 'swarm/in-use')) throw error;
      inUse += 1;
    }
  }
  if (inUse === 0) return true;
  if (tools.now() >= turn.settleUntil) return false;
  await pause(SETTLE_EVERY_MS, signal);
  return true;
}

/** Looks once more when the lease is renewed: what was read before it may have been an isolated manager's stale answer. */
async function removeVolumes(
  tools: SweepReleaseTools,
  stack: string,
  volumes: VolumeDecision['remove'],
  turn: Turn,
  signal: AbortSignal,
): Promise<boolean> {
  await tools.daemon.gate.renew(signal);
  const expiresBy = turn.round?.expiresBy ?? 0;
  const still = decideVolumes(tools, stack, await tools.looks.fresh(), turn).remove;
  let inUse = 0;
  let unanswered = false;
  for (const { node, ticket, volume } of volumes) {
    if (!still.some((one) => one.node === node && one.volume === volume)) continue;
    tools.daemon.gate.check(signal);
    try {
      const backend = tools.reach.nodeBackend({ swarm: tools.swarm, nodeId: node });
      await tools.daemon.tracked(() => backend.removeVolume({ stack, volume, ticket, epoch: tools.daemon.gate.epoch, signal }));
      turn.removedVolumes.push(`${node}/${volume}`);
    } catch (error) {
      if (!HivekeepError.is(error, 'swarm/in-use', 'node/ticket', 'node/unreachable')) throw error;
      inUse += 1;
      unanswered ||= HivekeepError.is(error, 'node/unreachable');
    }
  }
  turn.round = undefined;
  turn.ticketsAt = undefined;
  // The mark keeps the release from being applied, and stands for as long as the agent may still carry out what it did not answer.
  if (unanswered) await pause(expiresBy - tools.monotonicNow(), signal);
  if (inUse === 0) return true;
  if (tools.now() >= turn.settleUntil) return false;
  await pause(SETTLE_EVERY_MS, signal);
  return true;
}

async function removeRecord(tools: SweepReleaseTools, id: string, name: string, signal: AbortSignal): Promise<void> {
  tools.daemon.gate.check(signal);
  await tools.daemon.record(name, 'remove', id, async () => {
    await tools.records.remove(id, { signal });
    return { id };
  });
}
