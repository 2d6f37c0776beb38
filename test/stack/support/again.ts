import { setTimeout as sleep } from 'node:timers/promises';

/** Something that goes on until it is stopped. */
export interface Repeated {
  /** Lets the last time end. */
  stop(): Promise<void>;
}

/** Does `work` again and again, so long after its end; `turn` counts from 0, and the signal says that it is to stop. */
export function again(everyMs: number, work: (turn: number, signal: AbortSignal) => Promise<unknown>): Repeated {
  const stop = new AbortController();
  const run = async () => {
    for (let turn = 0; !stop.signal.aborted; turn += 1) {
      await work(turn, stop.signal);
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    stop: () => {
      stop.abort();
      return running;
    },
  };
}
