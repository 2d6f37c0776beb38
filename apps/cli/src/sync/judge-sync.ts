import type { View } from '@hivekeep/contracts';
import { exitCodeOf } from '../exit-codes.ts';
import { EXIT, type ExitCode } from '../exit-status.ts';

/** How a waited-for sync ended. */
export interface SyncVerdict {
  readonly exitCode: ExitCode;
  readonly text: string;
}

/**
 * Whether the sync asked for after `before` was read has ended, and how. It has when there is a sync result that is not
 * the one of `before`, or the application was looked at since and needs none; then health decides, and `progressing`
 * waits on. A status that only moved on (the record before an apply) ends nothing.
 */
export function judgeSync(before: View, now: View): SyncVerdict | undefined {
  const { status } = now;
  if (status.code === 'swarm/unreachable') return undefined;
  const result = status.sync.lastSync;
  const fresh = result !== undefined && result.finishedAt !== before.status.sync.lastSync?.finishedAt;
  if (fresh && !result.succeeded)
    return {
      exitCode: status.code === undefined ? EXIT.rollout : failedAs(status.code),
      text: `sync failed: ${result.error ?? status.error ?? 'no reason given'}`,
    };
  const looked = status.observedAt !== before.status.observedAt && status.working !== true;
  if (!fresh && looked && status.error !== undefined)
    return { exitCode: status.code === undefined ? EXIT.differs : exitCodeOf(status.code), text: `not synced: ${status.error}` };
  if (!fresh && !(looked && status.sync.state === 'synced')) return undefined;
  return judgeHealth(now, fresh);
}

function judgeHealth({ status }: View, wrote: boolean): SyncVerdict | undefined {
  const what = `${wrote ? 'synced' : 'already synced'} at ${status.sync.revision.slice(0, 10)}`;
  const { state, message, services } = status.health;
  if (state === 'healthy') return { exitCode: EXIT.ok, text: `${what}, healthy (${services.healthy}/${services.total} services)` };
  if (state === 'degraded') return { exitCode: EXIT.rollout, text: `${what}, but degraded: ${message}` };
  return undefined;
}

/** A sync that wrote and failed is a failed rollout, whatever stopped it, unless time or reach did. */
function failedAs(code: string): ExitCode {
  const exitCode = exitCodeOf(code);
  return exitCode === EXIT.timeout || exitCode === EXIT.unreachable || exitCode === EXIT.differs ? exitCode : EXIT.rollout;
}
