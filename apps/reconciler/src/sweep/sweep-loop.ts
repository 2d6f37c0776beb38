import type { AppSetAnswer } from '@hivekeep/contracts';
import type { Logger } from '@hivekeep/runtime';
import { pause } from '../work/lane.ts';
import type { Sweeper, SweepReport } from './sweeper.ts';

export interface SweepLoopTools {
  readonly sweeper: Pick<Sweeper, 'turn'>;
  readonly logger: Logger;
  /** After a turn: how the sweep stands, and the newest set it knew of. */
  swept(report: SweepReport, newest: AppSetAnswer | undefined): Promise<void>;
}

/** An application set that was applied. */
export interface LoadedSet {
  readonly answer: AppSetAnswer;
  /** When it was asked for, on the sweep's clock. */
  readonly at: number;
  /** Whether its commit stands on the lease; one of a rewritten history is left to the sweep. */
  readonly accepted: boolean;
}

/** Loads that wait for the turn under way; the oldest are dropped beyond this. */
const WAITING_LOADS = 100;
const UNTIL_WOKEN_MS = 3_600_000;

/** Gives the sweep its turns, one at a time and each with all that was loaded meanwhile: a slow one keeps no load back. */
export class SweepLoop {
  readonly #tools: SweepLoopTools;
  #loads: LoadedSet[] = [];
  #due = false;
  #wake = new AbortController();

  constructor(tools: SweepLoopTools) {
    this.#tools = tools;
  }

  /** After each load: a turn is due. `undefined`: nothing was loaded that could be applied. */
  loaded(load: LoadedSet | undefined): void {
    if (load) this.#loads = [...this.#loads, load].slice(-WAITING_LOADS);
    this.#due = true;
    this.#wake.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      if (this.#due) await this.#once(signal);
      else await pause(UNTIL_WOKEN_MS, AbortSignal.any([signal, this.#wake.signal]));
    }
  }

  async #once(signal: AbortSignal): Promise<void> {
    const loads = this.#loads;
    this.#loads = [];
    this.#due = false;
    try {
      const report = await this.#tools.sweeper.turn(loads, signal);
      await this.#tools.swept(report, loads.at(-1)?.answer);
    } catch (error) {
      if (!signal.aborted)
        this.#tools.logger.error('the sweep of departed applications failed; it is tried again after the next load', { error });
    }
  }
}
