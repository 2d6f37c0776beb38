import { HivekeepError } from '@hivekeep/contracts';
import { type Msg, type MsgHdrs, headers as newHeaders, type Subscription } from '@nats-io/transport-node';
import type { Logger } from '../logger.ts';
import { within } from '../waiting.ts';
import type { Wire, WireHeaders, WireMessage, WireRequest, WireRequestOptions, WireSubscription } from '../wire.ts';
import { natsError } from './nats-errors.ts';
import type { NatsLink } from './nats-link.ts';

/** The server counts headers into its max_payload; ours are far below this. */
const HEADER_BYTES = 2_048;
const DRAIN_MS = 2_000;

/** Calls over NATS. */
export class NatsWire implements Wire {
  readonly #link: NatsLink;
  readonly #logger: Logger;

  constructor(link: NatsLink, logger: Logger) {
    this.#link = link;
    this.#logger = logger;
  }

  get maxBytes(): number {
    return (this.#link.connection.info?.max_payload ?? 1_048_576) - HEADER_BYTES;
  }

  get connected(): boolean {
    return this.#link.connected;
  }

  async request(subject: string, headers: WireHeaders, body: Uint8Array, { timeoutMs, signal }: WireRequestOptions): Promise<WireMessage> {
    return this.#link.run(subject, async () => {
      const reply = this.#link.connection.request(subject, body, { timeout: timeoutMs, headers: toNats(headers) });
      const late = () => new HivekeepError('bus/timeout', `${subject}: no answer in ${timeoutMs} ms`);
      return fromNats(await within(reply, { ms: timeoutMs, signal, late }));
    });
  }

  async subscribe(subject: string, queue: string, deliver: (request: WireRequest) => void): Promise<WireSubscription> {
    const { connection } = this.#link;
    const subscription = connection.subscribe(subject, {
      queue,
      callback: (error, message) => {
        if (error) this.#logger.error('subscription failed', { subject, error: natsError(error, subject) });
        else deliver({ ...fromNats(message), respond: (headers, body) => this.#respond(message, headers, body) });
      },
    });
    if (this.connected) await this.#link.run(`subscribe ${subject}`, () => connection.flush());
    return { close: () => this.#drain(subscription) };
  }

  #respond(message: Msg, headers: WireHeaders, body: Uint8Array): void {
    try {
      message.respond(body, { headers: toNats(headers) });
    } catch (thrown) {
      this.#logger.warn('reply not sent', { subject: message.subject, error: natsError(thrown, 'reply') });
    }
  }

  /** Without a connection there is nothing to wait for: the server has dropped the subscription itself. */
  async #drain(subscription: Subscription): Promise<void> {
    if (subscription.isClosed()) return;
    if (!this.connected) return subscription.unsubscribe();
    const late = () => new HivekeepError('bus/timeout', 'the subscription did not drain in time');
    await within(subscription.drain(), { ms: DRAIN_MS, late }).catch(() => subscription.unsubscribe());
  }
}

function toNats(headers: WireHeaders): MsgHdrs {
  const result = newHeaders();
  for (const [name, value] of Object.entries(headers)) result.set(name, value);
  return result;
}

function fromNats({ subject, headers, data }: Msg): WireMessage {
  const names = headers?.keys() ?? [];
  return { subject, headers: Object.fromEntries(names.map((name) => [name.toLowerCase(), headers?.get(name) ?? ''])), body: data };
}
