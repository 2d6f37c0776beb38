import { HivekeepError } from '@hivekeep/contracts';
import { convergence, type SwarmSnapshot, type WrittenService } from '@hivekeep/planner';
import { pause, throwIfAborted } from '../work/lane.ts';

/** How often tasks are looked at while something progresses, in milliseconds. */
const POLL_MS = 1_000;

export interface Convergence {
  /** A look that includes tasks. */
  look(): Promise<SwarmSnapshot>;
  /** Milliseconds since the epoch, as the swarm dates its tasks. */
  now(): number;
  /** Milliseconds on a clock that nobody sets. */
  monotonicNow(): number;
}

/**
 * Waits until every written service runs what was written. Ends at once when one can't get there by itself.
 * Throws `rollout/failed` naming the service and the scheduler's reason, `rollout/timeout` naming those that still progress.
 * A look that fails is tried again until the deadline: an unread swarm is not progress, nor is it failure.
 */
export async function awaitConvergence(
  tools: Convergence,
  written: readonly WrittenService[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (written.length === 0) return;
  const deadline = tools.monotonicNow() + timeoutMs;
  let unread: string | undefined;
  let pending: readonly string[] = written.map((service) => service.name);
  for (;;) {
    throwIfAborted(signal);
    try {
      const snapshot = await tools.look();
      unread = undefined;
      const verdicts = convergence(written, snapshot, tools.now());
      const wedged = verdicts.find((verdict) => verdict.state === 'wedged');
      if (wedged) throw new HivekeepError('rollout/failed', `service '${wedged.name}' does not converge: ${wedged.reason}`);
      pending = verdicts
        .filter((verdict) => verdict.state !== 'converged')
        .map((verdict) => `${verdict.name} (${verdict.running}/${verdict.desired}${verdict.reason ? `, ${verdict.reason}` : ''})`);
      if (pending.length === 0) return;
    } catch (error) {
      if (!HivekeepError.is(error, 'swarm/unreachable', 'swarm/timeout', 'swarm/no-leader')) throw error;
      unread = error.message;
    }
    if (tools.monotonicNow() >= deadline) {
      const what = unread ? `the swarm could not be read: ${unread}` : `still progressing: ${pending.join(', ')}`;
      throw new HivekeepError('rollout/timeout', `not converged after ${Math.round(timeoutMs / 1000)} s; ${what}`);
    }
    await pause(POLL_MS, signal);
  }
}
