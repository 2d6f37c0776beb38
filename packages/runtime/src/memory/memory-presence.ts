import type { Presence } from '@hivekeep/contracts';
import { announcePresence } from '../announce-presence.ts';
import type { PresenceBoard } from '../bus.ts';
import type { Logger } from '../logger.ts';

interface Entry {
  readonly json: string;
  readonly expiresAt: number;
}

/** Presence within one process; records expire by the monotonic clock. */
export class MemoryPresence {
  readonly #entries = new Map<string, Entry>();
  readonly #ttlMs: number;

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** The board as one connection sees it: its announcements end with it. */
  board(closed: AbortSignal, logger: Logger): PresenceBoard {
    const store = async (key: string, record: Presence | undefined) => {
      if (record) this.#entries.set(key, { json: JSON.stringify(record), expiresAt: performance.now() + this.#ttlMs });
      else this.#entries.delete(key);
    };
    return {
      announce: (record) => announcePresence({ record, store, everyMs: this.#ttlMs / 3, closed, logger }),
      list: async (swarm) => this.#list().filter((record) => swarm === undefined || record.swarm === swarm),
    };
  }

  /** Forgets everything, as a lost volume does. */
  lose(): void {
    this.#entries.clear();
  }

  #list(): Presence[] {
    const now = performance.now();
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.#entries.delete(key);
    return [...this.#entries.values()].map(({ json }) => JSON.parse(json) as Presence); // written by store
  }
}
