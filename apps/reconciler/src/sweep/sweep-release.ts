import { HivekeepError } from '@hivekeep/contracts';
import {
  type Departure,
  nextSweepAction,
  type StampedRelease,
  type SweepAction,
  type SweepMark,
  type SweepObject,
  type VolumeDecision,
} from '@hivekeep/planner';
import { pause } from '../work/lane.ts';
import { askForVolumes, type VolumeRound } from './node-volumes.ts';
import { markOf } from './sweep-evidence.ts';
import { decideVolumes, factsOf, type SweepReleaseTools, type SweepTurn } from './sweep-turn.ts';

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
  const turn: SweepTurn = {
    ...seen,
    mark: undefined,
    batch: { startedAt: now, loadedAt: 0, renewedAt: 0 },
    untouched: false,
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

function outcome(action: SweepAction, turn: SweepTurn, decision: VolumeDecision): SweepOutcome {
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

/** Does one step. True: nothing more can be done now. */
async function carryOut(
  tools: SweepReleaseTools,
  stamped: StampedRelease,
  turn: SweepTurn,
  action: SweepAction,
  signal: AbortSignal,
): Promise<boolean> {
  switch (action.do) {
    case 'nothing':
    case 'hold':
    case 'wait-until':
      return !(await mayStillSettle(tools, turn, action, signal));
    case 'mark':
      await keepMark(tools, action.mark, action.mark, signal);
      turn.batch = { startedAt: tools.now(), loadedAt: 0, renewedAt: 0 };
      turn.untouched = action.mark.begun;
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
      turn.untouched = false;
      return !(await removeStack(tools, action.objects, turn, signal));
    case 'request-volumes':
      turn.round = await askForVolumes(tools, stamped.release, signal);
      turn.ticketsAt = tools.now();
      return false;
    case 'remove-volumes':
      return !(await removeVolumes(tools, stamped.release, action.volumes, turn, signal));
    case 'delete-records':
      turn.untouched = false;
      await tools.daemon.gate.renew(signal);
      for (const { id, name } of action.records) await removeRecord(tools, id, name, signal);
      return false;
    case 'delete-intents':
      turn.untouched = false;
      for (const { id } of action.intents) await tools.daemon.tracked(() => tools.intents.remove(id, { signal }));
      return false;
    case 'done':
      await keepMark(tools, turn.mark ?? stamped, undefined, signal);
      return true;
  }
}

/** Volumes that tasks of the removed stack still hold are waited for, within the turn's bound. */
async function mayStillSettle(tools: SweepReleaseTools, turn: SweepTurn, action: SweepAction, signal: AbortSignal): Promise<boolean> {
  if (action.do !== 'hold' || !tools.volumes.enabled || turn.mark?.phase !== 'volumes' || !turn.round || turn.round.uncovered.length > 0)
    return false;
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
async function removeStack(
  tools: SweepReleaseTools,
  objects: readonly SweepObject[],
  turn: SweepTurn,
  signal: AbortSignal,
): Promise<boolean> {
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
  turn: SweepTurn,
  signal: AbortSignal,
): Promise<boolean> {
  await tools.daemon.gate.renew(signal);
  const expiresBy = turn.round?.expiresBy ?? 0;
  const still = decideVolumes(tools, stack, await tools.looks.fresh(), turn).remove;
  let inUse = 0;
  let landedBy = 0;
  try {
    for (const { node, ticket, volume } of volumes) {
      if (!still.some((one) => one.node === node && one.volume === volume)) continue;
      tools.daemon.gate.check(signal);
      try {
        const backend = tools.reach.nodeBackend({ swarm: tools.swarm, nodeId: node });
        await tools.daemon.tracked(() => backend.removeVolume({ stack, volume, ticket, epoch: tools.daemon.gate.epoch, signal }));
        turn.removedVolumes.push(`${node}/${volume}`);
      } catch (error) {
        if (HivekeepError.is(error, 'node/unreachable', 'swarm/timeout', 'swarm/unreachable')) landedBy = expiresBy;
        if (!HivekeepError.is(error, 'swarm/in-use', 'node/ticket', 'node/unreachable')) throw error;
        inUse += 1;
      }
    }
  } finally {
    // The mark keeps the release from being applied, and stands for as long as the agent may still carry out what it did not answer.
    tools.daemon.mayLandUntil(landedBy);
    await pause(landedBy - tools.monotonicNow(), signal);
  }
  turn.round = undefined;
  turn.ticketsAt = undefined;
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
