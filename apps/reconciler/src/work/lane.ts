import { HivekeepError } from '@hivekeep/contracts';

/** One holder at a time, in the order of asking; a wait ends with its signal. */
export class Lane {
  #held = false;
  readonly #waiting: (() => void)[] = [];

  get busy(): boolean {
    return this.#held;
  }

  /** Takes the lane if it is free. */
  tryAcquire(): (() => void) | undefined {
    if (this.#held) return undefined;
    this.#held = true;
    return this.#releaser();
  }

  /** Waits for the lane. Throws `cancelled` when the signal aborts first. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    throwIfAborted(signal);
    const free = this.tryAcquire();
    if (free) return free;
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const place = this.#waiting.indexOf(enter);
        if (place >= 0) this.#waiting.splice(place, 1);
        reject(cancelled(signal));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(enter);
    });
    return this.#releaser();
  }

  #releaser(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#held = false;
    };
  }
}

/** The `cancelled` error of a signal, or the reason it was given when that is one of ours. */
export function cancelled(signal: AbortSignal): HivekeepError {
  const reason: unknown = signal.reason;
  return reason instanceof HivekeepError ? reason : new HivekeepError('cancelled', 'the work was cancelled', { cause: reason });
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled(signal);
}

/** Resolves after `ms`, or at once when the signal aborts (the caller looks at the signal). */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Settles with `work`, or rejects with `cancelled` when the signal aborts first; the work goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(cancelled(signal));
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** Settles with `work`, or with `false` after `ms`; the work goes on. */
export async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([
      work.then(
        () => true as const,
        () => true as const,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
