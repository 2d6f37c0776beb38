import type { Labels } from '@hivekeep/compose';
import type { LiveObject } from '@hivekeep/planner';
import type { CallOptions } from './engine-http.ts';

/** Filters of the Engine API: a label with or without a value, or a name (a prefix, for configs and secrets). */
export interface ListOptions extends CallOptions {
  readonly label?: string | undefined;
  readonly name?: string | undefined;
  readonly service?: string | undefined;
}

/** What a write of a service carries besides its spec. */
export interface ServiceWriteOptions extends CallOptions {
  /** Value of `X-Registry-Auth`; without one an update keeps the credentials the service has. */
  readonly registryAuth?: string | undefined;
  /** Ask the registry for the image's digest. */
  readonly queryRegistry?: boolean | undefined;
}

export interface Written {
  readonly id: string;
  readonly warnings: readonly string[];
}

export interface ListedConfig {
  readonly config: LiveObject;
  readonly data?: Buffer;
}

export interface LocalVolume {
  readonly name: string;
  readonly labels: Labels;
}

export interface DaemonInfo {
  readonly nodeId: string;
  /** `active`, `inactive`, `pending`, `locked` or `error`. */
  readonly state: string;
  readonly manager: boolean;
  /** The swarm's trouble in the daemon's words; empty when there is none. */
  readonly error: string;
  readonly engineVersion: string;
  /** How many nodes the swarm has; 0 when the daemon can't say. */
  readonly nodes: number;
}
