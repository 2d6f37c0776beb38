import { type BuildResult, HivekeepError, type Spec, type Status, type SyncResult } from '@hivekeep/contracts';
import type { Logger } from '@hivekeep/runtime';
import type { Board, EventDetails } from '../board.ts';
import type { Looks } from '../looks.ts';
import { onlyRelease } from '../only-release.ts';
import { reconcilerMetrics } from '../reconciler-metrics.ts';
import { rollbackBuild } from '../rollback/rollback-target.ts';
import { type HoldTools, holdRollback, settleRollback } from '../rollback/settle-rollback.ts';
import type { SourceClient } from '../source-client.ts';
import type { SwarmEngine, WantedApplication } from '../swarm-engine.ts';
import type { ApplicationEntry, RollbackRequest, Work } from '../work/application-entry.ts';
import { type ApplicationPlan, type Built, builtReleases, wantsWrite } from './application-plan.ts';
import { checkClaims } from './check-claims.ts';
import { errorText } from './error-text.ts';
import { observeApplication } from './observe-application.ts';
import { refuse } from './refuse.ts';
import { type Transition, transitions } from './transitions.ts';
import { unsupported } from './unsupported.ts';
import { volatileHold, withoutRenderedAgain } from './volatile-hold.ts';

export interface PassTools extends HoldTools {
  readonly engine: SwarmEngine;
  readonly controllerId: string;
  readonly source: SourceClient;
  readonly looks: Looks;
  readonly board: Board;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly apiVersion: string;
  /** Whether this very entry still stands under its name. */
  holds(entry: ApplicationEntry): boolean;
  /** Names of the applications that declare a release, the longest held first. */
  declaring(release: string): readonly string[];
}

export interface PassOptions {
  /** Applies whatever the policy says, and lifts no guard. */
  readonly force: boolean;
  readonly actor: string;
  /** The build and what it was asked for, when it was made for several applications at once. */
  readonly build?: { readonly spec: Spec; readonly result: BuildResult };
  /** Deploys a recorded revision instead of what Git has, which is not asked. */
  readonly rollback?: RollbackRequest;
}

/** One application brought up to date: build, plan, record, and apply where that is allowed. */
export class Pass {
  readonly #tools: PassTools;

  constructor(tools: PassTools) {
    this.#tools = tools;
  }

  /**
   * Runs under the application's lease, on the declaration as it is at the start: one that is replaced meanwhile gets a pass of its own.
   * What goes wrong stands in the status and counts as a failure.
   * Throws only `cancelled` and `lease/deposed`, of which nothing is recorded.
   */
  async run(entry: ApplicationEntry, work: Work, options: PassOptions): Promise<void> {
    const startedAt = this.#tools.now().toISOString();
    const ended = reconcilerMetrics.pass.startTimer();
    const attempted = entry.status.sync.lastSync;
    try {
      const spec = options.build?.spec ?? entry.spec;
      const missing = unsupported(spec);
      if (missing) throw missing;
      if (options.rollback) await this.#rollBack(entry, spec, options.rollback, options, work.signal);
      else await this.#sync(entry, spec, options, work.signal);
      entry.succeeded();
      reconcilerMetrics.passes.inc({ outcome: 'ok' });
    } catch (error) {
      if (work.signal.aborted || HivekeepError.is(error, 'cancelled', 'lease/deposed')) throw error;
      const failure = HivekeepError.from(error);
      entry.failed(failure.code);
      // A sync that somebody asked for has an outcome, however early it failed.
      if (options.force && entry.status.sync.lastSync === attempted) this.#refused(entry, failure, startedAt, options.actor);
      reconcilerMetrics.passes.inc({ outcome: failure.code });
      this.#failed(entry, failure, error, options.rollback?.release);
    } finally {
      ended();
    }
  }

  /** Judges an application anew by the last look, on what was built last: what the swarm does between two builds. */
  observe(entry: ApplicationEntry): void {
    const { last } = this.#tools.looks;
    const plan = entry.plan && last && this.#tools.engine.planAgain(entry.plan, last);
    if (!plan) return;
    entry.plan = plan;
    this.#show(entry, this.#status(entry, entry.plan, entry.status.sync.lastSync), '');
  }

  /** The swarm can't be read: what ran there is unknown now, never gone. */
  unread(entry: ApplicationEntry, error: HivekeepError): void {
    const { services } = entry.status.health;
    entry.status = { ...entry.status, health: { state: 'unknown', message: error.message, services } };
    this.#publish(entry);
  }

