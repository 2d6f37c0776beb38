import type { Labels, ServiceSpec } from '@hivekeep/compose';

/** The swarm as one look saw it. Times are milliseconds since the epoch. Filled by `packages/swarm`. */
export interface SwarmSnapshot {
  readonly takenAt: number;
  readonly services: readonly LiveService[];
  readonly networks: readonly LiveNetwork[];
  readonly configs: readonly LiveObject[];
  readonly secrets: readonly LiveObject[];
  readonly nodes: readonly LiveNode[];
  readonly tasks: readonly LiveTask[];
}

export interface LiveService {
  readonly id: string;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly spec: ServiceSpec;
  readonly previousSpec?: ServiceSpec;
  readonly updateStatus?: { readonly state: string; readonly message: string; readonly startedAt?: number; readonly completedAt?: number };
  /** Of a job: the iteration that runs or ran last. */
  readonly jobIteration?: number;
}

export interface LiveNetwork {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly scope: string;
  readonly attachable: boolean;
  readonly internal: boolean;
  readonly ingress: boolean;
  readonly labels: Labels;
  readonly options: Record<string, string>;
  readonly createdAt: number;
}

/** A config or secret without its data. */
export interface LiveObject {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly labels: Labels;
  readonly createdAt: number;
  /** sha256 of a config's data, hex, where it is known; never of a secret. */
  readonly dataHash?: string;
  readonly size?: number;
  readonly templating?: string;
  readonly driver?: string;
}

export interface LiveNode {
  readonly id: string;
  readonly hostname: string;
  readonly role: 'manager' | 'worker';
  readonly availability: 'active' | 'pause' | 'drain';
  readonly state: 'ready' | 'down' | 'unknown' | 'disconnected';
  readonly address: string;
  readonly labels: Labels;
  readonly engineLabels: Labels;
  readonly platform: { readonly os: string; readonly architecture: string };
  readonly engineVersion: string;
}

export interface LiveTask {
  readonly id: string;
  readonly serviceId: string;
  readonly slot: number;
  readonly nodeId: string;
  readonly desiredState: string;
  readonly state: string;
  readonly message: string;
  readonly error: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly specVersion?: number;
  readonly jobIteration?: number;
  /** The task's own spec, where the reader needs generations told apart. */
  readonly spec?: ServiceSpec['TaskTemplate'];
}
