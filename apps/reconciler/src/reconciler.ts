import { randomUUID } from 'node:crypto';
import { HivekeepError } from '@hivekeep/contracts';
import type { SwarmLease } from '@hivekeep/swarm';
import type { Board } from './board.ts';
import { reconcilerMetrics } from './reconciler-metrics.ts';
import { Term } from './term.ts';
import type { TermParts } from './term-parts.ts';

/** How long a freeze waits for writes that were sent before it, in milliseconds. */
const SETTLE_MS = 15_000;

/** Follows the lease: a term while it is held, nothing while it is not. */
export class Reconciler {
  readonly #parts: TermParts;
  readonly #lease: SwarmLease;
  readonly #board: Board;
  #term: Term | undefined;
  #epoch = 0;
  #turn: Promise<void> = Promise.resolve();
  #failure: unknown;
  readonly #serve: (on: boolean) => Promise<void>;

  constructor(parts: TermParts, serve: (on: boolean) => Promise<void>) {
    this.#parts = parts;
    this.#lease = parts.lease;
    this.#board = parts.board;
    this.#serve = serve;
  }

  /** The running term. Throws `lease/held` while another process is the active one. */
  term(): Term {
    if (this.#term && this.#lease.state === 'active') return this.#term;
    throw new HivekeepError('lease/held', 'this reconciler is not the active one of its swarm; ask again in a few seconds');
  }

  /** Throws when the term does not do its work; a standby has none to do. */
  assertRunning(): void {
    if (this.#failure !== undefined) throw HivekeepError.from(this.#failure);
    this.#term?.assertRunning();
  }

  /** Called at each change of the lease: ends a term that is over, begins one that has begun. */
  follow(): void {
    const epoch = this.#lease.state === 'active' ? this.#lease.epoch : 0;
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    const ended = this.#term;
    this.#term = undefined;
    this.#board.forget(); // also when this process is stopping, and its term has ended already
    this.#turn = this.#turn.then(() => this.#change(ended, epoch)).catch((error: unknown) => this.#failed(error));
  }

  async close(): Promise<void> {
    await this.#turn;
    const ended = this.#term;
    this.#term = undefined;
    await ended?.stop(new HivekeepError('cancelled', 'the reconciler is stopping'));
  }

  /** Resolves when nothing is written any more: what was under way has ended, and what an agent did not answer can't be carried out. */
  async freeze(actor: string, reason: string): Promise<{ frozen: boolean }> {
    const term = this.term();
    const id = randomUUID();
    await term.daemon.gate.keep((state) => ({ ...state, freeze: { id, by: actor, at: this.#parts.now().toISOString(), reason } }));
    if (!(await term.daemon.quiet(SETTLE_MS)))
      throw new HivekeepError('swarm/conflict', 'the swarm is frozen, but a write sent before has not ended yet; ask again');
    await term.daemon.gate.keep((state) => ({ ...state, freezeAck: id }));
    await term.tell();
    this.#board.event('frozen', { actor, ...(reason && { message: reason }) });
    return { frozen: true };
  }

  async unfreeze(actor: string): Promise<{ frozen: boolean }> {
    const term = this.term();
    await term.daemon.gate.keep(({ freeze: _, freezeAck: __, ...state }) => state);
    await term.tell();
    this.#board.event('unfrozen', { actor });
    term.reload();
    return { frozen: false };
  }

  /** Only a new process brings back what a change of terms could not do; health says so until then. */
  #failed(error: unknown): void {
    this.#failure = error;
    this.#parts.logger.error('a change of terms failed', { error });
  }

  async #change(ended: Term | undefined, epoch: number): Promise<void> {
    if (ended) {
      await this.#serve(false);
      await ended.stop(new HivekeepError('lease/deposed', 'the lease was lost'));
      this.#board.event('lease-lost', { message: this.#lease.error?.message ?? 'the lease was lost' });
    }
    if (epoch === 0 || epoch !== this.#epoch) return;
    const term = new Term(this.#parts);
    reconcilerMetrics.leaseTaken.inc();
    this.#term = term;
    this.#board.begin();
    term.start();
    await this.#serve(true);
    this.#board.event('lease-taken', { message: `active with epoch ${epoch}` });
  }
}
