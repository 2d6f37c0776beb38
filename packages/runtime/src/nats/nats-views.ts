import type { StoredMsg } from '@nats-io/jetstream';
import type { EventSubscription, ViewChange, Views } from '../bus.ts';
import { decodeBody, encodeBody } from '../envelope.ts';
import type { Logger } from '../logger.ts';
import { decodeKey, encodeKey, isDeletion, keySubject, removeKey } from './kv-bucket.ts';
import type { NatsStream } from './nats-stream.ts';
import { StreamFollower } from './stream-follower.ts';

/** Views as a NATS key-value bucket. */
export class NatsViews implements Views {
  readonly #bucket: NatsStream;
  readonly #logger: Logger;
  readonly #maxBytes: () => number;

  constructor(bucket: NatsStream, maxBytes: () => number, logger: Logger) {
    this.#bucket = bucket;
    this.#maxBytes = maxBytes;
    this.#logger = logger;
  }

  async put(key: string, value: unknown): Promise<void> {
    await this.#bucket.publish(keySubject(this.#bucket, encodeKey(key)), encodeBody(value, this.#maxBytes(), `view ${key}`));
  }

  async remove(key: string): Promise<void> {
    await removeKey(this.#bucket, encodeKey(key));
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
    const message = await this.#bucket.newest(keySubject(this.#bucket, encodeKey(key)));
    return message && !isDeletion(message) ? decodeBody(message.data) : undefined;
  }

  async keys(swarm: string): Promise<string[]> {
    const subjects = await this.#bucket.subjects(keySubject(this.#bucket, `${swarm}.>`));
    return subjects.map((subject) => decodeKey(this.#bucket, subject));
  }

  async storeId(): Promise<string> {
    return (await this.#bucket.position()).id;
  }

  #deliver(message: StoredMsg, known: Set<string>, deliver: (change: ViewChange) => void): void {
    const key = decodeKey(this.#bucket, message.subject);
    if (!isDeletion(message)) {
      known.add(key);
      deliver({ key, value: decodeBody(message.data) });
    } else if (known.delete(key)) deliver({ key, value: undefined });
  }
}
