import { HivekeepError } from '@hivekeep/contracts';
import type { ControllerState, SwarmLease } from '@hivekeep/swarm';
import { throwIfAborted } from '../work/lane.ts';

/** What stands before every write: the term is ours still, nobody froze the swarm, and the work was not cancelled. */
export class WriteGate {
  readonly #lease: SwarmLease;
  readonly epoch: number;

  /** For the term that runs now: a later one of the same process has a gate of its own. */
  constructor(lease: SwarmLease) {
    this.#lease = lease;
    this.epoch = lease.epoch;
  }

  /** Throws `lease/deposed`, `swarm/frozen` or `cancelled`. */
  check(signal: AbortSignal): void {
    throwIfAborted(signal);
    this.#lease.assertMayWrite();
    if (this.#lease.epoch !== this.epoch)
      throw new HivekeepError('lease/deposed', 'the term this work belongs to is over; it must not write');
  }

  /** Changes what is kept on the lease, frozen or not, as long as the term is ours. Throws `lease/deposed`, `state/too-large`, `swarm/*`. */
  async keep(change: (state: ControllerState) => ControllerState): Promise<void> {
    await this.#lease.update(change, { epoch: this.epoch });
  }

  /** Proves the lease with a write of its own, before what can't be undone. Throws `lease/deposed`, `swarm/frozen`, `swarm/*`. */
  async renew(signal: AbortSignal): Promise<void> {
    this.check(signal);
    await this.#lease.renewNow();
    this.check(signal);
  }
}
