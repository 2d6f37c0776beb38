import { setTimeout as sleep } from 'node:timers/promises';
import { HivekeepError, type View } from '@hivekeep/contracts';
import type { ApiAnswer } from '../client/api-client.ts';
import { EXIT } from '../exit-status.ts';
import type { SyncVerdict } from './judge-sync.ts';

const POLL_MS = 1_000;
/** Failed reads in a row after which the server counts as gone. */
const MAX_FAILURES = 10;

export interface FollowOptions {
  /** The view before the sync was asked for. */
  readonly before: View;
  /** Whether it has ended, by the view before and the one now. */
  readonly judge: (before: View, now: View) => SyncVerdict | undefined;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  readonly fetchView: () => Promise<ApiAnswer<View>>;
  readonly show: (view: View) => void;
}

/** Reads the application until its sync or rollback has ended, showing each state. A gateway that is away for a moment is asked again. */
export async function followSync({ before, judge, signal, fetchView, show }: FollowOptions): Promise<SyncVerdict & { raw: unknown }> {
  let raw: unknown = before;
  let last = before;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const answer = await fetchView();
      failures = 0;
      raw = answer.raw;
      last = answer.value;
      show(last);
      const verdict = judge(before, last);
      if (verdict) return { ...verdict, raw };
    } catch (error) {
      failures += 1;
      if (!signal.aborted && (!isTransient(error) || failures >= MAX_FAILURES)) throw error;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  const { health, error } = last.status;
  return { exitCode: EXIT.timeout, text: `not finished in time: ${error ?? (health.message || health.state)}`, raw };
}

function isTransient(error: unknown): boolean {
  return HivekeepError.is(error, 'bus/unavailable', 'bus/timeout', 'bus/no-answer', 'cancelled');
}
