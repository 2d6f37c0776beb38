import { setImmediate } from 'node:timers/promises';

/**
 * Runs one task at a time for many callers. Callers share a run that has not begun, never one under way, so that what they
 * get is always newer than their call.
 */
export class FreshRun<T> {
  readonly #task: (begin: () => void) => Promise<T>;
  #joinable: Promise<T> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** The task calls `begin` when what it looks at can no longer become newer: from then on nobody joins. */
  constructor(task: (begin: () => void) => Promise<T>) {
    this.#task = task;
  }

  run(): Promise<T> {
    this.#joinable ??= this.#start();
    return this.#joinable;
  }

  #start(): Promise<T> {
    const before = this.#last;
    const running = this.#afterwards(before, () => {
      if (this.#joinable === running) this.#joinable = undefined;
    });
    this.#last = running.catch(() => undefined);
    return running;
  }

  async #afterwards(before: Promise<unknown>, begin: () => void): Promise<T> {
    try {
      await setImmediate();
      await before;
      return await this.#task(begin);
    } finally {
      begin();
    }
  }
}
