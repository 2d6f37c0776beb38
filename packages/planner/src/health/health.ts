import type { Health, HealthState, ServiceStatus } from '@hivekeep/contracts';
import type { LiveService } from '../live.ts';
import type { SnapshotIndex } from '../snapshot-index.ts';
import { countTasks } from './service-tasks.ts';
import { judgeService } from './service-verdict.ts';

export interface HealthContext {
  readonly index: SnapshotIndex;
  readonly now: number;
  /** Whether the application's last sync failed: what still progresses is then degraded. */
  readonly lastSyncFailed: boolean;
  /** Scoped names of services that the live comparison found running what is declared: an old rollback is then history. */
  readonly runsDeclared: ReadonlySet<string>;
}

const RANK: Record<HealthState, number> = { degraded: 4, missing: 3, progressing: 2, unknown: 1, healthy: 0 };

function stateOf(phase: 'converged' | 'progressing' | 'wedged', lastSyncFailed: boolean): HealthState {
  if (phase === 'converged') return 'healthy';
  return phase === 'wedged' || lastSyncFailed ? 'degraded' : 'progressing';
}

/** Health of one live service. The daemon's update state stands in it verbatim whatever the verdict. */
export function serviceHealth(service: LiveService, context: HealthContext): ServiceStatus {
  const counts = countTasks(service, context.index);
  const { updateStatus, ...settled } = service;
  const overturned = updateStatus?.state === 'rollback_completed' && context.runsDeclared.has(service.spec.Name);
  const verdict = judgeService(overturned ? settled : service, counts, context.now);
  const failed = verdict.phase === 'progressing' && context.lastSyncFailed;
  const message = failed ? `${verdict.reason}; the last sync failed` : verdict.reason;
  return {
    name: service.spec.Name,
    mode: counts.mode,
    running: counts.running,
    desired: counts.desired,
    ...(counts.completed > 0 && { completed: counts.completed }),
    health: stateOf(verdict.phase, context.lastSyncFailed),
    updateState: updateStatus?.state ?? '',
    ...(message !== '' && { message }),
  };
}

/** What is known of a release: not installed, an unread swarm, or the services under its label and those it declares. */
export type ReleaseObservation =
  | { readonly kind: 'not-installed' }
  | { readonly kind: 'unread'; readonly reason: string }
  | {
      readonly kind: 'read';
      readonly stack: string;
      /** Under its label. */
      readonly services: readonly LiveService[];
      readonly declared: readonly string[];
      readonly context: HealthContext;
    };

export interface ReleaseHealth {
  readonly health: Health;
  readonly services: readonly ServiceStatus[];
}

function alone(state: HealthState, message: string): ReleaseHealth {
  return { health: { state, message, services: { healthy: 0, total: 0 } }, services: [] };
}

function missingService(name: string): ServiceStatus {
  return { name, mode: '', running: 0, desired: 0, health: 'missing', updateState: '', message: 'declared, not on the swarm' };
}

/** Health of a release: its worst service names the message. No service under its label is `missing`; an unread swarm is `unknown`. */
export function releaseHealth(observation: ReleaseObservation): ReleaseHealth {
  if (observation.kind === 'not-installed') return alone('missing', 'not installed');
  if (observation.kind === 'unread') return alone('unknown', observation.reason);
  const { stack, services: live, declared, context } = observation;
  if (live.length === 0) return alone('missing', `no services of the stack ${stack} on the swarm`);
  const found = new Set(live.map((service) => service.spec.Name));
  const services = [
    ...live.map((service) => serviceHealth(service, context)),
    ...declared.filter((name) => !found.has(name)).map(missingService),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
  const worst = services.reduce((worse, service) => (RANK[service.health] > RANK[worse.health] ? service : worse));
  const healthy = services.filter((service) => service.health === 'healthy').length;
  const message = worst.health === 'healthy' ? '' : `${worst.name}: ${worst.message ?? worst.health}`;
  return { health: { state: worst.health, message, services: { healthy, total: services.length } }, services };
}

/** Rolls releases up: the worst one names the message, counts are added; without a release nothing is known. */
export function applicationHealth(releases: readonly Health[]): Health {
  const [first, ...rest] = releases;
  if (!first) return { state: 'unknown', message: '', services: { healthy: 0, total: 0 } };
  const worst = rest.reduce((worse, health) => (RANK[health.state] > RANK[worse.state] ? health : worse), first);
  const sum = (pick: (health: Health) => number): number => releases.reduce((total, health) => total + pick(health), 0);
  return {
    state: worst.state,
    message: worst.message,
    services: { healthy: sum(({ services }) => services.healthy), total: sum(({ services }) => services.total) },
  };
}
