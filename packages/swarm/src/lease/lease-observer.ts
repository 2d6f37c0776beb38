import type { LeaseRecord } from './lease-record.ts';
import type { OtherController } from './standby-decision.ts';

/** Whether the controller behind a lease is alive, as far as this process has seen. */
export type Liveness = 'living' | 'dead' | 'undecided';

interface Sighting {
  readonly firstVersion: number;
  readonly version: number;
  /** Monotonic milliseconds at which this version was first seen. */
  readonly since: number;
  readonly vacant: boolean;
}

/**
 * Watches leases by their version indexes on this process's own monotonic clock; no time of another machine is compared.
 * Pure but for its memory: the time is an argument.
 */
export class LeaseObserver {
  readonly #ttlMs: number;
  readonly #seen = new Map<string, Sighting>();

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** Takes in what a list answered at `now`. */
  note(leases: readonly LeaseRecord[], now: number): void {
    const ids = new Set(leases.map((lease) => lease.id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    for (const lease of leases) {
      const before = this.#seen.get(lease.id);
      const moved = before?.version !== lease.version;
      this.#seen.set(lease.id, {
        firstVersion: before?.firstVersion ?? lease.version,
        version: lease.version,
        since: before && !moved ? before.since : now,
        vacant: lease.holder === '',
      });
    }
  }

  /** `living`: its index moved within the lease time; `dead`: unmoved for that long, or vacant for `vacantMs`; else not known yet. */
  liveness(id: string, now: number, vacantMs = 0): Liveness {
    const sighting = this.#seen.get(id);
    if (!sighting) return 'undecided';
    if (now - sighting.since >= (sighting.vacant ? vacantMs : this.#ttlMs)) return 'dead';
    if (sighting.vacant) return 'undecided';
    return sighting.version === sighting.firstVersion ? 'undecided' : 'living';
  }

  /** The controllers of the other leases, and whether they live. */
  others(ownId: string, leases: readonly LeaseRecord[], now: number): OtherController[] {
    const others = leases.filter((lease) => lease.id !== ownId);
    return others.map((lease) => ({ ...lease.binding, liveness: this.liveness(lease.id, now) }));
  }

  /** Starts anew, so that nothing seen before a pause of this process counts. */
  forget(): void {
    this.#seen.clear();
  }
}
