import { HivekeepError } from '@hivekeep/contracts';
import { MAX_JSON_BYTES } from '../envelope.ts';
import { within } from '../waiting.ts';
import type { Wire, WireHeaders, WireMessage, WireRequest, WireRequestOptions, WireSubscription } from '../wire.ts';
import type { SubjectTable } from './subject-table.ts';

/** Calls within one process. Bodies are bytes as on NATS, so nothing is shared by reference, and nothing is delivered in the sender's stack. */
export class MemoryWire implements Wire {
  readonly maxBytes = MAX_JSON_BYTES;
  readonly #subjects: SubjectTable;
  readonly #open = new Set<() => void>();
  readonly #closed = new AbortController();

  constructor(subjects: SubjectTable) {
    this.#subjects = subjects;
  }

  get connected(): boolean {
    return !this.#closed.signal.aborted;
  }

  async request(subject: string, headers: WireHeaders, body: Uint8Array, options: WireRequestOptions): Promise<WireMessage> {
    const { signal: given, timeoutMs } = options;
    if (!this.connected) throw closedError();
    const [deliver] = this.#subjects.receivers(subject);
    if (!deliver) throw new HivekeepError('bus/no-answer', `nobody answers ${subject}`);
    const replied = new Promise<WireMessage>((resolve) => {
      const respond = (replyHeaders: WireHeaders, replyBody: Uint8Array) =>
        void setImmediate(() => resolve({ subject, headers: replyHeaders, body: replyBody }));
      setImmediate(() => deliver({ subject, headers, body, respond }));
    });
    const signal = given ? AbortSignal.any([given, this.#closed.signal]) : this.#closed.signal;
    return within(replied, {
      ms: timeoutMs,
      signal,
      late: () => new HivekeepError('bus/timeout', `${subject}: no answer in ${timeoutMs} ms`),
    });
  }

  async subscribe(subject: string, queue: string, deliver: (request: WireRequest) => void): Promise<WireSubscription> {
    if (!this.connected) throw closedError();
    const end = this.#subjects.add(subject, queue, deliver);
    this.#open.add(end);
    return {
      close: async () => {
        this.#open.delete(end);
        end();
      },
    };
  }

  close(): void {
    this.#closed.abort(closedError());
    for (const end of this.#open) end();
    this.#open.clear();
  }
}

function closedError(): HivekeepError {
  return new HivekeepError('bus/unavailable', 'the connection to the bus is closed');
}
