import { setTimeout as sleep } from 'node:timers/promises';
import { HivekeepError } from '@hivekeep/contracts';

export interface AwaitOptions {
  /** What is waited for, as the error names it. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const LOOK_MS = 300;

/**
 * Looks until `missing` gives nothing: it says what is not so yet. A look that throws counts as not yet.
 * @throws `rollout/timeout` with what was missing last, `cancelled`.
 */
export async function awaitState(missing: () => Promise<string | undefined>, { what, timeoutMs, signal }: AwaitOptions): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (signal.aborted) throw new HivekeepError('cancelled', `stopped while waiting for ${what}`);
    const reason = await missing().catch((error: unknown) => HivekeepError.from(error).message);
    if (reason === undefined) return;
    if (performance.now() > deadline) throw new HivekeepError('rollout/timeout', `${what}: not so after ${timeoutMs / 1000} s: ${reason}`);
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
