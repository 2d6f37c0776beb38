import { createHash } from 'node:crypto';
import type { LiveNetwork, LiveNode, LiveObject, LiveService, LiveTask } from '@hivekeep/planner';
import type { EngineConfig, EngineNetwork, EngineNode, EngineSecret, EngineService, EngineTask } from './engine-answers.ts';

/** Milliseconds since the epoch; 0 for none and for Go's zero time. */
function millis(time: string | undefined): number {
  const at = time ? Date.parse(time) : 0;
  return Number.isFinite(at) && at > 0 ? at : 0;
}

export function liveService(service: EngineService): LiveService {
  const status = service.UpdateStatus;
  const iteration = service.JobStatus?.JobIteration?.Index;
  return {
    id: service.ID,
    version: service.Version.Index,
    createdAt: millis(service.CreatedAt),
    updatedAt: millis(service.UpdatedAt),
    spec: service.Spec,
    ...(service.PreviousSpec && { previousSpec: service.PreviousSpec }),
    ...(status?.State && {
      updateStatus: {
        state: status.State,
        message: status.Message ?? '',
        ...(status.StartedAt && { startedAt: millis(status.StartedAt) }),
        ...(status.CompletedAt && { completedAt: millis(status.CompletedAt) }),
      },
    }),
    ...(iteration !== undefined && { jobIteration: iteration }),
  };
}

export function liveNetwork(network: EngineNetwork): LiveNetwork {
  return {
    id: network.Id,
    name: network.Name,
    driver: network.Driver,
    scope: network.Scope,
    attachable: network.Attachable ?? false,
    internal: network.Internal ?? false,
    ingress: network.Ingress ?? false,
    labels: network.Labels ?? {},
    options: network.Options ?? {},
    createdAt: millis(network.Created),
  };
}

/** A config without its data: the data's sha256 and size stay. */
export function liveConfig(config: EngineConfig): LiveObject {
  const data = Buffer.from(config.Spec.Data ?? '', 'base64');
  return {
    ...liveObject(config),
    dataHash: createHash('sha256').update(data).digest('hex'),
    size: data.length,
    ...(config.Spec.Templating?.Name && { templating: config.Spec.Templating.Name }),
  };
}

export function liveSecret(secret: EngineSecret): LiveObject {
  return {
    ...liveObject(secret),
    ...(secret.Spec.Templating?.Name && { templating: secret.Spec.Templating.Name }),
    ...(secret.Spec.Driver?.Name && { driver: secret.Spec.Driver.Name }),
  };
}

function liveObject(object: EngineConfig | EngineSecret): LiveObject {
  return {
    id: object.ID,
    name: object.Spec.Name,
    version: object.Version.Index,
    labels: object.Spec.Labels ?? {},
    createdAt: millis(object.CreatedAt),
  };
}

/** A word the daemon may add later reads as the cautious one of those we know. */
export function liveNode(node: EngineNode): LiveNode {
  return {
    id: node.ID,
    hostname: node.Description?.Hostname ?? '',
    role: node.Spec.Role === 'manager' ? 'manager' : 'worker',
    availability: oneOf(node.Spec.Availability, ['active', 'pause', 'drain'], 'active'),
    state: oneOf(node.Status?.State, ['ready', 'down', 'unknown', 'disconnected'], 'unknown'),
    address: node.Status?.Addr ?? '',
    labels: node.Spec.Labels ?? {},
    engineLabels: node.Description?.Engine?.Labels ?? {},
    platform: { os: node.Description?.Platform?.OS ?? '', architecture: node.Description?.Platform?.Architecture ?? '' },
    engineVersion: node.Description?.Engine?.EngineVersion ?? '',
  };
}

export function liveTask(task: EngineTask): LiveTask {
  const iteration = task.JobIteration?.Index;
  return {
    id: task.ID,
    serviceId: task.ServiceID ?? '',
    slot: task.Slot ?? 0,
    nodeId: task.NodeID ?? '',
    desiredState: task.DesiredState ?? '',
    state: task.Status?.State ?? '',
    message: task.Status?.Message ?? '',
    error: task.Status?.Err ?? '',
    createdAt: millis(task.CreatedAt),
    updatedAt: millis(task.UpdatedAt),
    ...(iteration !== undefined && { jobIteration: iteration }),
    ...(task.Spec && { spec: task.Spec }),
  };
}

function oneOf<const T extends string>(word: string | undefined, known: readonly T[], otherwise: NoInfer<T>): T {
  return known.find((member) => member === word) ?? otherwise;
}
