import type { ServiceSpec, TaskSpec } from '@hivekeep/compose';
import type { FieldDrift } from '@hivekeep/contracts';
import { modeName } from '../health/service-tasks.ts';
import { BOOKKEEPING_LABELS } from '../labels.ts';
import { genericResourceTexts, portMode, portProtocol } from '../spec/service-rules.ts';
import { type ContainerDriftContext, compareContainer, compareProcess, STACK_LABELS } from './container-drift.ts';
import { compareLogDriver, compareRestartPolicy, compareUpdateConfig, FieldTable, mapOf, modeCounts } from './field-table.ts';

export interface DriftContext extends ContainerDriftContext {
  /** Network id to name, of every network of the swarm; absent when they could not be listed: attachments are then not compared. */
  readonly networkNames: ReadonlyMap<string, string> | undefined;
}

const SKIPPED_LABELS: ReadonlySet<string> = new Set([...STACK_LABELS, ...BOOKKEEPING_LABELS]);

function compareMode(table: FieldTable, desired: ServiceSpec, live: ServiceSpec): void {
  const [want, have] = [modeName(desired.Mode), modeName(live.Mode)];
  table.text('mode', want, have);
  if (want !== have) return;
  const [wanted, found] = [modeCounts(desired), modeCounts(live)];
  if (want === 'replicated') table.number('replicas', wanted.replicas, found.replicas);
  if (want !== 'replicated-job') return;
  table.number('maxConcurrent', wanted.maxConcurrent, found.maxConcurrent);
  table.number('totalCompletions', wanted.totalCompletions, found.totalCompletions);
}

function compareResources(table: FieldTable, { Resources: desired }: TaskSpec, { Resources: live }: TaskSpec): void {
  table.number('resources.limits.nanoCPUs', desired?.Limits?.NanoCPUs, live?.Limits?.NanoCPUs);
  table.number('resources.limits.memoryBytes', desired?.Limits?.MemoryBytes, live?.Limits?.MemoryBytes);
  table.number('resources.limits.pids', desired?.Limits?.Pids, live?.Limits?.Pids);
  table.number('resources.reservations.nanoCPUs', desired?.Reservations?.NanoCPUs, live?.Reservations?.NanoCPUs);
  table.number('resources.reservations.memoryBytes', desired?.Reservations?.MemoryBytes, live?.Reservations?.MemoryBytes);
}

function ports(spec: ServiceSpec): Map<string, string> {
  return new Map(
    (spec.EndpointSpec?.Ports ?? []).map((port) => [
      `${port.PublishedPort || 'dynamic'}:${port.TargetPort ?? 0}/${portProtocol(port)}/${portMode(port)}`,
      'set',
    ]),
  );
}

/** Not compared when an id has no name, or either side uses the deprecated list of the service itself. */
function compareNetworks(table: FieldTable, desired: ServiceSpec, live: ServiceSpec, names: ReadonlyMap<string, string> | undefined): void {
  if (!names || desired.Networks?.length || live.Networks?.length) return;
  const attached = live.TaskTemplate.Networks ?? [];
  const found = attached.flatMap((attachment) => names.get(attachment.Target) ?? []);
  if (found.length < attached.length) return;
  const wanted = (desired.TaskTemplate.Networks ?? []).map((attachment) => names.get(attachment.Target) ?? attachment.Target);
  table.set('networks', wanted, found);
}

function spreads(template: TaskSpec): string[] {
  return (template.Placement?.Preferences ?? []).flatMap((preference) => (preference.Spread ? [preference.Spread.SpreadDescriptor] : []));
}

/**
 * Fields in which a live service differs from the declared one: those that `docker service update` can change, in a fixed order, both
 * sides in the daemon's terms. Values of environment variables never stand in it. Fields the daemon is too old to keep are left out.
 */
export function fieldDrift(desired: ServiceSpec, live: ServiceSpec, context: DriftContext): FieldDrift[] {
  const table = new FieldTable();
  const [want, have] = [desired.TaskTemplate, live.TaskTemplate];
  const [container, liveContainer] = [want.ContainerSpec ?? {}, have.ContainerSpec ?? {}];
  compareMode(table, desired, live);
  compareProcess(table, container, liveContainer);
  compareResources(table, want, have);
  table.set('resources.reservations.genericResources', genericResourceTexts(want), genericResourceTexts(have));
  table.set('constraints', want.Placement?.Constraints, have.Placement?.Constraints);
  table.keyed('labels', mapOf(desired.Labels, SKIPPED_LABELS), mapOf(live.Labels, SKIPPED_LABELS));
  table.keyed('ports', ports(desired), ports(live), 'absent');
  table.text('endpointMode', desired.EndpointSpec?.Mode || 'vip', live.EndpointSpec?.Mode || 'vip');
  compareNetworks(table, desired, live, context.networkNames);
  compareContainer(table, container, liveContainer, context);
  compareUpdateConfig(table, 'updateConfig', desired.UpdateConfig, live.UpdateConfig);
  compareUpdateConfig(table, 'rollbackConfig', desired.RollbackConfig, live.RollbackConfig);
  compareRestartPolicy(table, want.RestartPolicy, have.RestartPolicy);
  table.list('placement.preferences', spreads(want), spreads(have), ', ');
  table.number('placement.maxReplicas', want.Placement?.MaxReplicas, have.Placement?.MaxReplicas);
  compareLogDriver(table, want.LogDriver, have.LogDriver);
  return table.fields;
}
