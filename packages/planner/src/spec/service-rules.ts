import type { Driver, PortConfig, RestartPolicy, ServiceMode, ServiceSpec, TaskSpec, UpdateConfig } from '@hivekeep/compose';
import { BOOKKEEPING_LABELS } from '../labels.ts';
import type { Rule } from './container-rules.ts';
import { sameAttachments } from './reference-equality.ts';
import { sameMap, sameSet, sameValue } from './value-equality.ts';

function bothAbsent(desired: unknown, live: unknown): boolean {
  return (desired ?? null) === null && (live ?? null) === null;
}

function sameRestartPolicy(desired: RestartPolicy | null | undefined, live: RestartPolicy | null | undefined): boolean {
  if (!desired || !live) return bothAbsent(desired, live);
  return (
    (desired.Condition || 'any') === (live.Condition || 'any') &&
    (desired.Delay ?? null) === (live.Delay ?? null) &&
    sameValue(desired.MaxAttempts, live.MaxAttempts) &&
    (desired.Window ?? null) === (live.Window ?? null)
  );
}

function sameUpdateConfig(desired: UpdateConfig | null | undefined, live: UpdateConfig | null | undefined): boolean {
  if (!desired || !live) return bothAbsent(desired, live);
  return (
    sameValue(desired.Parallelism, live.Parallelism) &&
    sameValue(desired.Delay, live.Delay) &&
    (desired.FailureAction || 'pause') === (live.FailureAction || 'pause') &&
    sameValue(desired.Monitor, live.Monitor) &&
    Math.fround(desired.MaxFailureRatio ?? 0) === Math.fround(live.MaxFailureRatio ?? 0) &&
    (desired.Order || 'stop-first') === (live.Order || 'stop-first')
  );
}

function sameDriver(desired: Driver | null | undefined, live: Driver | null | undefined): boolean {
  if (!desired || !live) return bothAbsent(desired, live);
  return sameValue(desired.Name, live.Name) && sameMap(desired.Options, live.Options);
}

/** One text per mode with its counts as the daemon defaults them: 1, and completions as many as run at once. */
function modeText(mode: ServiceMode): string {
  if (mode.Global) return 'global';
  if (mode.GlobalJob) return 'global-job';
  if (mode.ReplicatedJob) {
    const concurrent = mode.ReplicatedJob.MaxConcurrent ?? 1;
    return `replicated-job ${concurrent} ${mode.ReplicatedJob.TotalCompletions ?? concurrent}`;
  }
  return `replicated ${mode.Replicated?.Replicas ?? 1}`;
}

/** The daemon keeps three protocols, in lower case; whatever else is written becomes tcp. */
export function portProtocol({ Protocol }: PortConfig): string {
  const lower = Protocol?.toLowerCase() ?? '';
  return lower === 'udp' || lower === 'sctp' ? lower : 'tcp';
}

/** Host, or else ingress, whatever is written. */
export function portMode({ PublishMode }: PortConfig): string {
  return PublishMode?.toLowerCase() === 'host' ? 'host' : 'ingress';
}

function portText(port: PortConfig): string {
  const { Name, TargetPort, PublishedPort } = port;
  return `${Name ?? ''} ${TargetPort ?? 0} ${PublishedPort ?? 0} ${portProtocol(port)} ${portMode(port)}`;
}

function portTexts(spec: ServiceSpec): string[] {
  return (spec.EndpointSpec?.Ports ?? []).map(portText);
}

/** `Kind=Value` of each generic resource, named or discrete. */
export function genericResourceTexts(template: TaskSpec): string[] {
  return (template.Resources?.Reservations?.GenericResources ?? []).flatMap((resource) =>
    Object.values(resource).map((entry) => {
      const parts = new Map<string, unknown>(Object.entries(entry ?? {}));
      return `${String(parts.get('Kind'))}=${String(parts.get('Value'))}`;
    }),
  );
}

function preferences(template: TaskSpec): (string | undefined)[] {
  return (template.Placement?.Preferences ?? []).map((preference) => preference.Spread?.SpreadDescriptor);
}

/** Every field of a task template beside its container. `ForceUpdate` is copied from the live spec; `Platforms` is the daemon's. */
export const TEMPLATE_RULES: readonly Rule<TaskSpec>[] = [
  ['resources.limits', (desired, live) => sameValue(desired.Resources?.Limits, live.Resources?.Limits)],
  [
    'resources.reservations',
    ({ Resources: want }, { Resources: have }) =>
      sameValue(want?.Reservations?.NanoCPUs, have?.Reservations?.NanoCPUs) &&
      sameValue(want?.Reservations?.MemoryBytes, have?.Reservations?.MemoryBytes),
  ],
  ['resources.genericResources', (desired, live) => sameSet(genericResourceTexts(desired), genericResourceTexts(live))],
  ['restartPolicy', (desired, live) => sameRestartPolicy(desired.RestartPolicy, live.RestartPolicy)],
  ['placement.constraints', (desired, live) => sameSet(desired.Placement?.Constraints, live.Placement?.Constraints)],
  ['placement.preferences', (desired, live) => sameValue(preferences(desired), preferences(live))],
  ['placement.maxReplicas', (desired, live) => sameValue(desired.Placement?.MaxReplicas, live.Placement?.MaxReplicas)],
  ['networks', (desired, live, names) => sameAttachments(desired.Networks, live.Networks, names)],
  ['logDriver', (desired, live) => sameDriver(desired.LogDriver, live.LogDriver)],
  ['runtime', (desired, live) => (desired.Runtime || 'container') === (live.Runtime || 'container')],
];

/** Fields outside the task template whose change replaces tasks all the same: swarmkit compares the endpoint with the running task's. */
export const ENDPOINT_RULES: readonly Rule<ServiceSpec>[] = [
  ['endpointMode', (desired, live) => (desired.EndpointSpec?.Mode || 'vip') === (live.EndpointSpec?.Mode || 'vip')],
  ['ports', (desired, live) => sameSet(portTexts(desired), portTexts(live))],
];

/** Fields of the service object alone: no task restarts for them. */
export const SERVICE_RULES: readonly Rule<ServiceSpec>[] = [
  ['labels', (desired, live) => sameMap(desired.Labels, live.Labels, BOOKKEEPING_LABELS)],
  ['mode', (desired, live) => modeText(desired.Mode) === modeText(live.Mode)],
  ['updateConfig', (desired, live) => sameUpdateConfig(desired.UpdateConfig, live.UpdateConfig)],
  ['rollbackConfig', (desired, live) => sameUpdateConfig(desired.RollbackConfig, live.RollbackConfig)],
];
