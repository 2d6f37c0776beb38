import type { ServiceSpec } from '@hivekeep/compose';
import type { Drift, ReleaseDrift, ResourceDrift, ServiceDrift } from '@hivekeep/contracts';
import type { LiveService } from '../live.ts';
import type { SnapshotIndex } from '../snapshot-index.ts';
import { apiMinor } from '../spec/api-level.ts';
import { type DriftContext, fieldDrift } from './service-drift.ts';

/** Fields told per service; the rest is counted. */
const MAX_FIELDS = 20;
const ROLLED_BACK: ReadonlySet<string> = new Set(['rollback_started', 'rollback_paused', 'rollback_completed']);

export interface ReleaseDriftContext extends DriftContext {
  /** Scoped names of undeclared services proved ours, which the next sync removes. */
  readonly orphanedServices?: ReadonlySet<string>;
  /** Networks, configs and secrets proved ours and declared no more. */
  readonly orphanedResources?: readonly ResourceDrift[];
}

/** What comparing releases with one snapshot needs; made once for all of them. */
export function driftContext(index: SnapshotIndex, apiVersion: string): DriftContext {
  const configNames = new Map(index.snapshot.configs.map((config) => [config.id, config.name]));
  return { minor: apiMinor(apiVersion), configNames, networkNames: index.networkNames };
}

function compareService(desired: ServiceSpec, live: LiveService, context: DriftContext): ServiceDrift | undefined {
  const all = fieldDrift(desired, live.spec, context);
  if (all.length === 0) return undefined;
  const rolledBack = live.updateStatus !== undefined && ROLLED_BACK.has(live.updateStatus.state);
  return {
    name: desired.Name,
    reason: rolledBack ? 'rolled-back' : 'modified',
    fields: all.slice(0, MAX_FIELDS),
    ...(all.length > MAX_FIELDS && { truncated: all.length - MAX_FIELDS }),
    ...(rolledBack && { message: live.updateStatus.message }),
  };
}

/**
 * How the services under a release's stack label differ from those it declares, for a release the plan calls unchanged. The reasons:
 * modified, missing, unexpected (under the label, not declared), and rolled-back (they differ, and the daemon undid the last update).
 */
export function compareDrift(desired: readonly ServiceSpec[], live: readonly LiveService[], context: ReleaseDriftContext): ReleaseDrift {
  const byName = new Map(live.map((service) => [service.spec.Name, service]));
  const declared = new Set(desired.map((service) => service.Name));
  const services: ServiceDrift[] = desired.flatMap((wanted) => {
    const found = byName.get(wanted.Name);
    if (!found) return [{ name: wanted.Name, reason: 'missing' as const, fields: [] }];
    const drift = compareService(wanted, found, context);
    return drift ? [drift] : [];
  });
  for (const { spec } of live) {
    if (declared.has(spec.Name)) continue;
    const orphaned = context.orphanedServices?.has(spec.Name) ?? false;
    services.push({ name: spec.Name, reason: 'unexpected', fields: [], ...(orphaned && { orphaned }) });
  }
  services.sort((a, b) => (a.name < b.name ? -1 : 1));
  const resources = [...(context.orphanedResources ?? [])];
  return { state: services.length + resources.length > 0 ? 'detected' : 'none', services, resources };
}

/** The drift of a release that could not be compared; orphans that are known all the same still count. */
export function unknownDrift(message: string, resources: readonly ResourceDrift[] = []): ReleaseDrift {
  return { state: resources.length > 0 ? 'detected' : 'unknown', services: [], resources: [...resources], message };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function detectedMessage(release: string, drift: ReleaseDrift): string {
  const parts = [
    ...(drift.services.length > 0 ? [`${counted(drift.services.length, 'service')} changed`] : []),
    ...(drift.resources.length > 0 ? [`${counted(drift.resources.length, 'resource')} declared no more`] : []),
  ];
  return `${release}: ${parts.join(', ')}`;
}

/** Rolls up releases by name: detected before unknown before none. Null when no release was compared. */
export function rollupDrift(releases: ReadonlyMap<string, ReleaseDrift>): Drift | null {
  const entries = [...releases];
  if (entries.length === 0) return null;
  const detected = entries.filter(([, drift]) => drift.state === 'detected');
  const [first] = detected;
  if (!first) {
    const unknown = entries.find(([, drift]) => drift.state === 'unknown');
    return unknown
      ? { state: 'unknown', services: 0, message: `${unknown[0]}: ${unknown[1].message ?? 'not compared'}` }
      : { state: 'none', services: 0 };
  }
  const services = detected.reduce((sum, [, drift]) => sum + drift.services.length, 0);
  const resources = detected.reduce((sum, [, drift]) => sum + drift.resources.length, 0);
  return { state: 'detected', services, ...(resources > 0 && { resources }), message: detectedMessage(...first) };
}

/**
 * Whether a redeploy may put this right: something is modified or missing, and nothing was rolled back, which vetoes the whole release.
 * An unexpected service alone is never redeployed, since that removes nothing.
 */
export function isCorrectable(drift: ReleaseDrift): boolean {
  if (drift.state !== 'detected' || drift.services.some(({ reason }) => reason === 'rolled-back')) return false;
  return drift.services.some(({ reason }) => reason === 'modified' || reason === 'missing');
}

/** Scoped names of services that run exactly what is declared: a rollback the daemon remembers of them is over. */
export function servicesAsDeclared(desired: readonly ServiceSpec[], drift: ReleaseDrift): Set<string> {
  if (drift.state === 'unknown') return new Set();
  const differing = new Set(drift.services.map(({ name }) => name));
  return new Set(desired.map((service) => service.Name).filter((name) => !differing.has(name)));
}
