import { randomUUID } from 'node:crypto';
import { type reconcilerCalls as calls, HivekeepError, type Hold, type ReplyOf } from '@hivekeep/contracts';
import type { Logger } from '@hivekeep/runtime';
import type { AppState, AppStateStore } from '@hivekeep/swarm';
import type { Board } from '../board.ts';
import type { PassOptions } from '../passes/pass.ts';
import type { Registrations } from '../registrations.ts';
import { withPause } from '../rollback/rollback-hold.ts';
import type { RollbackQuestion, RollbackTarget } from '../rollback/rollback-target.ts';
import type { ApplicationEntry, RollbackRequest, SyncRequest } from '../work/application-entry.ts';
import { pause } from '../work/lane.ts';

/** How long between two tries to take back the note of what has its outcome, in milliseconds. */
const SETTLE_AGAIN_MS = 1_000;

export interface RequestTools {
  readonly registrations: Registrations;
  readonly states: AppStateStore;
  readonly board: Board;
  readonly logger: Logger;
  /** Ends with the term. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Runs one pass under the application's lease; resolves with its outcome recorded, throws only when cancelled. */
  pass(entry: ApplicationEntry, options: RequestedPass): Promise<void>;
  /** What a rollback would go back to; throws whatever refuses it. */
  rollbackTarget(entry: ApplicationEntry, asked: RollbackQuestion): Promise<RollbackTarget>;
  /** Shows a changed hold. */
  held(entry: ApplicationEntry, hold: Hold | undefined): void;
}

export interface RequestedPass extends Pick<PassOptions, 'force' | 'actor' | 'rollback'> {
  /** Told when it has the application's lease. */
  readonly started?: () => void;
}

/** What people ask of one application: sync, rollback, refresh, pause, resume. */
export class ApplicationRequests {
  readonly #tools: RequestTools;
  readonly #detached = new Set<Promise<void>>();
  /** The note of each waiting sync and rollback, for those who join it: their answer promises as much. */
  readonly #noting = new WeakMap<SyncRequest, Promise<unknown>>();
  /** Applications with a pass that waits for its turn: who asks for one meanwhile gets that. */
  readonly #refreshing = new WeakSet<ApplicationEntry>();

  constructor(tools: RequestTools) {
    this.#tools = tools;
  }

