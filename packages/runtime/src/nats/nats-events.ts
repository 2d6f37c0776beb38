import { randomUUID } from 'node:crypto';
import { type Event, HUB, type StoredEvent } from '@hivekeep/contracts';
import type { StoredMsg } from '@nats-io/jetstream';
import type { EventLog, EventSubscription } from '../bus.ts';
import { decodeBody, encodeBody } from '../envelope.ts';
import { eventId, parseEventId } from '../event-id.ts';
import type { Logger } from '../logger.ts';
import type { NatsStream } from './nats-stream.ts';
import { StreamFollower } from './stream-follower.ts';

const MAX_EVENT_BYTES = 64 * 1024;

/** The event log as a JetStream stream; subjects are `hk.v1.<swarm>.event.<type>`. */
export class NatsEvents implements EventLog {
  readonly #stream: NatsStream;
  readonly #logger: Logger;
  /** One that is published again, since its acknowledgement was lost, is the same message: the stream drops it. */
  readonly #ids = new WeakMap<Event, string>();

  constructor(stream: NatsStream, logger: Logger) {
    this.#stream = stream;
    this.#logger = logger;
  }

  async publish(event: Event): Promise<string> {
    const body = encodeBody(event, MAX_EVENT_BYTES, 'event');
    const { id: log } = await this.#stream.position();
    const subject = `hk.v1.${event.swarm || HUB}.event.${event.type}`;
    const id = this.#ids.get(event) ?? randomUUID();
    this.#ids.set(event, id);
    return eventId(log, await this.#stream.publish(subject, body, { id }));
  }

  async logId(): Promise<string> {
    return (await this.#stream.position()).id;
  }

  async subscribe(after: string | undefined, deliver: (stored: StoredEvent) => void): Promise<EventSubscription> {
    const position = await this.#stream.position();
    const wanted = after === undefined ? { log: position.id, sequence: position.last } : parseEventId(after);
    const known = wanted?.log === position.id && wanted.sequence <= position.last;
    if (!known) deliver({ id: eventId(position.id, position.first - 1), reset: `${after} is of another event log` });
    const follower = new StreamFollower(
      this.#stream,
      position,
      known ? wanted.sequence + 1 : position.first,
      {
        replaced: ({ id, first }) => deliver({ id: eventId(id, first - 1), reset: 'the event log was made anew' }),
        messages: (messages, expected, { id }) => this.#deliver(messages, expected, id, deliver),
        caughtUp: () => undefined,
      },
      this.#logger,
    );
    follower.start();
    return follower;
  }

  /** Nothing is ever taken out of the middle of this stream, so a jump means that its old end was trimmed. */
  #deliver(messages: readonly StoredMsg[], expected: number, log: string, deliver: (stored: StoredEvent) => void): void {
    let next = expected;
    for (const { seq, data } of messages) {
      if (seq > next) deliver({ id: eventId(log, seq - 1), reset: `events ${next} to ${seq - 1} were trimmed` });
      next = seq + 1;
      deliver({ id: eventId(log, seq), event: decodeBody(data) as Event }); // publish is the only writer
    }
  }
}
