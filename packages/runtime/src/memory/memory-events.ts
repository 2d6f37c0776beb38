import { randomUUID } from 'node:crypto';
import type { Event, StoredEvent } from '@hivekeep/contracts';
import type { EventLog, EventSubscription } from '../bus.ts';
import { eventId, parseEventId } from '../event-id.ts';

/** The event log of one process: the newest `limit` events, with the ids and resets of a stored log. */
export class MemoryEvents implements EventLog {
  #log = newLogId();
  #first = 1;
  #events: string[] = [];
  readonly #limit: number;
  readonly #subscribers = new Set<(stored: StoredEvent) => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async publish(event: Event): Promise<string> {
    const json = JSON.stringify(event);
    this.#events.push(json);
    if (this.#events.length > this.#limit) {
      this.#events.shift();
      this.#first += 1;
    }
    const id = eventId(this.#log, this.#last);
    for (const deliver of this.#subscribers) setImmediate(() => this.#subscribers.has(deliver) && deliver(stored(id, json)));
    return id;
  }

  async logId(): Promise<string> {
    return this.#log;
  }

  async subscribe(after: string | undefined, deliver: (stored: StoredEvent) => void): Promise<EventSubscription> {
    const backlog = after === undefined ? [] : this.#since(after);
    for (const missed of backlog) setImmediate(() => this.#subscribers.has(own) && deliver(missed));
    const own = (event: StoredEvent) => deliver(event);
    this.#subscribers.add(own);
    return { close: async () => void this.#subscribers.delete(own) };
  }

  /** Forgets everything, as a lost volume does. */
  lose(): void {
    this.#log = newLogId();
    this.#first = 1;
    this.#events = [];
    const reset: StoredEvent = { id: eventId(this.#log, 0), reset: 'the event log was made anew' };
    for (const deliver of this.#subscribers) setImmediate(() => deliver(reset));
  }

  get #last(): number {
    return this.#first + this.#events.length - 1;
  }

  #since(after: string): StoredEvent[] {
    const position = parseEventId(after);
    const known = position?.log === this.#log && position.sequence >= this.#first - 1 && position.sequence <= this.#last;
    const from = known ? position.sequence + 1 : this.#first;
    const events = this.#events.slice(from - this.#first).map((json, at) => stored(eventId(this.#log, from + at), json));
    if (known) return events;
    return [{ id: eventId(this.#log, this.#first - 1), reset: `${after} can't be replayed` }, ...events];
  }
}

function newLogId(): string {
  return randomUUID().slice(0, 8);
}

function stored(id: string, json: string): StoredEvent {
  return { id, event: JSON.parse(json) as Event }; // written by publish
}
