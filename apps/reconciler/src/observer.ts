import { HivekeepError } from '@hivekeep/contracts';
import type { Logger } from '@hivekeep/runtime';
import type { Looks } from './looks.ts';
import { pause } from './work/lane.ts';

export interface ObserverTools {
  readonly looks: Looks;
  readonly logger: Logger;
  /** Judges every application by the last look; gives whether something still progresses. */
  judge(): boolean;
  /** The swarm could not be read, or can be again. */
  readable(error: HivekeepError | undefined): void;
}

/** How often a swarm with something in progress is looked at, since tasks are not in a manager's events. Milliseconds. */
const PROGRESS_MS = 1_000;
/** The longest without a look: events get lost without a word. */
const QUIET_MS = 30_000;
/** The shortest between two looks, so that a burst of hints costs one. */
const LEAST_MS = 100;

/** Looks at the swarm when a hint came, each second while something progresses, and now and then. Hints are never the data. */
export class Observer {
  readonly #tools: ObserverTools;
  #wake = new AbortController();

  constructor(tools: ObserverTools) {
    this.#tools = tools;
  }

  /** Something may have changed. */
  hint(): void {
    this.#wake.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const progressing = await this.#once(signal);
      await pause(LEAST_MS, signal);
      await this.#rest(progressing, signal);
    }
  }

  /** Until a hint, or until there was no look for too long. Those of passes and sweeps count, and are judged as well. */
  async #rest(progressing: boolean, signal: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([signal, this.#wake.signal]);
    if (progressing) return pause(PROGRESS_MS, ended);
    for (let left = QUIET_MS; left > 0 && !ended.aborted; left = QUIET_MS - this.#tools.looks.ageMs) {
      await pause(left, ended);
      if (!ended.aborted && this.#tools.judge()) return;
    }
  }

  async #once(signal: AbortSignal): Promise<boolean> {
    this.#wake = new AbortController();
    try {
      await this.#tools.looks.fresh();
      this.#tools.readable(undefined);
      return this.#tools.judge();
    } catch (error) {
      if (signal.aborted) return false;
      this.#tools.logger.warn('the swarm could not be read; what it does is unknown until it can be', { error });
      this.#tools.readable(HivekeepError.from(error));
      return true;
    }
  }
}
