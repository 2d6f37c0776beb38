import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** How long a client that lags may take to receive what was queued before it is cut, in ms. */
const LAST_FLUSH_MS = 5_000;

export interface EventStreamOptions {
  readonly response: ServerResponse;
  /** Most unsent bytes. */
  readonly maxBytes: number;
  /** Decides at delivery whether the client may still have an event; undefined asks whether it may have anything. */
  readonly admit: (application: string | undefined) => Promise<boolean>;
  /** Called once, when the bound is passed. */
  readonly onLag: () => void;
}

/**
 * One client's event stream. What it can't take in time is queued up to a bound; over it nothing more is taken, what was
 * queued is sent, and the connection ends: the client resumes after the last id it has, so that no event is skipped in silence.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #maxBytes: number;
  readonly #admit: EventStreamOptions['admit'];
  readonly #onLag: () => void;
  readonly #queue: { frame: string; application: string | undefined }[] = [];
  #queuedBytes = 0;
  #ending = false;
  /** Nothing is written before `open`. */
  #pumping = true;

  constructor({ response, maxBytes, admit, onLag }: EventStreamOptions) {
    this.#response = response;
    this.#maxBytes = maxBytes;
    this.#admit = admit;
    this.#onLag = onLag;
  }

  /** Sends what is queued from now on; the response's head must be written. */
  open(): void {
    void this.#pump();
  }

  /** Queues a frame; `application` is what its admission is asked for. */
  push(frame: string, application?: string): void {
    if (this.#ending) return;
    this.#queuedBytes += Buffer.byteLength(frame);
    this.#queue.push({ frame, application });
    if (this.#queuedBytes > this.#maxBytes) {
      this.#onLag();
      this.end();
    }
    if (!this.#pumping) void this.#pump();
  }

  /** Takes no more, sends what is queued, ends; a client that does not take that either is cut. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    setTimeout(() => this.#response.destroy(), LAST_FLUSH_MS).unref();
    if (!this.#pumping) void this.#pump();
  }

  /** Ends now, at a shutdown or when the client may have nothing any more. */
  cut(): void {
    this.#ending = true;
    this.#queue.length = 0;
    this.#response.end();
    setTimeout(() => this.#response.destroy(), 500).unref();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        if (this.#response.destroyed) return;
        const admitted = await this.#admit(next.application);
        if (!admitted && next.application === undefined) return this.cut();
        if (admitted && !this.#response.write(next.frame)) await this.#drained();
        this.#queuedBytes -= Buffer.byteLength(next.frame);
      }
      if (this.#ending) this.#response.end();
    } catch {
      this.#response.destroy();
    } finally {
      this.#pumping = false;
    }
  }

  /** Ends with the connection: a destroyed response emits `close`, and nothing is left to write then. */
  async #drained(): Promise<void> {
    if (this.#response.destroyed) return;
    const done = new AbortController();
    try {
      await Promise.race([once(this.#response, 'drain', { signal: done.signal }), once(this.#response, 'close', { signal: done.signal })]);
    } finally {
      done.abort();
    }
  }
}
