import { effectivePolicy } from '@hivekeep/application';
import { HivekeepError, type Hold, type SwarmView } from '@hivekeep/contracts';
import { nextDelay } from '@hivekeep/planner';
import { AppSetLoop } from './app-set-loop.ts';
import { WriteGate } from './apply/gate.ts';
import { LIMITS } from './config.ts';
import { Daemon } from './daemon.ts';
import { Looks } from './looks.ts';
import { Observer } from './observer.ts';
import { Pass, type PassTools } from './passes/pass.ts';
import { readPlanContext } from './passes/plan-context.ts';
import { startTick } from './passes/tick.ts';
import { reconcilerMetrics } from './reconciler-metrics.ts';
import { Registrations } from './registrations.ts';
import { ApplicationRequests, type RequestedPass } from './requests/application-requests.ts';
import { Reports } from './requests/reports.ts';
import { checkRollback } from './rollback/check-rollback.ts';
import { Scheduler } from './scheduler.ts';
import { SwarmDriver } from './swarm-driver.ts';
import { SwarmEngine } from './swarm-engine.ts';
import { SwarmReport } from './swarm-report.ts';
import { AgentReach } from './sweep/agent-reach.ts';
import { SweepLoop } from './sweep/sweep-loop.ts';
import { Sweeper } from './sweep/sweeper.ts';
import type { TermParts } from './term-parts.ts';
import type { ApplicationEntry, Work } from './work/application-entry.ts';
import { pause, within } from './work/lane.ts';
import { highestEpoch, readWorld, type World } from './world.ts';

/** How long between two tries to read the swarm at the start of a term, in milliseconds. */
const READ_AGAIN_MS = 1_000;

/**
 * One tenure as the holder of the swarm lease. It starts with an empty memory and takes all it learned with it when it ends:
 * what an earlier term saw is no evidence for a later one.
 */
export class Term {
  readonly requests: ApplicationRequests;
  readonly sweeper: Sweeper;
  readonly reports: Reports;
  readonly daemon: Daemon;
  readonly registrations = new Registrations();
  readonly #parts: TermParts;
  readonly #abort = new AbortController();
  readonly #looks: Looks;
  readonly #pass: Pass;
  readonly #appSet: AppSetLoop;
  readonly #sweeps: SweepLoop;
  readonly #scheduler: Scheduler;
  readonly #observer: Observer;
  readonly #report: SwarmReport;
  #failure: unknown;
  #running: Promise<unknown> = Promise.resolve();
  #unsubscribe: () => void = () => undefined;

