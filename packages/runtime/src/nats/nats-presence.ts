import { Presence } from '@hivekeep/contracts';
import { announcePresence } from '../announce-presence.ts';
import type { Announced, PresenceBoard } from '../bus.ts';
import { decodeBody, encodeBody } from '../envelope.ts';
import type { Logger } from '../logger.ts';
import { isDeletion, keySubject, removeKey } from './kv-bucket.ts';
import type { NatsStream } from './nats-stream.ts';

const MAX_RECORD_BYTES = 16 * 1024;
const READ_AT_ONCE = 32;

/** Presence as a key-value bucket whose messages all expire: a time to live per key is ignored by NATS before 2.11, without an error. */
export class NatsPresence implements PresenceBoard {
  readonly #bucket: NatsStream;
  readonly #ttlMs: number;
  readonly #closed: AbortSignal;
  readonly #logger: Logger;

  constructor(bucket: NatsStream, ttlMs: number, closed: AbortSignal, logger: Logger) {
    this.#bucket = bucket;
    this.#ttlMs = ttlMs;
    this.#closed = closed;
    this.#logger = logger;
  }

  /** Renews at once after a reconnect: a server that was away, or lost its store, knows nobody. */
  async announce(record: () => Presence): Promise<Announced> {
    const store = async (key: string, presence: Presence | undefined) => {
      if (presence) await this.#bucket.publish(keySubject(this.#bucket, key), encodeBody(presence, MAX_RECORD_BYTES, 'presence'));
      else await removeKey(this.#bucket, key);
    };
    const announced = await announcePresence({ record, store, everyMs: this.#ttlMs / 3, closed: this.#closed, logger: this.#logger });
    const endReconnect = this.#bucket.link.onReconnect(() => void announced.renew());
    const withdraw = async () => {
      endReconnect();
      await announced();
    };
    return Object.assign(withdraw, { renew: announced.renew });
  }

  /**
   * Key by key: whoever renews meanwhile would be missed in the order of the messages. Records that do not parse are of a newer version;
   * they are left out, not failed on.
   */
  async list(swarm?: string): Promise<Presence[]> {
    const bucket = this.#bucket;
    const subjects = await bucket.subjects(keySubject(bucket, swarm === undefined ? '>' : `${swarm}.>`));
    const newest = (subject: string) => (swarm === undefined ? bucket.newestOf(subject) : bucket.newest(subject));
    const records: Presence[] = [];
    for (let at = 0; at < subjects.length; at += READ_AT_ONCE) {
      for (const message of await Promise.all(subjects.slice(at, at + READ_AT_ONCE).map(newest))) {
        const record = message && !isDeletion(message) ? Presence.safeParse(decodeBody(message.data)) : undefined;
        if (record?.success) records.push(record.data);
      }
    }
    return records;
  }
}
