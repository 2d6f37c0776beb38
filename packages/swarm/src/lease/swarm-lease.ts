import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HivekeepError } from '@hivekeep/contracts';
import { type ControllerState, controllerStateLabels } from './controller-state.ts';
import { LeaseObserver } from './lease-observer.ts';
import { DEFAULT_LEASE_TIMES, type LeasePhase, type LeaseTimes, type SwarmLeaseOptions } from './lease-options.ts';
import { heldBy, type LeaseRecord, type LeaseState, leaseState } from './lease-record.ts';
import { LeaseStore } from './lease-store.ts';
import { LeaseTerm } from './lease-term.ts';
import { decideStandby, type OtherController, type StandbyDecision } from './standby-decision.ts';
import { Turns } from './turns.ts';

const SWAP_ATTEMPTS = 5;
const TIME_RAN_OUT = 'its time ran out before it could be renewed';

/**
 * Who may write to a swarm: the holder of one config, changed only by compare-and-swap of its labels on the version index.
 * A read proves nothing (an isolated manager answers stale ones); a swap that succeeded does, until its sending + ttl − timeout.
 * The epoch is the index that the winning swap assumed, so it grows over the swarm's whole life.
 */
export class SwarmLease {
  /** Random for each process start. */
  readonly identity = randomUUID();
  readonly #store: LeaseStore;
  readonly #observer: LeaseObserver;
  readonly #options: SwarmLeaseOptions;
  readonly #times: LeaseTimes;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #listeners = new Set<() => void>();
  readonly #stopping = new AbortController();
  #phase: LeasePhase = 'standby';
  #term: LeaseTerm | undefined;
  #error: HivekeepError | undefined;
  #last: LeaseState | undefined;
  #others: OtherController[] = [];
  #running: Promise<void> | undefined;
  /** One read-and-swap at a time: our own would conflict with each other. */
  readonly #turns = new Turns();

  constructor(options: SwarmLeaseOptions) {
    this.#options = options;
    this.#times = { ...DEFAULT_LEASE_TIMES, ...options.times };
    this.#now = options.monotonicNow ?? (() => performance.now());
    this.#startedAt = this.#now();
    this.#store = new LeaseStore(options.swarm, this.#times.callTimeoutMs);
    this.#observer = new LeaseObserver(this.#times.ttlMs);
  }

  get state(): LeasePhase {
    return this.#phase;
  }
  /** The epoch of the running term; 0 when this process is not the holder. */
  get epoch(): number {
    return this.#term?.epoch ?? 0;
  }
  /** Monotonic milliseconds; 0 when this process is not the holder. */
  get validUntil(): number {
    return this.#term?.validUntil ?? 0;
  }
  /** Why it was refused or lost, or what the last look at the swarm failed with. */
  get error(): HivekeepError | undefined {
    return this.#error;
  }
  /** The lease as last read or written, without a call. */
  get lastKnown(): LeaseState | undefined {
    return this.#last;
  }
  /** Other controllers with a lease on this swarm, and whether they live. */
  get otherControllers(): readonly OtherController[] {
    return this.#others;
  }

  /** Runs until `stop`: waits as standby, takes the lease, renews it, starts again when it was lost. */
  start(): void {
    this.#running ??= this.#run(this.#stopping.signal);
  }

