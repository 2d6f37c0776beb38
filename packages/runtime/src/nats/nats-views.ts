import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredMsg } from '@nats-io/jetstream';
import type { EventSubscription, ViewChange, Views } from '../bus.ts';
import { decodeBody, encodeBody } from '../envelope.ts';
import type { Logger } from '../logger.ts';
import { decodeKey, encodeKey, isDeletion, keySubject, removeKey } from './kv-bucket.ts';
import { type NatsStream, overtaken } from './nats-stream.ts';
import { StreamFollower } from './stream-follower.ts';

/** Tries to put a view while another's is in its place, and milliseconds between two of them where that one is still on its way. */
const TRIES = 10;
const AGAIN_MS = 50;

/**
 * Views as a NATS key-value bucket. Each put names the message it takes the place of: one that hung on its way (a connection of a node
 * that was cut off keeps what was sent) and arrives after another's is refused.
 */
export class NatsViews implements Views {
  readonly #bucket: NatsStream;
  readonly #logger: Logger;
  readonly #maxBytes: () => number;
  /** The newest message of each key, as far as it was put or read here. */
  readonly #newest = new Map<string, number>();

  constructor(bucket: NatsStream, maxBytes: () => number, logger: Logger) {
    this.#bucket = bucket;
    this.#maxBytes = maxBytes;
    this.#logger = logger;
  }

  async put(key: string, value: unknown, signal?: AbortSignal): Promise<void> {
    const body = encodeBody(value, this.#maxBytes(), `view ${key}`);
    await this.#replace(key, (over) => this.#bucket.publish(keySubject(this.#bucket, encodeKey(key)), body, { over }), signal);
  }

  async remove(key: string, signal?: AbortSignal): Promise<void> {
    await this.#replace(key, (over) => removeKey(this.#bucket, encodeKey(key), { over }), signal);
  }

  async watch(deliver: (change: ViewChange) => void, ready: () => void): Promise<EventSubscription> {
    const known = new Set<string>();
    let announceReady: (() => void) | undefined = ready;
    const follower = new StreamFollower(
      this.#bucket,
      await this.#bucket.position(),
      1,
      {
        replaced: () => {
          for (const key of known) deliver({ key, value: undefined });
          known.clear();
        },
        messages: (messages) => {
          for (const message of messages) this.#deliver(message, known, deliver);
        },
        caughtUp: () => {
          announceReady?.();
          announceReady = undefined;
        },
      },
      this.#logger,
    );
    follower.start();
    return follower;
  }

  async get(key: string): Promise<unknown> {
    const message = await this.#read(key);
    return message && !isDeletion(message) ? decodeBody(message.data) : undefined;
  }

  async keys(swarm: string): Promise<string[]> {
    const subjects = await this.#bucket.subjects(keySubject(this.#bucket, `${swarm}.>`));
    return subjects.map((subject) => decodeKey(this.#bucket, subject));
  }

  async storeId(): Promise<string> {
    return (await this.#bucket.position()).id;
  }

  /** What is not known to be there is taken for nothing at first: reading where there is no stream yet only times out. */
  async #replace(key: string, send: (over: number) => Promise<number>, signal?: AbortSignal): Promise<void> {
    for (let left = TRIES; ; left--) {
      signal?.throwIfAborted();
      try {
        this.#newest.set(key, await send(this.#newest.get(key) ?? 0));
        return;
      } catch (error) {
        const other = overtaken(error);
        if (!other || left === 1) throw error;
        if (other.by !== undefined) this.#newest.set(key, other.by);
        else await sleep(AGAIN_MS).then(() => this.#read(key));
      }
    }
  }

  async #read(key: string): Promise<StoredMsg | undefined> {
    const message = await this.#bucket.newest(keySubject(this.#bucket, encodeKey(key)));
    if (message) this.#newest.set(key, message.seq);
    return message;
  }

  #deliver(message: StoredMsg, known: Set<string>, deliver: (change: ViewChange) => void): void {
    const key = decodeKey(this.#bucket, message.subject);
    if (!isDeletion(message)) {
      known.add(key);
      deliver({ key, value: decodeBody(message.data) });
    } else if (known.delete(key)) deliver({ key, value: undefined });
  }
}
