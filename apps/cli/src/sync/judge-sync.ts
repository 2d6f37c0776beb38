import type { SyncResult, View } from '@hivekeep/contracts';
import { exitCodeOf } from '../exit-codes.ts';
import { EXIT, type ExitCode } from '../exit-status.ts';
import { short } from '../output/table.ts';

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
  const result = newResult(before, now);
  if (result) return judgeResult(result, now, 'sync', `synced at ${short(status.sync.revision)}`);
  const looked = status.observedAt !== before.status.observedAt && status.working !== true;
  if (looked && status.error !== undefined)
    return { exitCode: status.code === undefined ? EXIT.differs : exitCodeOf(status.code), text: `not synced: ${status.error}` };
  return looked && status.sync.state === 'synced' ? judgeHealth(now, `already synced at ${short(status.sync.revision)}`) : undefined;
}

/** As `judgeSync`, of a rollback: it has a result in any case, and what is held differs from Git. */
export function judgeRollback(before: View, now: View): SyncVerdict | undefined {
  const result = now.status.code === 'swarm/unreachable' ? undefined : newResult(before, now);
  return result && judgeResult(result, now, 'rollback', `rolled back to what was deployed from ${short(result.revision) || 'no commit'}`);
}

function newResult(before: View, { status }: View): SyncResult | undefined {
  const result = status.sync.lastSync;
  return result?.finishedAt === before.status.sync.lastSync?.finishedAt ? undefined : result;
}

function judgeResult(result: SyncResult, now: View, work: string, done: string): SyncVerdict | undefined {
  if (result.succeeded) return judgeHealth(now, done);
  const { code, error } = now.status;
  return {
    exitCode: code === undefined ? EXIT.rollout : failedAs(code),
    text: `${work} failed: ${result.error ?? error ?? 'no reason given'}`,
  };
}

function judgeHealth({ status }: View, what: string): SyncVerdict | undefined {
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