  /**
   * Accepts a sync: the slot is reserved and the request noted on the swarm before this resolves, so that neither a kill nor
   * a hand-over loses it. One runs and one waits; a further one joins the one that waits.
   */
  async sync(application: string, actor: string): Promise<{ application: string; accepted?: boolean; coalesced?: boolean }> {
    const entry = this.#entry(application);
    if (entry.queued) {
      await this.#noting.get(entry.queued);
      return { application, coalesced: true };
    }
    const request: SyncRequest = { id: randomUUID(), actor, at: this.#tools.now().toISOString() };
    entry.queued = request;
    const noting = this.#tools.states.update(application, (state) => ({ ...state, sync: request }), { signal: this.#tools.signal });
    this.#noting.set(request, noting);
    try {
      await noting;
    } catch (error) {
      if (entry.queued === request) entry.queued = undefined;
      throw error;
    }
    this.#detach(entry, this.#run(entry, request));
    return { application, accepted: true };
  }

  /**
   * Accepts a rollback as `sync` accepts a sync, when nothing is known that refuses it. One is under way at a time: the same asked for again
   * joins it, another is refused. Throws `rollback/pending` and what `rollbackTarget` throws.
   */
  async rollback(application: string, actor: string, asked: RollbackQuestion): Promise<ReplyOf<typeof calls.rollback>> {
    const asking = this.#entry(application);
    const { release, revision } = asking.rollback ?? (await this.#tools.rollbackTarget(asking, asked));
    const entry = this.#entry(application); // it may have left meanwhile
    if (entry.rollback) return this.#joinRollback(entry.rollback, application, asked);
    const request: RollbackRequest = { id: randomUUID(), actor, at: this.#tools.now().toISOString(), release, revision };
    entry.rollback = request;
    const noting = this.#tools.states.update(application, (state) => ({ ...state, rollback: request }), { signal: this.#tools.signal });
    this.#noting.set(request, noting);
    try {
      await noting;
    } catch (error) {
      entry.rollback = undefined;
      throw error;
    }
    this.#detach(entry, this.#runRollback(entry, request));
    return { application, release, revision, accepted: true };
  }

  async #joinRollback(underWay: RollbackRequest, application: string, asked: RollbackQuestion): Promise<ReplyOf<typeof calls.rollback>> {
    const { release, revision } = underWay;
    if ((asked.release ?? release) !== release || (asked.to ?? revision) !== revision)
      throw new HivekeepError('rollback/pending', `the rollback of '${release}' to revision ${revision} is not finished; ask again then`);
    await this.#noting.get(underWay);
    return { application, release, revision, coalesced: true };
  }

  /** Runs what an earlier holder of the lease accepted and did not finish, in the order of asking. */
  resumeAccepted(entry: ApplicationEntry, { sync, rollback }: AppState = {}): void {
    const syncFirst = sync !== undefined && rollback !== undefined && sync.at < rollback.at;
    if (syncFirst) this.#resumeSync(entry, sync);
    if (rollback && !entry.rollback) {
      entry.rollback = rollback;
      this.#detach(entry, this.#runRollback(entry, rollback));
    }
    if (!syncFirst) this.#resumeSync(entry, sync);
  }

  #resumeSync(entry: ApplicationEntry, request: SyncRequest | undefined): void {
    if (!request || entry.queued || entry.running?.id === request.id) return;
    entry.queued = request;
    this.#detach(entry, this.#run(entry, request));
  }

  /** Drops what was accepted for applications that have left the set: it must not run when one of that name comes. */
  async forgetDeparted(states: ReadonlyMap<string, AppState>): Promise<void> {
    const { registrations, signal } = this.#tools;
    for (const [application, { sync, rollback }] of states) {
      if ((!sync && !rollback) || registrations.get(application)) continue;
      const without = (state: AppState) => withoutNote(withoutNote(state, 'sync', sync), 'rollback', rollback);
      await this.#tools.states.update(application, without, { signal });
    }
  }

  /** A pass now that does what the policy allows. */
  async refresh(application: string, actor: string): Promise<{ application: string }> {
    this.#look(this.#entry(application), actor);
    return { application };
  }

  async pause(application: string, actor: string, message: string): Promise<{ application: string }> {
    const entry = this.#entry(application);
    const pause: Hold = { reason: 'pause', by: actor, at: this.#tools.now().toISOString(), ...(message && { message }) };
    const { hold } = await this.#tools.states.update(application, (state) => withPause(state, pause), { signal: this.#tools.signal });
    this.#tools.held(entry, hold);
    this.#tools.board.event('application-paused', { application, actor, ...(message && { message }) });
    return { application };
  }

  async resume(application: string, actor: string): Promise<{ application: string }> {
    const entry = this.#entry(application);
    const { hold } = await this.#tools.states.read(application, { signal: this.#tools.signal });
    if (hold) {
      await this.#tools.states.update(application, ({ hold: _, ...state }) => state, { signal: this.#tools.signal });
      this.#tools.board.event('application-resumed', { application, actor });
    }
    this.#tools.held(entry, undefined);
    this.#look(entry, actor);
    return { application };
  }

  /** Resolves when no detached work is left. */
  async settled(): Promise<void> {
    await Promise.all(this.#detached);
  }

  #entry(application: string): ApplicationEntry {
    const entry = this.#tools.registrations.get(application);
    if (entry) return entry;
    if (this.#tools.registrations.draining().includes(application)) {
      throw new HivekeepError('application/draining', `application '${application}' has left the set and its last work is ending`);
    }
    throw new HivekeepError(
      'application/unknown',
      `no application '${application}' in the set of this swarm; 'hivekeep app list' shows what there is`,
    );
  }

  #look(entry: ApplicationEntry, actor: string): void {
    if (this.#refreshing.has(entry)) return;
    this.#refreshing.add(entry);
    const started = (): void => void this.#refreshing.delete(entry);
    this.#detach(entry, this.#tools.pass(entry, { force: false, actor, started }).finally(started));
  }

  async #run(entry: ApplicationEntry, request: SyncRequest): Promise<void> {
    const started = (): void => {
      if (entry.queued === request) entry.queued = undefined;
      entry.running = request;
    };
    try {
      await this.#tools.pass(entry, { force: true, actor: request.actor, started });
      await this.#settle(entry, 'sync', request);
    } finally {
      if (entry.running === request) entry.running = undefined;
    }
  }

  async #runRollback(entry: ApplicationEntry, request: RollbackRequest): Promise<void> {
    try {
      await this.#tools.pass(entry, { force: true, actor: request.actor, rollback: request });
      await this.#settle(entry, 'rollback', request);
    } finally {
      if (entry.rollback === request) entry.rollback = undefined;
    }
  }

  /** Takes the note back, however long the swarm can't be written to: one that stayed would keep the application from any sync of its own. */
  async #settle(entry: ApplicationEntry, note: 'sync' | 'rollback', request: SyncRequest): Promise<void> {
    const { states, logger, signal } = this.#tools;
    while (!signal.aborted && !entry.retired) {
      try {
        await states.update(entry.name, (state) => withoutNote(state, note, request), { signal });
        return;
      } catch (error) {
        if (HivekeepError.is(error, 'lease/deposed')) throw error;
        logger.warn('the note of a finished request could not be taken back; it is tried again', { application: entry.name, error });
        await pause(SETTLE_AGAIN_MS, signal);
      }
    }
  }

  #detach(entry: ApplicationEntry, work: Promise<void>): void {
    const detached = work
      .catch((error: unknown) => {
        if (!HivekeepError.is(error, 'cancelled'))
          this.#tools.logger.error('a request ended unexpectedly', { application: entry.name, error });
      })
      .finally(() => this.#detached.delete(detached));
    this.#detached.add(detached);
  }
}

/** One that was accepted while this one ran stays. */
function withoutNote(state: AppState, note: 'sync' | 'rollback', request: SyncRequest | undefined): AppState {
  return state[note]?.id === request?.id ? { ...state, [note]: undefined } : state;
}
