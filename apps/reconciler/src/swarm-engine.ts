import type { Spec } from '@hivekeep/contracts';
import type { Departure, StampedRelease } from '@hivekeep/planner';
import type { Backend, Engine, Registry } from '@hivekeep/swarm';
import { type ApplyPlanTools, applyPlan } from './apply/apply-plan.ts';
import { type ApplicationPlan, type Built, type PlanContext, planApplication } from './passes/application-plan.ts';
import { reconcilerMetrics } from './reconciler-metrics.ts';
import { type SweepOutcome, sweepRelease } from './sweep/sweep-release.ts';
import type { SweepConnections, SweepPermit } from './sweep/sweep-turn.ts';
import type { KeptRecord, World } from './world.ts';

export interface SwarmEngineTools extends ApplyPlanTools, Omit<SweepConnections, 'backend' | 'looks'> {
  readonly registry: Registry;
  /** Reads what guards depend on. Throws `swarm/*` where it can't be read: then nothing is planned. */
  planContext(): Promise<Omit<PlanContext, 'backend'>>;
}

/** What an application declares, and what was built of it. */
export interface WantedApplication {
  readonly spec: Spec;
  readonly built: Built;
}

/** A release that left, and what allows its removal. */
export interface DepartedRelease extends SweepPermit {
  readonly stamped: StampedRelease;
  readonly departure: Departure;
  /** Applications that nobody has seen yet and that may declare it. */
  readonly undecided: readonly string[];
}

/** Plans, applies and removes releases on the swarm of one term, over the backend of each application's destination. */
export class SwarmEngine implements Engine<WantedApplication, ApplicationPlan, KeptRecord, DepartedRelease, SweepOutcome> {
  readonly #tools: SwarmEngineTools;
  #context: Omit<PlanContext, 'backend'> | undefined;

  constructor(tools: SwarmEngineTools) {
    this.#tools = tools;
  }

  /** Throws `swarm/unknown` where no backend serves the destination. */
  backendOf({ destination }: Spec): Backend {
    return this.#tools.registry.backend({ swarm: destination.swarm ?? '' });
  }

  async planApply({ spec, built }: WantedApplication): Promise<ApplicationPlan> {
    const backend = this.backendOf(spec);
    const [context, world] = await Promise.all([this.#tools.planContext(), this.#tools.looks.fresh()]);
    this.#context = context;
    reconcilerMetrics.plans.inc();
    return planApplication(spec, built, world, { ...context, backend });
  }

  /** The same declaration and build by a later look, with the guards as they were read last; undefined before the first plan. */
  planAgain({ spec, built }: ApplicationPlan, world: World): ApplicationPlan | undefined {
    const now = this.#tools.now().getTime();
    return this.#context && planApplication(spec, built, world, { ...this.#context, now, backend: this.backendOf(spec) });
  }

  /** Throws as `applyPlan` does. */
  apply({
    plan,
    mayBegin,
    signal,
  }: {
    plan: ApplicationPlan;
    mayBegin: () => boolean | Promise<boolean>;
    signal: AbortSignal;
  }): Promise<boolean> {
    return applyPlan(this.#tools, this.backendOf(plan.spec), plan, signal, mayBegin);
  }

  async history(): Promise<ReadonlyMap<string, readonly KeptRecord[]>> {
    return (await this.#tools.looks.fresh()).records;
  }

  /** Throws what a step throws; the mark on the swarm says where the next call goes on. */
  uninstall({ stamped, departure, undecided, signal, ...permit }: DepartedRelease & { signal: AbortSignal }): Promise<SweepOutcome> {
    const backend = this.#tools.registry.backend({ swarm: this.#tools.swarm });
    return sweepRelease({ ...this.#tools, ...permit, backend }, stamped, { departure, undecided }, signal);
  }
}
