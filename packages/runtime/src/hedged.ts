import { HivekeepError } from '@hivekeep/contracts';

export interface HedgeOptions {
  /** Time between two tries, in milliseconds; 8 s by default. */
  readonly everyMs?: number;
  /** Tries under way at once. By default 5: the last of them is sent when the bus has dropped who does not answer its pings. */
  readonly most?: number;
  readonly signal: AbortSignal;
}

/**
 * Asks, and while there is no answer asks again beside it; gives the first answer and drops the others. For reads that any of
 * several replicas answers: one that was cut off keeps its connection for a while, and what is sent to it waits out its deadline,
 * as does what was sent to one that was killed. A replica's own error ends it at once, as an answer does; one of the bus only when no
 * other try is under way, since this one may just be lost. Rejects with the last error. Once the first try has failed no further one is
 * sent, so that all takes no longer than twice what one may.
 */
export async function hedged<T>(ask: (signal: AbortSignal) => Promise<T>, { everyMs = 8_000, most = 5, signal }: HedgeOptions): Promise<T> {
  const done = new AbortController();
  const asking = AbortSignal.any([signal, done.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let running = 0;
  const start = (failed?: () => void) => {
    if (running === most) return;
    running += 1;
    ask(asking).then(resolve, (error: unknown) => {
      running -= 1;
      failed?.();
      if (running === 0 || !HivekeepError.from(error).code.startsWith('bus/')) reject(error);
    });
  };
  const timer = setInterval(start, everyMs);
  start(() => clearInterval(timer));
  return promise.finally(() => {
    clearInterval(timer);
    done.abort();
  });
}
