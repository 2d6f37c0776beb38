import { owningApplication } from '@hivekeep/application';
import { type DiffResponse, type History, HivekeepError } from '@hivekeep/contracts';
import { diffText } from '@hivekeep/planner';
import type { Registrations } from '../registrations.ts';
import type { SwarmEngine } from '../swarm-engine.ts';
import type { ApplicationEntry } from '../work/application-entry.ts';
import type { KeptRecord } from '../world.ts';

/** What people read of one application: what a sync would change, and what was deployed. */
export class Reports {
  readonly #registrations: Registrations;
  readonly #engine: Pick<SwarmEngine, 'history'>;
  readonly #controllerId: string;

  constructor(registrations: Registrations, engine: Pick<SwarmEngine, 'history'>, controllerId: string) {
    this.#registrations = registrations;
    this.#engine = engine;
    this.#controllerId = controllerId;
  }

  /** From the last plan; `planned: false` before the first. Throws `application/unknown`. */
  diff(application: string): DiffResponse {
    const { plan } = this.#entry(application);
    if (!plan) return { planned: false, releases: [] };
    const changed = plan.releases.filter((release) => release.plan.action !== 'unchanged');
    if (changed.length === 0) return { planned: true, releases: null };
    return {
      planned: true,
      releases: changed.map(({ artifact, plan: release }) => {
        const before = plan.world.records.get(artifact.name)?.[0]?.record.manifest ?? '';
        return { release: artifact.name, action: release.action, diff: diffText(release, before, artifact.manifest) };
      }),
    };
  }

  /** From the swarm, newest first; a release that was never deployed has no revisions. Throws `application/unknown`, `swarm/*`. */
  async history(application: string): Promise<History> {
    const entry = this.#entry(application);
    const history = await this.#engine.history();
    const releases = new Set([
      ...(entry.plan?.releases.map((release) => release.artifact.name) ?? []),
      ...this.#owned(history, application),
    ]);
    return { releases: [...releases].sort().map((name) => ({ name, revisions: (history.get(name) ?? []).map(revision) })) };
  }

  #owned(history: ReadonlyMap<string, readonly KeptRecord[]>, application: string): string[] {
    return [...history]
      .filter(([name, [newest]]) => owningApplication(newest?.record.owner, name, this.#controllerId) === application)
      .map(([name]) => name);
  }

  #entry(application: string): ApplicationEntry {
    const entry = this.#registrations.get(application);
    if (!entry)
      throw new HivekeepError(
        'application/unknown',
        `no application '${application}' in the set of this swarm; 'hivekeep app list' shows what there is`,
      );
    return entry;
  }
}

function revision({ record }: KeptRecord, index: number): History['releases'][number]['revisions'][number] {
  return {
    revision: record.revision,
    chart: record.chart.name,
    version: record.chart.version,
    status: index > 0 && record.status === 'deployed' ? 'superseded' : record.status,
    created: record.created,
    owner: record.owner ?? '',
    ...(record.commit !== undefined && { commit: record.commit }),
  };
}
