import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** How long the state may take to come about; 10 s by default. */
  timeoutMs?: number;
  /** Time between two looks; 100 ms by default. */
  intervalMs?: number;
  /** Says of what the probe threw that waiting longer is no use. */
  failFast?: (thrown: unknown) => boolean;
}

/**
 * Looks until `probe` neither throws nor gives `false`, and gives what it gave. Assertions inside a probe are fine.
 * @throws at the deadline, or as soon as `failFast` says so: what the probe threw last is the cause.
 */
export async function eventually<T>(probe: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<Exclude<T, false>> {
  const { timeoutMs = 10_000, intervalMs = 100, failFast = () => false } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let last: unknown = new Error('the probe gave false');
    try {
      const found = await probe();
      if (found !== false) return found as Exclude<T, false>; // narrowed by the comparison, which TypeScript does not see for a generic
    } catch (thrown) {
      if (failFast(thrown)) throw thrown;
      last = thrown;
    }
    if (performance.now() + intervalMs > deadline) {
      const reason = last instanceof Error ? last.message : String(last);
      throw new Error(`not so after ${timeoutMs} ms: ${reason}`, { cause: last });
    }
    await sleep(intervalMs);
  }
}

/**
 * Looks for `durationMs` and throws as soon as `probe` does or gives `false`: for what must not happen.
 */
export async function consistently(probe: () => unknown, durationMs: number, intervalMs = 100): Promise<void> {
  const end = performance.now() + durationMs;
  do {
    if ((await probe()) === false) throw new Error('the probe gave false');
    await sleep(intervalMs);
  } while (performance.now() < end);
}
