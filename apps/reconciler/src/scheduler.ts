import type { Logger } from '@hivekeep/runtime';
import type { ApplicationEntry } from './work/application-entry.ts';
import { pause } from './work/lane.ts';

export interface SchedulerTools {
  applications(): readonly ApplicationEntry[];
  /** Brings these up to date, each on its own: one promise for each, in order. One tick asks each repository once. */
  tick(due: readonly ApplicationEntry[], signal: AbortSignal): readonly Promise<void>[];
  /** When the application is due again whose tick began then and ends now, on the monotonic clock. */
  nextDue(entry: ApplicationEntry, began: number, now: number): number;
  monotonicNow(): number;
  readonly logger: Logger;
}

/** The longest the scheduler sleeps, so that a changed set is seen without a wake. */
const MAX_SLEEP_MS = 1_000;
/** What is due so soon after what is due now belongs to its tick: moments of a shared grid come out rounded apart. */
const TOGETHER_MS = 100;

/**
 * Starts what is due and does not wait for it: an application that waits for its services keeps nobody else back.
 * What is due at the same moment starts as one tick.
 */
export class Scheduler {
  readonly #tools: SchedulerTools;
  readonly #ticking = new Set<ApplicationEntry>();
  readonly #running = new Set<Promise<void>>();
  #wake = new AbortController();

  constructor(tools: SchedulerTools) {
    this.#tools = tools;
  }

  /** Looks for due applications now. */
  wake(): void {
    this.#wake.abort();
  }

  /** Runs until the signal; resolves when no tick is under way. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#startDue(signal);
      this.#wake = new AbortController();
      const next = Math.min(...this.#idle().map((entry) => entry.dueAt));
      const sleep = Math.max(0, Math.min(next - this.#tools.monotonicNow(), MAX_SLEEP_MS));
      await pause(sleep, AbortSignal.any([signal, this.#wake.signal]));
    }
    await Promise.all(this.#running);
  }

  #idle(): ApplicationEntry[] {
    return this.#tools.applications().filter((entry) => !this.#ticking.has(entry));
  }

  #startDue(signal: AbortSignal): void {
    const now = this.#tools.monotonicNow();
    const due = this.#idle().filter((entry) => entry.dueAt <= now + TOGETHER_MS);
    if (!due.some((entry) => entry.dueAt <= now)) return;
    for (const entry of due) {
      this.#ticking.add(entry);
      entry.dueAt = Number.POSITIVE_INFINITY;
    }
    const passes = this.#tools.tick(due, signal);
    for (const [index, entry] of due.entries()) this.#track(entry, now, passes[index] ?? Promise.resolve());
  }

  #track(entry: ApplicationEntry, began: number, pass: Promise<void>): void {
    const tracked = pass
      .catch((error: unknown) =>
        this.#tools.logger.error('a pass ended unexpectedly; it is tried again', { application: entry.name, error }),
      )
      .finally(() => {
        this.#ticking.delete(entry);
        this.#running.delete(tracked);
        // Made due while its pass ran (a replaced spec): that pass does not count.
        if (entry.dueAt === Number.POSITIVE_INFINITY) entry.dueAt = this.#tools.nextDue(entry, began, this.#tools.monotonicNow());
      });
    this.#running.add(tracked);
  }
}
