import { randomUUID } from 'node:crypto';
import { labels } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import { type NodeBackend, type RemoveVolumeRequest, type StackVolumes, TICKET_MS } from '../seams/node-reach.ts';

export interface DockerNodeBackendOptions {
  /** The node's own daemon. */
  readonly daemon: DockerSwarm;
  readonly nodeId: string;
  readonly monotonicNow?: () => number;
  readonly ticketMs?: number;
}

interface Ticket {
  readonly stack: string;
  readonly epoch: number;
  /** Monotonic milliseconds. */
  readonly expiresAt: number;
}

const MAX_TICKETS = 1_000;

/**
 * One node's volumes over its own daemon. A list hands out a ticket that lasts on this process's monotonic clock alone and dies
 * with it; a removal is checked against ticket and epoch before each call to the daemon.
 */
export class DockerNodeBackend implements NodeBackend {
  readonly #daemon: DockerSwarm;
  readonly #nodeId: string;
  readonly #now: () => number;
  readonly #ticketMs: number;
  readonly #tickets = new Map<string, Ticket>();
  #highestEpoch = 0;

  constructor(options: DockerNodeBackendOptions) {
    this.#daemon = options.daemon;
    this.#nodeId = options.nodeId;
    this.#now = options.monotonicNow ?? (() => performance.now());
    this.#ticketMs = options.ticketMs ?? TICKET_MS;
  }

  async stackVolumes({ stack, epoch, signal }: { stack: string; epoch: number; signal?: AbortSignal }): Promise<StackVolumes> {
    this.#checkEpoch(epoch);
    const volumes = await this.#daemon.listVolumes({ label: `${labels.stack}=${stack}`, signal });
    this.#checkEpoch(epoch);
    return { nodeId: this.#nodeId, ticket: this.#issue(stack, epoch), validMs: this.#ticketMs, volumes };
  }

  async removeVolume(request: RemoveVolumeRequest): Promise<{ removed: boolean }> {
    const { stack, volume, signal } = request;
    this.#checkTicket(request);
    const labelled = await this.#daemon.listVolumes({ name: volume, label: `${labels.stack}=${stack}`, signal });
    if (!labelled.some(({ name }) => name === volume)) return { removed: false };
    this.#checkTicket(request);
    return { removed: await this.#daemon.removeVolume(volume, { signal }) };
  }

  #issue(stack: string, epoch: number): string {
    const now = this.#now();
    for (const [id, { expiresAt }] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(id);
    if (this.#tickets.size >= MAX_TICKETS)
      throw new HivekeepError('node/ticket', `node ${this.#nodeId} has ${MAX_TICKETS} tickets out; ask again when some have ended`);
    const id = randomUUID();
    this.#tickets.set(id, { stack, epoch, expiresAt: now + this.#ticketMs });
    return id;
  }

  #checkEpoch(epoch: number): void {
    if (epoch < this.#highestEpoch)
      throw new HivekeepError(
        'node/stale-epoch',
        `node ${this.#nodeId} has seen epoch ${this.#highestEpoch}; a reconciler of epoch ${epoch} is deposed`,
      );
    this.#highestEpoch = epoch;
  }

  #checkTicket({ ticket, stack, epoch }: RemoveVolumeRequest): void {
    this.#checkEpoch(epoch);
    const issued = this.#tickets.get(ticket);
    const valid = issued && issued.stack === stack && issued.epoch === epoch && this.#now() < issued.expiresAt;
    if (!valid)
      throw new HivekeepError(
        'node/ticket',
        `node ${this.#nodeId} knows no valid ticket for ${stack}; list its volumes again and look at the evidence anew`,
      );
  }
}
