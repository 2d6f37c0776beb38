import type { AppSetStatus, Presence, SwarmView } from '@hivekeep/contracts';
import { capabilitiesOf } from '@hivekeep/swarm';
import type { Looks } from './looks.ts';
import { reconcilerMetrics } from './reconciler-metrics.ts';
import type { Registrations } from './registrations.ts';
import { swarmView } from './swarm-view.ts';
import type { AgentReach } from './sweep/agent-reach.ts';
import type { Sweeper } from './sweep/sweeper.ts';
import type { TermParts } from './term-parts.ts';

export interface SwarmReportTools extends Pick<TermParts, 'options' | 'version' | 'backend' | 'lease' | 'board' | 'now'> {
  readonly looks: Looks;
  readonly registrations: Registrations;
  readonly reach: AgentReach;
  readonly sweeper: Sweeper;
  appSet(): AppSetStatus;
}

/** What a term says of its swarm, in its view and in its metrics. */
export class SwarmReport {
  readonly #tools: SwarmReportTools;
  #agents: readonly Presence[] = [];
  #unread: string | undefined;

  constructor(tools: SwarmReportTools) {
    this.#tools = tools;
  }

  /** Why the swarm can't be read now; undefined: it can. */
  readable(why: string | undefined): void {
    this.#unread = why;
  }

  /** The swarm's view as it is now. */
  async view(): Promise<SwarmView> {
    const { options, reach, looks, appSet, registrations, backend, sweeper, now } = this.#tools;
    this.#agents = await reach.agents({ swarm: options.swarm }).catch(() => this.#agents);
    const view = swarmView({
      ...this.#tools,
      world: looks.last,
      unread: this.#unread,
      appSet: appSet(),
      toldBefore: this.#tools.board.toldBefore,
      applications: registrations.size,
      agents: this.#agents,
      capabilities: capabilitiesOf(backend),
      prune: sweeper.list(),
      now: now(),
    });
    this.#count(view);
    return view;
  }

  /** Puts the view. */
  async tell(): Promise<void> {
    await this.#tools.board.check();
    this.#tools.board.swarm(await this.view());
  }

  #count(view: SwarmView): void {
    const { applications, nodes, sweeps, recordBytes } = reconcilerMetrics;
    for (const each of [applications, nodes, sweeps]) each.reset();
    for (const { status } of this.#tools.registrations.all()) applications.inc({ sync: status.sync.state, health: status.health.state });
    for (const { covered, reason } of view.nodes) nodes.inc({ covered: String(covered), reason: reason ?? '' });
    for (const { state } of view.prune.items) sweeps.inc({ state });
    recordBytes.set(view.recordBytes);
  }
}
