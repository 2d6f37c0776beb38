export interface HedgeOptions {
  /** Time between two tries, in milliseconds. */
  readonly everyMs: number;
  readonly tries: number;
  readonly signal: AbortSignal;
}

/**
 * Asks, and while there is no answer asks again beside it; gives the first answer and drops the others. For reads that any of
 * several replicas answers: one that was cut off keeps its connection for a while, and what is sent to it waits out its deadline.
 * An error ends it at once, unless another try is still under way. Rejects with the last error.
 */
export async function hedged<T>(ask: (signal: AbortSignal) => Promise<T>, { everyMs, tries, signal }: HedgeOptions): Promise<T> {
  const done = new AbortController();
  const asking = AbortSignal.any([signal, done.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let started = 0;
  let running = 0;
  const start = () => {
    started += 1;
    running += 1;
    if (started === tries) clearInterval(timer);
    ask(asking).then(resolve, (error: unknown) => {
      running -= 1;
      if (running === 0) reject(error);
    });
  };
  const timer = setInterval(start, everyMs);
  start();
  return promise.finally(() => {
    clearInterval(timer);
    done.abort();
  });
}