  constructor(parts: TermParts) {
    const { options, logger, board, lease } = parts;
    const signal = this.#abort.signal;
    this.#parts = parts;
    this.#looks = new Looks(() => this.#read(signal));
    const daemon = new Daemon(parts.swarm, parts.watcher, new WriteGate(lease), parts.monotonicNow);
    this.daemon = daemon;
    const reach = new AgentReach(parts.bus, parts.version);
    const engine = new SwarmEngine({
      ...parts,
      daemon,
      looks: this.#looks,
      reach,
      swarm: options.swarm,
      controllerId: options.controllerId,
      registrations: this.registrations,
      planContext: () => readPlanContext(parts),
    });
    this.reports = new Reports(this.registrations, engine, options.controllerId);
    const passTools: PassTools = {
      ...parts,
      engine,
      gate: daemon.gate,
      looks: this.#looks,
      controllerId: options.controllerId,
      holds: (entry) => this.registrations.holds(entry),
      declaring: (release) => this.registrations.declaring(release),
    };
    this.#pass = new Pass(passTools);
    this.requests = new ApplicationRequests({
      ...parts,
      registrations: this.registrations,
      signal,
      pass: (entry, request) => this.#requested(entry, request),
      rollbackTarget: (entry, asked) => checkRollback(passTools, entry, asked, signal),
      held: (entry, hold) => this.#held(entry, hold),
    });
    this.#scheduler = new Scheduler({
      applications: () => this.registrations.all(),
      tick: (due, until) => this.#tick(due, until),
      nextDue: (entry, began, now) => now + this.#delay(entry, began, now),
      monotonicNow: parts.monotonicNow,
      logger,
    });
    this.#observer = new Observer({ looks: this.#looks, logger, judge: () => this.#judge(), readable: (error) => this.#readable(error) });
    this.sweeper = new Sweeper({
      ...parts,
      engine,
      daemon,
      looks: this.#looks,
      registrations: this.registrations,
      reload: () => this.reload(),
      wake: () => this.#scheduler.wake(),
    });
    this.#sweeps = new SweepLoop({
      ...parts,
      sweeper: this.sweeper,
      swept: async (report, newest) => {
        this.#appSet.report(report);
        void this.tell();
        if (newest?.complete) await this.requests.forgetDeparted(this.#looks.last?.states ?? new Map());
      },
    });
    this.#appSet = new AppSetLoop({
      source: parts.source,
      driver: new SwarmDriver({ registrations: this.registrations, changed: (change) => this.#applied(change) }),
      home: options.home,
      intervalMs: options.appSetIntervalMs,
      prune: options.prune,
      logger,
      accepted: () => lease.lastKnown?.state.commit,
      accept: async (commit) => {
        await daemon.gate.keep((state) => ({ ...state, commit }));
      },
      now: this.sweeper.now,
      moved: (repoURL) => {
        this.registrations.lookAnew(repoURL);
        this.#scheduler.wake();
      },
      loaded: (load) => {
        if (load) void board.adopt();
        this.#sweeps.loaded(load);
      },
      changed: () => void this.tell(),
    });
    this.#report = new SwarmReport({
      ...parts,
      looks: this.#looks,
      registrations: this.registrations,
      reach,
      sweeper: this.sweeper,
      appSet: () => this.#appSet.status,
    });
    void board.check();
  }

  /** Starts all loops; they end with `stop`. */
  start(): void {
    this.#unsubscribe = this.#parts.watcher.onChanged(() => this.#observer.hint());
    this.#running = this.#run(this.#abort.signal).catch((error: unknown) => {
      this.#failure = error;
      this.#parts.logger.error('a loop of the reconciler ended unexpectedly', { error });
    });
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.sweeper.meet();
        break;
      } catch (error) {
        this.#parts.logger.warn('the swarm could not be read at the start of the term', { error });
        this.#readable(HivekeepError.from(error));
        await pause(READ_AGAIN_MS, signal);
      }
    }
    this.sweeper.recall(await this.#parts.board.recall());
    void this.tell();
    await Promise.all([this.#appSet, this.#sweeps, this.#scheduler, this.#observer].map((loop) => loop.run(signal)));
  }

  /** Ends all work. What is still busy after a bounded wait is named in the log; the gate keeps it from writing. */
  async stop(reason: HivekeepError): Promise<void> {
    this.#unsubscribe();
    this.#abort.abort(reason);
    const busy = await this.registrations.retireAll(LIMITS.stopMs);
    if (busy.length > 0) this.#parts.logger.warn('work was still running when the term ended', { applications: busy.join(', ') });
    await within(Promise.all([this.#running, this.requests.settled()]), LIMITS.stopMs);
  }

  /** Throws when one of its loops has ended: only a new process brings it back. */
  assertRunning(): void {
    if (this.#failure !== undefined) throw HivekeepError.from(this.#failure);
  }

  /** Loads the app set now. */
  reload(): void {
    this.#appSet.wake();
  }

  /** A look that was begun after this call. */
  look(): ReturnType<Looks['fresh']> {
    return this.#looks.fresh();
  }

  view(): Promise<SwarmView> {
    return this.#report.view();
  }

  /** Puts the swarm's view as it is now. */
  tell(): Promise<void> {
    return this.#report.tell();
  }

  /** A look; one that finds an object written in a later epoch than this term's ends the term. */
  async #read(signal: AbortSignal): Promise<World> {
    const { backend, records, lease, options } = this.#parts;
    const world = await readWorld({ backend, records, controllerId: options.controllerId }, signal);
    const later = highestEpoch(world, options.controllerId);
    if (later <= this.daemon.gate.epoch) return world;
    lease.depose(`an object on the swarm was written in epoch ${later}, later than our ${this.daemon.gate.epoch}`);
    throw new HivekeepError('lease/deposed', 'another process has written to the swarm since; this term is over');
  }

  #tick(due: readonly ApplicationEntry[], until: AbortSignal): Promise<void>[] {
    reconcilerMetrics.ticks.inc();
    const passed = (entry: ApplicationEntry, work: Work): void => this.#passed(entry, work);
    const passes = startTick({ source: this.#parts.source, pass: this.#pass, passed }, due, until);
    void Promise.allSettled(passes).then(() => this.tell());
    return passes;
  }

  /** What a pass has set going is watched from now on: our own writes are no hints. */
  #passed(entry: ApplicationEntry, work: Work): void {
    work.end();
    if (entry.status.health.state === 'progressing') this.#observer.hint();
  }

  async #requested(entry: ApplicationEntry, { started, ...options }: RequestedPass): Promise<void> {
    const work = await entry.acquire(this.#abort.signal);
    try {
      started?.();
      await this.#pass.run(entry, work, options);
    } finally {
      this.#passed(entry, work);
      this.#scheduler.wake();
    }
  }

  #delay(entry: ApplicationEntry, began: number, now: number): number {
    const { interval } = effectivePolicy(entry.spec, {
      interval: this.#parts.options.reconcileIntervalMs,
      timeout: 300_000,
      historyMax: 10,
    });
    const { failures, outage } = entry;
    return nextDelay({ interval, failures, outage, key: entry.spec.source.repoURL, began, now });
  }

  #applied({ removed, added }: { readonly removed: string[]; readonly added: string[] }): void {
    for (const name of removed) this.#parts.board.removeApplication(name);
    for (const name of added) {
      const entry = this.registrations.get(name);
      if (!entry) continue;
      this.#parts.board.application({ spec: entry.spec, status: entry.status });
      void this.#resumeAccepted(entry);
    }
    this.#scheduler.wake();
  }

  /** What an earlier holder accepted is not lost because the swarm can't be read now. */
  async #resumeAccepted(entry: ApplicationEntry): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted && !entry.retired) {
      try {
        const { states } = await this.#looks.fresh();
        return this.requests.resumeAccepted(entry, states.get(entry.name));
      } catch (error) {
        const told = { application: entry.name, error };
        this.#parts.logger.warn('accepted syncs of an earlier holder could not be read; they are read again', told);
        await pause(READ_AGAIN_MS, signal);
      }
    }
  }

  #held(entry: ApplicationEntry, hold: Hold | undefined): void {
    const { hold: _, ...status } = entry.status;
    entry.hold = hold;
    entry.status = { ...status, ...(hold && { hold }) };
    this.#parts.board.application({ spec: entry.spec, status: entry.status });
  }

  #judge(): boolean {
    for (const entry of this.registrations.all()) this.#pass.observe(entry);
    void this.tell();
    return this.registrations.all().some((entry) => entry.busy || entry.status.health.state === 'progressing');
  }

  #readable(error: HivekeepError | undefined): void {
    this.#report.readable(error?.message);
    if (!error) return;
    for (const entry of this.registrations.all()) this.#pass.unread(entry, error);
    void this.tell();
  }
}
