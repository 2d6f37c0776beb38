import type { AppStateStore } from '@hivekeep/swarm';
import type { WriteGate } from '../apply/gate.ts';
import type { Board } from '../board.ts';
import type { ApplicationPlan } from '../passes/application-plan.ts';
import type { ApplicationEntry, RollbackRequest } from '../work/application-entry.ts';
import { endsRollback, withBaseline, withoutRollback, withRollback } from './rollback-hold.ts';

export interface HoldTools {
  readonly states: AppStateStore;
  readonly board: Board;
  readonly gate: WriteGate;
}

/** Puts the hold of a rollback on its application, right before the first write, and shows it. */
export async function holdRollback(
  tools: HoldTools,
  entry: ApplicationEntry,
  request: RollbackRequest,
  signal: AbortSignal,
): Promise<void> {
  const { release, revision, actor } = request;
  const { hold } = await tools.states.update(entry.name, (state) => withRollback(state, request, entry.plan?.built), { signal });
  entry.status = { ...entry.status, ...(hold && { hold }) };
  const message = `${release} goes back to revision ${revision}`;
  tools.board.event('application-rolled-back', { application: entry.name, release, message, ...(actor && { actor }) });
}

/**
 * Lets go of what a rollback holds when Git has moved on or a sync was asked for; called when nothing else refuses the plan. Gives whether
 * it changed the state: what the plan was made from is then history.
 */
export async function settleRollback(
  tools: HoldTools,
  entry: ApplicationEntry,
  { world, built }: ApplicationPlan,
  { force, actor }: { readonly force: boolean; readonly actor: string },
  signal: AbortSignal,
): Promise<boolean> {
  const state = world.states.get(entry.name) ?? {};
  const { hold, rollback } = state;
  if (rollback && !force) return false; // it is not finished: what it holds is judged afterwards
  if (force ? hold?.release === undefined : !endsRollback(hold, built)) {
    if (!withBaseline(state, built)) return false;
    await tools.states.update(entry.name, (now) => withBaseline(now, built) ?? now, { signal });
    return true;
  }
  tools.gate.check(signal);
  await tools.states.update(entry.name, withoutRollback, { signal });
  const message = force ? 'a sync was asked for' : `Git has moved on to ${built.provenance.commit}`;
  tools.board.event('application-resumed', { application: entry.name, message, ...(actor && { actor }) });
  return true;
}
