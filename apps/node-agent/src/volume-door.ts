import { HivekeepError, type nodeAgentCalls, type ReplyOf, type RequestOf } from '@hivekeep/contracts';
import { within } from '@hivekeep/runtime';
import type { NodeBackend } from './ports.ts';
import { TicketBook } from './ticket-book.ts';

export interface VolumeDoorOptions {
  /** The node's id. */
  readonly node: string;
  readonly backend: NodeBackend;
  /** How long a ticket lasts, in milliseconds. */
  readonly ticketMs?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const TICKET_MS = 10_000;
const MAX_WAIT_MS = 60_000;

/**
 * The only way to a node's volumes. One daemon call at a time; each is made only if, at that moment, the caller still
 * waits, no higher epoch was seen, and (to remove) the ticket still holds. Source: the sweep protocol of the project.
 */
export class VolumeDoor {
  readonly #node: string;
  readonly #backend: NodeBackend;
  readonly #tickets: TicketBook;
  #highestEpoch = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ node, backend, ticketMs = TICKET_MS, now = () => performance.now() }: VolumeDoorOptions) {
    this.#node = node;
    this.#backend = backend;
    this.#tickets = new TicketBook(ticketMs, now);
  }

  /** Volumes of a stack with a ticket for them. Throws `node/stale-epoch` and what the daemon's door throws. */
  async stackVolumes(
    { stack, epoch }: RequestOf<typeof nodeAgentCalls.stackVolumes>,
    signal: AbortSignal,
  ): Promise<ReplyOf<typeof nodeAgentCalls.stackVolumes>> {
    this.#see(epoch);
    return this.#inTurn(signal, async () => {
      this.#see(epoch);
      const volumes = await this.#backend.stackVolumes(stack, signal);
      const names = volumes.map(({ name }) => name);
      return {
        node: this.#node,
        ticket: this.#tickets.issue(stack, epoch, names),
        validMs: this.#tickets.validMs,
        volumes: volumes.map(({ name, labels }) => ({ name, labels: { ...labels } })),
      };
    });
  }

  /** Removes one volume that the ticket's list showed. Throws `node/ticket`, `node/stale-epoch`, `swarm/in-use` and as above. */
  async removeVolume(
    { ticket, ...removal }: RequestOf<typeof nodeAgentCalls.removeVolume>,
    signal: AbortSignal,
  ): Promise<ReplyOf<typeof nodeAgentCalls.removeVolume>> {
    this.#see(removal.epoch);
    return this.#inTurn(signal, async () => {
      this.#see(removal.epoch);
      const leftMs = this.#tickets.check(ticket, removal);
      const expired = AbortSignal.timeout(Math.ceil(leftMs));
      const removing = this.#backend.removeVolume(removal.volume, AbortSignal.any([signal, expired]));
      return { removed: await removing.catch((error: unknown) => giveUp(error, expired, removal.volume)) };
    });
  }

  /** A lower epoch than one seen is that of a deposed reconciler. */
  #see(epoch: number): void {
    if (epoch < this.#highestEpoch)
      throw new HivekeepError(
        'node/stale-epoch',
        `expected epoch ${this.#highestEpoch} or higher, found ${epoch}: another reconciler took over`,
      );
    this.#highestEpoch = epoch;
  }

  /** Work behind a turn that does not come before the caller gives up is never begun. */
  async #inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      if (signal.aborted) throw new HivekeepError('cancelled', 'the caller gave up before its turn');
      return work();
    });
    this.#last = turn.catch(() => undefined);
    return within(turn, { ms: MAX_WAIT_MS, signal, late: () => new HivekeepError('swarm/timeout', `node ${this.#node} is busy`) });
  }
}

function giveUp(error: unknown, expired: AbortSignal, volume: string): never {
  if (!expired.aborted) throw error;
  throw new HivekeepError('node/ticket', `the ticket ran out while volume ${volume} was being removed; list again to see`, {
    cause: error,
  });
}
