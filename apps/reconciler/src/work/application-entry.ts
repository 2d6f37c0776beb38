import { type ErrorCode, errorCodes, HivekeepError, initialStatus, type Spec, type Status } from '@hivekeep/contracts';
import type { ApplicationPlan } from '../passes/application-plan.ts';
import { cancelled, Lane, within } from './lane.ts';

/** A unit of work on an application: cancelled with the application, and to be ended by its owner. */
export interface Work {
  readonly signal: AbortSignal;
  end(): void;
}

/** A sync somebody asked for, noted on the swarm until it has an outcome. */
export interface SyncRequest {
  readonly id: string;
  readonly actor: string;
  readonly at: string;
}

/** A rollback somebody asked for, noted likewise. */
export interface RollbackRequest extends SyncRequest {
  readonly release: string;
  readonly revision: number;
}

/**
 * One application while it is held: its identity is the entry, never the name, so that what a departed entry still does
 * never lands on a successor of the same name.
 */
export class ApplicationEntry {
  readonly name: string;
  spec: Spec;
  status: Status = initialStatus();
  /** The status of which changes were told last; undefined before the term's first. */
  told: Status | undefined;
  /** The last plan, for diffs and for looks between two builds. */
  plan: ApplicationPlan | undefined;
  /** Consecutive failures; resets on success and when the spec is replaced. An outage is none: it says nothing of the application. */
  failures = 0;
  /** The last pass failed because something did not answer. */
  outage = false;
  /** Milliseconds on the monotonic clock. */
  dueAt = 0;
  /** The one sync that waits for its turn. */
  queued: SyncRequest | undefined;
  /** The sync that runs now, until its note on the swarm is gone. */
  running: SyncRequest | undefined;
  /** The hold that a person put on it in this term: a plan made before does not know it. */
  hold: Status['hold'];
  /** The one rollback that waits or runs, until its note on the swarm is gone. */
  rollback: RollbackRequest | undefined;
  readonly #lane = new Lane();
  readonly #abort = new AbortController();

  constructor(spec: Spec) {
    this.name = spec.name;
    this.spec = spec;
  }

  get retired(): boolean {
    return this.#abort.signal.aborted;
  }

  get busy(): boolean {
    return this.#lane.busy;
  }

  /** Waits for the application's lease. Throws `cancelled` when the caller or the entry is cancelled first. */
  async acquire(signal: AbortSignal): Promise<Work> {
    const both = AbortSignal.any([signal, this.#abort.signal]);
    const release = await this.#lane.acquire(both);
    if (both.aborted) {
      release();
      throw cancelled(both);
    }
    return { signal: both, end: release };
  }

  /** The lease when nobody has it. */
  tryAcquire(signal: AbortSignal): Work | undefined {
    if (this.retired || signal.aborted) return undefined;
    const release = this.#lane.tryAcquire();
    return release && { signal: AbortSignal.any([signal, this.#abort.signal]), end: release };
  }

  /** Counts a pass that failed. */
  failed(code: ErrorCode): void {
    this.outage = errorCodes[code].retry === 'soon';
    if (!this.outage) this.failures += 1;
  }

  /** Counts a pass that did not. */
  succeeded(): void {
    this.failures = 0;
    this.outage = false;
  }

  /** Takes a changed declaration: the recorded status stays, failures are forgotten. */
  replace(spec: Spec): void {
    this.spec = spec;
    this.lookAnew();
  }

  /** There is something new to look at: failures with what was before say nothing of it. */
  lookAnew(): void {
    this.succeeded();
    this.dueAt = 0;
  }

  /** Cancels all work and waits for it, at most `ms`. False: something still runs (the application is draining). */
  async retire(ms: number): Promise<boolean> {
    this.#abort.abort(new HivekeepError('cancelled', `application '${this.name}' has left the set`));
    if (!this.#lane.busy) return true;
    return within(
      this.#lane.acquire(new AbortController().signal).then((release) => release()),
      ms,
    );
  }
}
