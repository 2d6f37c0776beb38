import { randomUUID } from 'node:crypto';
import { HivekeepError } from '@hivekeep/contracts';

interface Ticket {
  readonly stack: string;
  readonly epoch: number;
  readonly volumes: ReadonlySet<string>;
  readonly expiresAt: number;
}

const MAX_TICKETS = 1_000;

/**
 * Permissions to remove what a list showed, each for a short time of a monotonic clock: wall clocks of nodes are apart.
 * Nothing is kept over a restart, so a removal asked for before it can't be done after it.
 */
export class TicketBook {
  readonly validMs: number;
  readonly #now: () => number;
  readonly #tickets = new Map<string, Ticket>();

  /** @param now - milliseconds of a monotonic clock */
  constructor(validMs: number, now: () => number) {
    this.validMs = validMs;
    this.#now = now;
  }

  /** A ticket for exactly these volumes of a stack. */
  issue(stack: string, epoch: number, volumes: readonly string[]): string {
    this.#forgetExpired();
    if (this.#tickets.size >= MAX_TICKETS)
      throw new HivekeepError('node/ticket', `expected fewer than ${MAX_TICKETS} tickets at a time; ask again in ${this.validMs} ms`);
    const ticket = randomUUID();
    this.#tickets.set(ticket, { stack, epoch, volumes: new Set(volumes), expiresAt: this.#now() + this.validMs });
    return ticket;
  }

  /** How many milliseconds are left for this removal. Throws `node/ticket` when it is not allowed, or no more. */
  check(id: string, { stack, epoch, volume }: { stack: string; epoch: number; volume: string }): number {
    const ticket = this.#tickets.get(id);
    const left = ticket ? ticket.expiresAt - this.#now() : 0;
    if (!ticket || left <= 0) throw refused(`expected a ticket of the last ${this.validMs} ms, found one that is unknown or has run out`);
    if (ticket.stack !== stack || ticket.epoch !== epoch)
      throw refused(`expected the ticket of stack ${stack} and epoch ${epoch}, found one of ${ticket.stack} and ${ticket.epoch}`);
    if (!ticket.volumes.has(volume)) throw refused(`expected a volume of the ticket's list, found ${volume}`);
    return left;
  }

  #forgetExpired(): void {
    const now = this.#now();
    for (const [id, { expiresAt }] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(id);
  }
}

function refused(what: string): HivekeepError {
  return new HivekeepError('node/ticket', `${what}; list the stack's volumes again`);
}
