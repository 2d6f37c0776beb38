import type { ConfigSpec, Labels, SecretSpec, ServiceSpec } from '@hivekeep/compose';

/** What the Engine API (1.41 to 1.51) answers, as far as it is read here. Times are RFC 3339 with nanoseconds. */
interface Versioned {
  readonly ID: string;
  readonly Version: { readonly Index: number };
  readonly CreatedAt: string;
  readonly UpdatedAt: string;
}

export interface EngineService extends Versioned {
  readonly Spec: ServiceSpec;
  readonly PreviousSpec?: ServiceSpec | null;
  readonly UpdateStatus?: {
    readonly State?: string;
    readonly Message?: string;
    readonly StartedAt?: string;
    readonly CompletedAt?: string;
  } | null;
  readonly JobStatus?: { readonly JobIteration?: { readonly Index?: number } | null } | null;
}

export interface EngineConfig extends Versioned {
  readonly Spec: ConfigSpec;
}

export interface EngineSecret extends Versioned {
  readonly Spec: SecretSpec;
}

export interface EngineNetwork {
  readonly Id: string;
  readonly Name: string;
  readonly Created: string;
  readonly Scope: string;
  readonly Driver: string;
  readonly Internal?: boolean;
  readonly Attachable?: boolean;
  readonly Ingress?: boolean;
  readonly Options?: Record<string, string> | null;
  readonly Labels?: Labels | null;
}

export interface EngineNode extends Versioned {
  readonly Spec: { readonly Role?: string; readonly Availability?: string; readonly Labels?: Labels | null };
  readonly Description?: {
    readonly Hostname?: string;
    readonly Platform?: { readonly Architecture?: string; readonly OS?: string };
    readonly Engine?: { readonly EngineVersion?: string; readonly Labels?: Labels | null };
  };
  readonly Status?: { readonly State?: string; readonly Addr?: string };
}

export interface EngineTask extends Versioned {
  readonly ServiceID?: string;
  readonly Slot?: number;
  readonly NodeID?: string;
  readonly DesiredState?: string;
  readonly Spec?: ServiceSpec['TaskTemplate'];
  readonly Status?: { readonly State?: string; readonly Message?: string; readonly Err?: string };
  readonly JobIteration?: { readonly Index?: number } | null;
}

export interface EngineInfo {
  readonly ServerVersion?: string;
  readonly Swarm?: {
    readonly NodeID?: string;
    readonly LocalNodeState?: string;
    readonly ControlAvailable?: boolean;
    readonly Error?: string;
    readonly Nodes?: number;
    readonly Managers?: number;
  };
}

export interface EngineVolume {
  readonly Name: string;
  readonly Labels?: Labels | null;
}

export interface EngineEvent {
  readonly Type?: string;
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Record<string, string> };
  readonly scope?: string;
  readonly timeNano?: number;
}