  async #sync(entry: ApplicationEntry, spec: Spec, options: PassOptions, signal: AbortSignal): Promise<void> {
    const built = await this.#build(entry, spec, options, signal);
    const plan = await this.#planned(entry, { spec, built }, options);
    this.#refuse(plan);
    const settled = await settleRollback(this.#tools, entry, plan, options, signal);
    const current = settled ? await this.#planned(entry, plan, options) : plan;
    await this.#act(entry, options.force ? current : withoutRenderedAgain(current), options, signal);
  }

  async #rollBack(entry: ApplicationEntry, spec: Spec, target: RollbackRequest, options: PassOptions, signal: AbortSignal): Promise<void> {
    const plan = await this.#tools.engine.planApply({ spec, built: rollbackBuild(target, await this.#tools.looks.fresh()) });
    this.#refuse(plan);
    await this.#act(entry, plan, options, signal);
  }

  #refuse(plan: ApplicationPlan): void {
    refuse(plan, checkClaims(plan, { ...this.#tools, application: plan.spec.name }));
  }

  async #planned(entry: ApplicationEntry, wanted: WantedApplication, { actor }: PassOptions): Promise<ApplicationPlan> {
    const plan = await this.#tools.engine.planApply(wanted);
    this.#record(entry, plan, entry.status.sync.lastSync, actor);
    return plan;
  }

  async #build(entry: ApplicationEntry, spec: Spec, options: PassOptions, signal: AbortSignal): Promise<Built> {
    const result = options.build?.result ?? (await this.#ask(entry, spec, undefined, signal));
    try {
      return await this.#built(entry, result);
    } catch (error) {
      if (!HivekeepError.is(error, 'artifact/missing') || 'error' in result) throw error;
      return this.#built(entry, await this.#ask(entry, spec, result.digest, signal));
    }
  }

  /** `lost`: the artifact that no store has any more, to be made again. */
  async #ask(entry: ApplicationEntry, spec: Spec, lost: string | undefined, signal: AbortSignal): Promise<BuildResult> {
    const have = entry.plan?.built.provenance.commit;
    const request = { application: spec, ...(have !== undefined && { have }), ...(lost !== undefined && { lost }) };
    const result = (await this.#tools.source.build([request], signal)).get(entry.name);
    if (!result) throw new HivekeepError('bus/invalid-message', 'the source left this application out of its answer');
    return result;
  }

  /** What is planned already is not fetched and converted again. */
  async #built(entry: ApplicationEntry, result: BuildResult): Promise<Built> {
    if ('error' in result) throw HivekeepError.from(result.error);
    const { digest, provenance, warnings } = result;
    const held = entry.plan?.built;
    const releases = held?.digest === digest ? held.releases : builtReleases(await this.#tools.source.artifact(digest));
    return { digest, provenance, warnings, releases };
  }

  async #act(entry: ApplicationEntry, plan: ApplicationPlan, options: PassOptions, signal: AbortSignal): Promise<void> {
    const { hold, rollback: accepted } = plan.world.states.get(entry.name) ?? {};
    const held = hold !== undefined || accepted !== undefined;
    if (!options.force && (!plan.spec.syncPolicy.automated || held)) return;
    if (!options.force && !wantsWrite(plan)) return this.#settle(plan, signal);
    const { rollback } = options;
    const startedAt = this.#tools.now().toISOString();
    const revision = plan.built.provenance.commit;
    const told = { application: entry.name, release: rollback?.release, revision, ...(options.actor && { actor: options.actor }) };
    this.#tools.board.event('sync-started', told);
    entry.status = { ...entry.status, working: true };
    this.#publish(entry);
    const result = (error?: HivekeepError): SyncResult => ({
      revision,
      startedAt,
      finishedAt: this.#tools.now().toISOString(),
      succeeded: error === undefined,
      ...(error && { error: errorText(error) }),
    });
    const shown = rollback ? entry.plan : plan;
    const ended = reconcilerMetrics.apply.startTimer();
    try {
      const mayBegin = () => this.#mayBegin(entry, plan, options, signal);
      if (!(await this.#tools.engine.apply({ plan, mayBegin, signal }))) return this.#overtaken(entry, told);
      reconcilerMetrics.applies.inc({ outcome: 'ok' });
    } catch (thrown) {
      if (signal.aborted || HivekeepError.is(thrown, 'cancelled', 'lease/deposed')) throw thrown;
      const error = HivekeepError.from(thrown);
      reconcilerMetrics.applies.inc({ outcome: error.code });
      this.#tools.board.event('sync-failed', { ...told, message: errorText(error) });
      await this.#after(entry, shown, result(error), options.actor, error).catch(() => undefined);
      throw thrown;
    } finally {
      ended();
    }
    const done = rollback ? `rolled ${rollback.release} back to revision ${rollback.revision}` : `deployed ${revision}`;
    this.#tools.board.event('sync-succeeded', { ...told, message: wantsWrite(plan) ? done : 'nothing to do' });
    await this.#after(entry, shown, result(), options.actor);
  }

  /** Takes back left-over intents of revisions that stand: the pass that made them ended too early to do it. */
  async #settle(plan: ApplicationPlan, signal: AbortSignal): Promise<void> {
    const leftOver = plan.releases.some((release) => release.plan.settles !== undefined);
    if (leftOver) await this.#tools.engine.apply({ plan, mayBegin: async () => true, signal });
  }

  /** Asked right before the first write: what people asked for since it was planned goes first. */
  async #mayBegin(entry: ApplicationEntry, plan: ApplicationPlan, { force, rollback }: PassOptions, signal: AbortSignal): Promise<boolean> {
    if (rollback) await holdRollback(this.#tools, entry, rollback, signal);
    return force || (entry.hold === undefined && entry.rollback === undefined && entry.spec === plan.spec);
  }

  /** The application was paused, rolled back or declared otherwise after it was planned. */
  #overtaken(entry: ApplicationEntry, told: EventDetails): void {
    const what = entry.hold ? 'paused' : entry.rollback ? 'to be rolled back' : 'declared otherwise';
    this.#tools.board.event('sync-failed', { ...told, message: `it was ${what} before the first write; nothing was written` });
    entry.status = { ...entry.status, working: false, ...(entry.hold && { hold: entry.hold }) };
    this.#publish(entry);
  }

  /**
   * Plans again what Git has, so that the status says what is there, not what was meant. `shown`: unknown while Git was never read. A
   * failure stands in the same status as its result.
   */
  async #after(
    entry: ApplicationEntry,
    shown: ApplicationPlan | undefined,
    result: SyncResult,
    actor: string,
    failure?: HivekeepError,
  ): Promise<void> {
    entry.status = { ...entry.status, sync: { ...entry.status.sync, lastSync: result }, working: false, ...problemOf(failure) };
    if (shown) this.#record(entry, await this.#tools.engine.planApply(shown), result, actor, failure);
    else this.#publish(entry);
  }

  #status(entry: ApplicationEntry, plan: ApplicationPlan, lastSync: SyncResult | undefined): Status {
    const { error, code, working } = entry.status;
    const { world } = plan;
    const status = observeApplication({
      plan,
      world,
      lastSync,
      hold: world.states.get(entry.name)?.hold ?? volatileHold(plan),
      apiVersion: this.#tools.apiVersion,
      backend: this.#tools.engine.backendOf(plan.spec),
      now: this.#tools.now().getTime(),
    });
    return { ...status, ...(error !== undefined && { error }), ...(code !== undefined && { code }), ...(working && { working }) };
  }

  #record(entry: ApplicationEntry, plan: ApplicationPlan, lastSync: SyncResult | undefined, actor: string, failure?: HivekeepError): void {
    entry.plan = plan;
    const { error: _, code: __, ...status } = this.#status(entry, plan, lastSync);
    this.#show(entry, { ...status, ...problemOf(failure) }, actor);
  }

  #show(entry: ApplicationEntry, status: Status, actor: string): void {
    const before = entry.told ?? this.#tools.board.told(entry.name) ?? entry.status;
    const changes: Transition[] = transitions(before, status);
    entry.status = status;
    entry.told = status;
    this.#publish(entry);
    for (const { type, message } of changes) {
      this.#tools.board.event(type, { application: entry.name, revision: status.sync.revision, message, ...(actor && { actor }) });
    }
  }

  #refused(entry: ApplicationEntry, error: HivekeepError, startedAt: string, actor: string): void {
    const { sync } = entry.status;
    const text = errorText(error);
    const lastSync = { revision: sync.revision, startedAt, finishedAt: this.#tools.now().toISOString(), succeeded: false, error: text };
    entry.status = { ...entry.status, sync: { ...sync, lastSync } };
    this.#tools.board.event('sync-failed', { application: entry.name, revision: sync.revision, message: text, ...(actor && { actor }) });
  }

  #failed(entry: ApplicationEntry, error: HivekeepError, cause: unknown, release = onlyRelease(entry.status)): void {
    this.#tools.logger.warn('a pass failed', { application: entry.name, release, failures: entry.failures, error: cause });
    entry.status = {
      ...entry.status,
      working: false,
      ...problemOf(error),
      observedAt: this.#tools.now().toISOString(),
    };
    this.#publish(entry);
  }

  #publish(entry: ApplicationEntry): void {
    if (this.#tools.holds(entry)) this.#tools.board.application({ spec: entry.spec, status: entry.status });
  }
}

function problemOf(failure: HivekeepError | undefined): Pick<Status, 'error' | 'code'> {
  return failure ? { error: errorText(failure), code: failure.code } : {};
}
