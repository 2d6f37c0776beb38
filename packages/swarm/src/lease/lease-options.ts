import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { LeaseBinding } from './lease-record.ts';

export type LeasePhase = 'standby' | 'active' | 'lost' | 'refused';

/** Milliseconds. The defaults are the protocol's; tests shorten them in proportion. */
export interface LeaseTimes {
  readonly renewEveryMs: number;
  readonly ttlMs: number;
  readonly callTimeoutMs: number;
  /** How often a standby looks, and how soon a failed renewal is tried again. */
  readonly pollMs: number;
  /** How old a process is no longer young. */
  readonly youngMs: number;
  /** How long one that is not young leaves a lease that was let go to others: in an update it is replaced next, and would let go again. */
  readonly yieldMs: number;
}

export interface SwarmLeaseOptions {
  readonly swarm: DockerSwarm;
  readonly name: string;
  readonly binding: LeaseBinding;
  /** Takes a lease whose binding differs. */
  readonly takeOver?: boolean;
  readonly times?: Partial<LeaseTimes>;
  /** Milliseconds that grow while this process is stopped (CLOCK_MONOTONIC, as `performance.now`). */
  readonly monotonicNow?: () => number;
}

export const DEFAULT_LEASE_TIMES: LeaseTimes = {
  renewEveryMs: 5_000,
  ttlMs: 15_000,
  callTimeoutMs: 3_000,
  pollMs: 1_000,
  youngMs: 60_000,
  yieldMs: 3_000,
};
