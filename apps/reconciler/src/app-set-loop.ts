import { type AppSetAnswer, type AppSetStatus, HivekeepError, type Spec, type View } from '@hivekeep/contracts';
import type { Logger } from '@hivekeep/runtime';
import type { Driver } from '@hivekeep/swarm';
import type { SourceClient } from './source-client.ts';
import type { LoadedSet } from './sweep/sweep-loop.ts';
import { pause } from './work/lane.ts';

export interface AppSetTools {
  readonly source: SourceClient;
  readonly driver: Driver<Spec, View>;
  readonly home: boolean;
  readonly intervalMs: number;
  /** Loads are asked for as evidence when something may be swept on their word. */
  readonly prune: boolean;
  readonly logger: Logger;
  /** The last commit that this or an earlier term accepted. */
  accepted(): string | undefined;
  /** Keeps the commit on the lease. Throws `swarm/*`, `lease/deposed`. */
  accept(commit: string): Promise<void>;
  /** A commit was loaded that the term had not seen of this repository. */
  moved(repoURL: string): void;
  /** After each load: what was applied, undefined where nothing was. */
  loaded(load: LoadedSet | undefined): void;
  /** The sweep's clock, in milliseconds. */
  now(): number;
  /** Shows the changed status. */
  changed(): void;
}

/** When no source answered, the next load comes after at most this, in milliseconds. */
const RETRY_MS = 5_000;

/** Asks for the app set on an interval and makes the held applications what it declares. Failures do not slow it down. */
export class AppSetLoop {
  readonly #tools: AppSetTools;
  #status: AppSetStatus = { mode: 'static', source: '', revision: '', stale: false, orphaned: [], pruned: [], pruneHeldBy: [] };
  #answer: AppSetAnswer | undefined;
  /** The history was rewritten since the accepted commit, and the sweep has not settled what that removes. */
  #rewritten = false;
  #generation = 0;
  #wake = new AbortController();

  constructor(tools: AppSetTools) {
    this.#tools = tools;
  }

  get status(): AppSetStatus {
    return this.#status;
  }

  /** The last answer that was applied: which applications stand here and elsewhere. */
  get answer(): AppSetAnswer | undefined {
    return this.#answer;
  }

  wake(): void {
    this.#wake.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const answered = await this.once(signal);
      const { intervalMs } = this.#tools;
      await pause(answered ? intervalMs : Math.min(intervalMs, RETRY_MS), AbortSignal.any([signal, this.#wake.signal]));
    }
  }

  /** One load; whether a source answered. Never throws: what went wrong stands in the status. A load that was cancelled changes nothing. */
  async once(signal: AbortSignal): Promise<boolean> {
    let answer: AppSetAnswer | undefined;
    let applied = false;
    const at = this.#tools.now();
    try {
      answer = await this.#ask(signal);
      applied = await this.#apply(answer, signal);
    } catch (error) {
      if (signal.aborted) return false;
      this.#failed(HivekeepError.from(error));
    }
    if (signal.aborted) return false;
    this.#tools.loaded(answer && applied ? { answer, at, accepted: answer.revision === this.#tools.accepted() } : undefined);
    this.#tools.changed();
    return answer !== undefined;
  }

  /** Sets who departed and what was swept, as the sweep tells it after its turn. */
  report(sweep: Pick<AppSetStatus, 'orphaned' | 'pruned' | 'pruneHeldBy'>): void {
    this.#status = { ...this.#status, ...sweep };
  }

  /**
   * As evidence where something may be swept on its word. A term that has no set yet takes the last good one all the same: for the sweep
   * that is silence, but what runs is looked after, and shown as it is.
   */
  async #ask(signal: AbortSignal): Promise<AppSetAnswer> {
    const { source, home, prune, accepted } = this.#tools;
    const request = { home, have: this.#answer?.revision ?? accepted() };
    try {
      return await source.appSet({ ...request, evidence: prune }, signal);
    } catch (error) {
      if (this.#answer || !HivekeepError.is(error, 'appset/stale')) throw error;
      return source.appSet({ ...request, evidence: false }, signal);
    }
  }

  async #apply(answer: AppSetAnswer, signal: AbortSignal): Promise<boolean> {
    const neverLoaded = answer.revision === '';
    if (!neverLoaded) {
      await this.#accept(answer);
      const { complete, applications: desired } = answer;
      this.#generation += 1;
      await this.#tools.driver.reconcile({ generation: this.#generation, complete, desired, signal });
      const before = this.#answer?.revision;
      this.#answer = answer;
      if (answer.repoURL !== undefined && before !== undefined && before !== answer.revision) this.#tools.moved(answer.repoURL);
    }
    const { error: _, issues: __, ...previous } = this.#status;
    this.#status = {
      ...previous,
      mode: answer.mode,
      source: answer.source,
      revision: answer.revision,
      ...(answer.loadedAt !== undefined && { loadedAt: answer.loadedAt }),
      ...(answer.error && { error: answer.error.message }),
      ...(answer.issues && { issues: answer.issues }),
      stale: answer.error !== undefined && !neverLoaded,
    };
    return !neverLoaded;
  }

  /** A commit of a rewritten history is accepted by the sweep alone: until then a new holder must see the break, too. */
  async #accept({ complete, mode, descends, revision }: AppSetAnswer): Promise<void> {
    if (!complete || mode !== 'git') return;
    if (this.#answer?.revision === this.#tools.accepted()) this.#rewritten = false;
    if (descends === false) this.#rewritten = true;
    if (!this.#rewritten && revision !== this.#tools.accepted()) await this.#tools.accept(revision);
  }

  #failed(error: HivekeepError): void {
    this.#tools.logger.warn('the app set could not be loaded; the last good one stays', { error });
    this.#status = {
      ...this.#status,
      error: error.message,
      ...(error.issues && { issues: [...error.issues] }),
      stale: this.#answer !== undefined,
    };
  }
}
