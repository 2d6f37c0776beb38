import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` at once and again `ms` after each end, or after the milliseconds it returns, until `signal` aborts.
 * Resolves when the last run has ended; `work` handles its own failures.
 */
export async function poll(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<number | undefined>): Promise<void> {
  while (!signal.aborted) {
    const next = await work(signal);
    await sleep(next ?? ms, undefined, { signal }).catch(() => undefined);
  }
}
