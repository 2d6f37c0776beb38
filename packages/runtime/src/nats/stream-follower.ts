import { HivekeepError } from '@hivekeep/contracts';
import type { StoredMsg } from '@nats-io/jetstream';
import type { Logger } from '../logger.ts';
import { within } from '../waiting.ts';
import type { NatsStream, StreamPosition } from './nats-stream.ts';

export interface FollowerHandlers {
  /** The stream is another one than before: everything known of the old one is void. Reading goes on at its first message. */
  replaced(position: StreamPosition): void;
  /** Messages of the present stream, in order. `expected` is the sequence the first would have if none was trimmed. */
  messages(messages: readonly StoredMsg[], expected: number, position: StreamPosition): void;
  /** Everything stored so far was delivered. */
  caughtUp(): void;
}

const BATCH = 256;
const IDLE_MS = 2_000;
/** A hint may come before its message can be read: look again after these pauses. */
const RETRIES_MS = [5, 10, 20, 40, 80, 160, 320];

/**
 * Reads a stream by sequence and keeps up. A consumer of the server is not used: one that outlives its stream hears
 * nothing, without an error. Here messages on the stream's subjects are only hints to look, as is time passing, and every
 * batch is delivered only if the stream is still the one it was asked of.
 */
export class StreamFollower {
  readonly #stream: NatsStream;
  readonly #handlers: FollowerHandlers;
  readonly #logger: Logger;
  #at: StreamPosition;
  #next: number;
  #closed = false;
  /** Hints heard, less messages read: what may not be readable yet. */
  #owed = 0;
  #retry = 0;
  #wake: () => void = () => undefined;
  #done: Promise<void> = Promise.resolve();

  /** Starts behind `next - 1` in the stream that `at` names. */
  constructor(stream: NatsStream, at: StreamPosition, next: number, handlers: FollowerHandlers, logger: Logger) {
    this.#stream = stream;
    this.#at = at;
    this.#next = next;
    this.#handlers = handlers;
    this.#logger = logger;
  }

  start(): void {
    const { connection } = this.#stream.link;
    const hint = () => {
      this.#owed += 1;
      this.#retry = 0;
      this.#wake();
    };
    const subscription = connection.subscribe(this.#stream.filter, { callback: hint });
    const endReconnect = this.#stream.link.onReconnect(hint);
    this.#done = this.#follow().finally(() => {
      endReconnect();
      if (!connection.isClosed()) subscription.unsubscribe();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#done;
  }

  async #follow(): Promise<void> {
    while (!this.#closed && !this.#stream.link.connection.isClosed()) {
      const moved = await this.#step().catch((error: unknown) => {
        this.#logger.debug('stream not read', { stream: this.#stream.name, error });
        return false;
      });
      if (!moved) await this.#pause();
    }
  }

  /** Delivers one batch, or `caughtUp`. True when there may be more. */
  async #step(): Promise<boolean> {
    const from = this.#next;
    const batch: StoredMsg[] = [];
    for (let next = from; batch.length < BATCH; ) {
      const message = await this.#stream.next(next);
      if (!message) break;
      batch.push(message);
      next = message.seq + 1;
    }
    const now = await this.#stream.position();
    if (this.#closed) return false;
    if (now.id !== this.#at.id || now.last < from - 1) {
      this.#at = now;
      this.#next = 1;
      this.#handlers.replaced(now);
      return true;
    }
    const newest = batch.at(-1);
    if (!newest) {
      this.#handlers.caughtUp();
      return false;
    }
    this.#next = newest.seq + 1;
    this.#owed = Math.max(0, this.#owed - batch.length);
    this.#handlers.messages(batch, from, now);
    return true;
  }

  async #pause(): Promise<void> {
    const retry = this.#owed > 0 ? RETRIES_MS[this.#retry] : undefined;
    if (retry === undefined) this.#owed = 0;
    this.#retry = retry === undefined ? 0 : this.#retry + 1;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const late = () => new HivekeepError('bus/timeout', 'time to look again');
    await within(woken, { ms: retry ?? IDLE_MS, late }).catch(() => undefined);
  }
}