  /** `listener` runs after each change of `state`, `epoch`, `error` or the lease's labels. Gives back how to end that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Call right before each write. @throws HivekeepError `lease/deposed` when this process's time as holder is over */
  assertActive(): void {
    if (this.#term?.over) this.#lose(TIME_RAN_OUT);
    if (!this.#term) throw new HivekeepError('lease/deposed', `this process does not hold ${this.#options.name}; it must not write`);
  }

  /** As `assertActive`, and not frozen. @throws HivekeepError `lease/deposed`, `swarm/frozen` */
  assertMayWrite(): void {
    this.assertActive();
    const freeze = this.#last?.state.freeze;
    if (freeze) throw new HivekeepError('swarm/frozen', `writes are frozen by ${freeze.by} since ${freeze.at}; unfreeze first`);
  }

  /** Ends the term: the caller has seen that somebody wrote in a later one. It stands by again. */
  depose(reason: string): void {
    if (this.#term) this.#lose(reason);
  }

  /** Renews now, as each batch of deletions does first. @throws HivekeepError `lease/deposed`, `swarm/*` */
  async renewNow(): Promise<void> {
    this.assertActive();
    const term = this.#term;
    await this.#turns.run(() => this.#renew(term));
    this.assertActive();
  }

  /** Reads the lease now. @throws HivekeepError `swarm/gone` when there is none, `swarm/*` */
  async read(signal?: AbortSignal): Promise<LeaseState> {
    return leaseState(await this.#find(signal));
  }

  /**
   * Changes the controller's state: reads it, gives it to `change`, swaps the labels; again on a conflict, so `change` may run
   * several times. Works for a standby too (a freeze must); a holder that finds itself deposed stops. With `epoch` it is done as the
   * holder in that epoch or not at all: what a term learned must not be kept when it is over.
   * @throws HivekeepError `lease/deposed`, `state/too-large`, `swarm/conflict` after 5 attempts, `swarm/*`
   */
  update(change: (state: ControllerState) => ControllerState, { epoch }: { readonly epoch?: number } = {}): Promise<LeaseState> {
    return this.#turns.run(() =>
      this.#swapOver(
        () => this.#find(),
        (lease) => {
          if (epoch !== undefined && this.epoch !== epoch)
            throw new HivekeepError('lease/deposed', `the term with epoch ${epoch} is over; what it learned is not kept`);
          return controllerStateLabels.write(lease.labels, change(leaseState(lease).state));
        },
      ),
    );
  }

  /** Ends the run. With `release` the lease is vacated, so that a standby need not wait. */
  async stop({ release }: { release: boolean }): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    const term = this.#term;
    if (term && release) await this.#turns.run(() => this.#vacate(term)).catch((error) => this.#note(error));
    this.#endTerm('standby');
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#phase !== 'refused') {
      const failed = await this.#turns
        .run(() => this.#pass(signal))
        .then(
          () => false,
          (error) => this.#note(error),
        );
      const pause = this.#term && !failed ? this.#times.renewEveryMs : this.#times.pollMs;
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  async #pass(signal: AbortSignal): Promise<void> {
    if (this.#term) return this.#renew(this.#term);
    if (this.#phase === 'lost') this.#become('standby');
    const leases = await this.#store.list(signal);
    this.#observer.note(leases, this.#now());
    const own = leases.find((lease) => lease.name === this.#options.name);
    if (!own) return this.#store.createVacant(this.#options.name, this.#options.binding, signal);
    this.#remember(own);
    const decision = this.#decide(own, leases);
    if (decision.kind === 'take') return this.#take(own, signal);
    if (decision.kind === 'wait') return;
    this.#error = new HivekeepError('lease/mismatch', decision.reason);
    this.#become('refused');
  }

  #decide(own: LeaseRecord, leases: readonly LeaseRecord[]): StandbyDecision {
    const now = this.#now();
    const { binding, takeOver = false } = this.#options;
    this.#others = this.#observer.others(own.id, leases, now);
    const isYoung = now - this.#startedAt < this.#times.youngMs;
    const holder = this.#observer.liveness(own.id, now, isYoung ? 0 : this.#times.yieldMs);
    return decideStandby({ own, holder, others: this.#others, binding, identity: this.identity, takeOver });
  }

  async #take(own: LeaseRecord, signal: AbortSignal): Promise<void> {
    const sentAt = this.#now();
    const labels = heldBy(own.labels, this.identity, own.version, this.#options.binding);
    try {
      await this.#store.swap(own, labels, signal);
    } catch (error) {
      if (HivekeepError.is(error, 'swarm/conflict', 'swarm/gone')) return;
      throw error;
    }
    this.#remember({ ...own, labels, holder: this.identity, epoch: own.version });
    this.#error = undefined;
    this.#term = new LeaseTerm({ id: own.id, epoch: own.version }, this.#now, () => this.#lose(TIME_RAN_OUT));
    this.#extend(this.#term, sentAt);
    this.#become('active');
  }

  async #renew(term: LeaseTerm | undefined): Promise<void> {
    await this.#swapOver(
      () => this.#find(),
      (lease) => lease.labels,
      term,
    );
    if (this.#error) {
      this.#error = undefined;
      this.#announce();
    }
  }

  /** Read, change, swap; again on a conflict. For a holder each success is a renewal, and each read a look at who holds; nothing is written when `term` has ended. */
  async #swapOver(
    find: () => Promise<LeaseRecord>,
    change: (lease: LeaseRecord) => LeaseRecord['labels'],
    term = this.#term,
  ): Promise<LeaseState> {
    for (let attempt = 1; ; attempt++) {
      const lease = await find();
      if (term !== this.#term) throw new HivekeepError('lease/deposed', `lost ${this.#options.name} before it could be changed`);
      this.#checkHolder(lease);
      const labels = change(lease);
      const sentAt = this.#now();
      if (term) this.assertActive();
      try {
        await this.#store.swap(lease, labels);
        if (term) this.#extend(term, sentAt);
        return this.#remember({ ...lease, labels });
      } catch (error) {
        if (!HivekeepError.is(error, 'swarm/conflict') || attempt >= SWAP_ATTEMPTS) throw error;
      }
    }
  }

  #checkHolder(lease: LeaseRecord): void {
    const term = this.#term;
    if (!term || (lease.holder === this.identity && lease.epoch === term.epoch)) return;
    this.#lose(`epoch ${lease.epoch} of holder ${lease.holder || '(nobody)'} follows our ${term.epoch}`);
    throw this.#error;
  }

  /** The lease by id while held, else by name. */
  async #find(signal?: AbortSignal): Promise<LeaseRecord> {
    const term = this.#term;
    if (!term) {
      const lease = (await this.#store.list(signal)).find(({ name }) => name === this.#options.name);
      if (lease) return lease;
      throw new HivekeepError('swarm/gone', `${this.#options.name} does not exist on this swarm; start a reconciler, which makes it`);
    }
    try {
      return await this.#store.read(term.leaseId, signal);
    } catch (error) {
      if (HivekeepError.is(error, 'swarm/gone')) this.#lose('the lease was deleted');
      throw error;
    }
  }

  async #vacate(term: LeaseTerm): Promise<void> {
    const lease = await this.#store.read(term.leaseId);
    this.#checkHolder(lease);
    await this.#store.swap(lease, heldBy(lease.labels, '', term.epoch, lease.binding));
  }

  /** A term that was ended meanwhile stays ended. */
  #extend(term: LeaseTerm, sentAt: number): void {
    if (this.#term === term) term.extend(sentAt + this.#times.ttlMs - this.#times.callTimeoutMs);
  }

  #lose(reason: string): void {
    this.#error = new HivekeepError('lease/deposed', `lost ${this.#options.name}: ${reason}`);
    this.#observer.forget();
    this.#endTerm('lost');
  }

  #endTerm(phase: LeasePhase): void {
    this.#term?.end();
    this.#term = undefined;
    this.#become(phase);
  }

  #become(phase: LeasePhase): void {
    if (this.#phase === phase) return;
    this.#phase = phase;
    this.#announce();
  }

  #remember(record: LeaseRecord): LeaseState {
    const changed = JSON.stringify(this.#last?.labels) !== JSON.stringify(record.labels);
    this.#last = leaseState(record);
    if (changed) this.#announce();
    return this.#last;
  }

  /** @returns true, for a pass that failed */
  #note(error: unknown): true {
    if (this.#phase === 'lost' || this.#stopping.signal.aborted) return true;
    this.#error = HivekeepError.from(error);
    this.#announce();
    return true;
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}
