import type { ServiceSpec } from '@hivekeep/compose';
import type { Drift, Hold, ReleaseDrift, ReleaseStatus, Status, SyncResult } from '@hivekeep/contracts';
import { apiMinor, applicationHealth, compareDrift, releaseHealth, rollupDrift, servicesAsDeclared, unknownDrift } from '@hivekeep/planner';
import { type Backend, capabilitiesOf, hasCapability } from '@hivekeep/swarm';
import { recordedRelease } from '../rollback/recorded-release.ts';
import { rolledBackRecord } from '../rollback/rollback-hold.ts';
import type { World } from '../world.ts';
import type { ApplicationPlan, PlannedRelease } from './application-plan.ts';

export interface Observation {
  readonly plan: ApplicationPlan;
  /** The look to judge by; it may be newer than the plan's. */
  readonly world: World;
  readonly lastSync: SyncResult | undefined;
  readonly hold: Hold | undefined;
  readonly apiVersion: string;
  /** Its optional abilities are looked for here: a missing one costs its one feature. */
  readonly backend: Backend;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What an application's status says after a look: sync from the plan, health and drift from the swarm. Pure. */
export function observeApplication(input: Observation): Status {
  const releases = input.plan.releases.map((release) => observeRelease(release, input));
  const drift = applicationDrift(input, releases);
  const count = (action: string): number => releases.filter((release) => release.action === action).length;
  const drifted = releases.filter((release) => release.drift?.state === 'detected').length;
  const [install, upgrade, unchanged] = [count('install'), count('upgrade'), count('unchanged')];
  const { provenance, warnings } = input.plan.built;
  const missing = capabilitiesOf(input.backend).flatMap(({ name, costs }) => (costs === undefined ? [] : [{ capability: name, costs }]));
  return {
    sync: {
      state: install + upgrade + drifted > 0 ? 'out-of-sync' : 'synced',
      revision: provenance.commit,
      summary: { install, upgrade, unchanged, ...(drifted > 0 && { drifted }) },
      ...(input.lastSync && { lastSync: input.lastSync }),
    },
    health: applicationHealth(releases.map((release) => release.health)),
    ...(drift && { drift }),
    releases,
    observedAt: new Date(input.now).toISOString(),
    ...(input.hold && { hold: input.hold }),
    ...(warnings.length + planWarnings(input.plan).length > 0 && { warnings: [...warnings, ...planWarnings(input.plan)] }),
    provenance,
    ...(missing.length > 0 && { missingCapabilities: missing }),
  };
}

function observeRelease(release: PlannedRelease, input: Observation): ReleaseStatus {
  const { artifact, plan } = release;
  const { backend, world } = input;
  const records = world.records.get(artifact.name) ?? [];
  const rolledBack = rolledBackRecord(artifact.name, input.hold, world);
  // what runs is judged by what it was rolled back to; sync goes on telling how Git differs from that
  const { services: declared } = (rolledBack ? recordedRelease(rolledBack) : release).objects;
  const settled = rolledBack !== undefined || plan.action === 'unchanged';
  const drift = settled ? releaseDrift(artifact.name, declared, input) : undefined;
  const runsDeclared = drift ? servicesAsDeclared(declared, drift) : new Set<string>();
  const { health, services } = releaseHealth(
    plan.action === 'install' && !rolledBack
      ? { kind: 'not-installed' }
      : !hasCapability(backend, 'StackServicesReader')
        ? { kind: 'unread', reason: "the swarm's backend cannot read a stack's services" }
        : {
            kind: 'read',
            stack: artifact.name,
            services: backend.stackServices({ look: world.index, stack: artifact.name }),
            declared: declared.map((service) => service.Name),
            context: { index: world.index, now: input.now, lastSyncFailed: input.lastSync?.succeeded === false, runsDeclared },
          },
  );
  return {
    name: artifact.name,
    chart: artifact.chart.ref,
    version: artifact.chart.version,
    revision: records[0]?.record.revision ?? 0,
    action: plan.action,
    sync: plan.action !== 'unchanged' || drift?.state === 'detected' ? 'out-of-sync' : 'synced',
    health,
    services: [...services],
    ...(artifact.wave !== 0 && { wave: artifact.wave }),
    ...(drift && { drift }),
    ...(plan.reasons.length > 0 && { reasons: [...plan.reasons] }),
  };
}

/** Compared only where asked for, and only for what is deployed and not about to be written. */
function releaseDrift(release: string, declared: readonly ServiceSpec[], input: Observation): ReleaseDrift | undefined {
  if (input.plan.spec.driftDetection !== 'live') return undefined;
  const { backend, world } = input;
  if (!hasCapability(backend, 'LiveDrift')) return unknownDrift("the swarm's backend cannot read live services");
  const look = world.index;
  const live = backend.liveServices({ look, stack: release });
  return compareDrift(declared, live, {
    networkNames: hasCapability(backend, 'NetworkNamer') ? backend.networkNames({ look }) : undefined,
    configNames: look.configNames,
    minor: apiMinor(input.apiVersion),
  });
}

function applicationDrift(input: Observation, releases: readonly ReleaseStatus[]): Drift | undefined {
  if (input.plan.spec.driftDetection !== 'live') return undefined;
  return rollupDrift(new Map(releases.flatMap((release) => (release.drift ? [[release.name, release.drift] as const] : [])))) ?? undefined;
}

function planWarnings(plan: ApplicationPlan): { rule: string; message: string }[] {
  return plan.releases.flatMap((release) => release.plan.warnings.map((message) => ({ rule: 'plan', message })));
}
