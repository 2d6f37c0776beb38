import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds; throws with `what` after the deadline (milliseconds). */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>, deadlineMs = 5_000): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not reached within ${deadlineMs} ms: ${what}`);
    await sleep(20);
  }
}
