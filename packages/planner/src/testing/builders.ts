import type { ContainerSpec, ServiceSpec, TaskSpec } from '@hivekeep/compose';
import { IMAGE_LABEL, STACK_LABEL } from '../labels.ts';
import type { LiveNode, LiveService, LiveTask, SwarmSnapshot } from '../live.ts';

/** Builders of this package's tests: each gives a plain value with what a case does not mention filled in. */
export const NOW = 1_000_000_000;

export function spec(name: string, container: ContainerSpec = {}, rest: Partial<ServiceSpec> & { template?: TaskSpec } = {}): ServiceSpec {
  const { template, ...service } = rest;
  return {
    Name: name,
    Labels: { [STACK_LABEL]: name.split('_')[0] ?? name, [IMAGE_LABEL]: 'app:1' },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'vip' },
    ...service,
    TaskTemplate: { ...template, ContainerSpec: { Image: 'app:1', ...container } },
  };
}

export function liveService(wanted: ServiceSpec, rest: Partial<LiveService> = {}): LiveService {
  return { id: `id-${wanted.Name}`, version: 10, createdAt: NOW - 1e6, updatedAt: NOW - 1e6, spec: wanted, ...rest };
}

export function node(id: string, rest: Partial<LiveNode> = {}): LiveNode {
  return {
    id,
    hostname: id,
    role: 'worker',
    availability: 'active',
    state: 'ready',
    address: '10.0.0.1',
    labels: {},
    engineLabels: {},
    platform: { os: 'linux', architecture: 'x86_64' },
    engineVersion: '20.10.24',
    ...rest,
  };
}

export function task(service: LiveService, rest: Partial<LiveTask> = {}): LiveTask {
  return {
    id: 't1',
    serviceId: service.id,
    slot: 1,
    nodeId: 'n1',
    desiredState: 'running',
    state: 'running',
    message: 'started',
    error: '',
    createdAt: NOW - 60_000,
    updatedAt: NOW - 60_000,
    spec: service.spec.TaskTemplate,
    ...rest,
  };
}

export function snapshot(parts: Partial<SwarmSnapshot> = {}): SwarmSnapshot {
  return { takenAt: NOW, services: [], networks: [], configs: [], secrets: [], nodes: [node('n1')], tasks: [], ...parts };
}
