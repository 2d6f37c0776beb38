import { createHash } from 'node:crypto';
import { HivekeepError, type ServiceName } from '@hivekeep/contracts';
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type MsgRequest,
  type NextMsgRequest,
  type StoredMsg,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { headers as newHeaders } from '@nats-io/transport-node';
import { natsError } from './nats-errors.ts';
import type { NatsLink } from './nats-link.ts';

/** Which stream this is and what it holds now. */
export interface StreamPosition {
  /** Differs from that of a stream of the same name that was made at another time. */
  readonly id: string;
  readonly first: number;
  readonly last: number;
}

/** A stream of ours stores one subject filter. */
export type OneSubjectConfig = Omit<Partial<StreamConfig>, 'name' | 'subjects'> & { name: string; subjects: [string] };

/** JetStream API error codes: stream not found; stream name already in use with a different configuration. */
const STREAM_NOT_FOUND = 10_059;
const STREAM_EXISTS = 10_058;
/** The same for: another message is a subject's newest; and, by a cluster, another is on its way to be. */
const WRONG_LAST_SEQUENCE = 10_071;
const WRONG_LAST_SEQUENCE_UNKNOWN = 10_164;

export interface PublishOptions {
  readonly id?: string;
  readonly headers?: Record<string, string>;
  /** The sequence of the message it takes the place of, 0 for none: refused when another is the subject's newest, see `overtaken`. */
  readonly over?: number;
}

/**
 * One JetStream stream that is made when it is missing, whenever that is noticed. Where permissions are set, only `maker` may:
 * whoever makes a stream decides what it stores. Every error is ours.
 */
export class NatsStream {
  readonly name: string;
  readonly link: NatsLink;
  /** The subjects it stores, as a subscription filter. */
  readonly filter: string;
  readonly #config: OneSubjectConfig;
  readonly #maker: ServiceName;
  readonly #js: JetStreamClient;
  readonly #jsm: JetStreamManager;

  constructor(link: NatsLink, js: JetStreamClient, jsm: JetStreamManager, config: OneSubjectConfig, maker: ServiceName) {
    this.link = link;
    this.name = config.name;
    this.filter = config.subjects[0];
    this.#config = config;
    this.#maker = maker;
    this.#js = js;
    this.#jsm = jsm;
  }

  async position(): Promise<StreamPosition> {
    return this.link.run(`read stream ${this.name}`, async () => {
      const { created, state } = await this.#info();
      // The creation time has nanoseconds and survives restarts; Debian's NATS (2.9) has no stream metadata.
      const id = createHash('sha256').update(created).digest('hex').slice(0, 12);
      return { id, first: Math.max(1, state.first_seq), last: state.last_seq };
    });
  }

  /** The first message at or after a sequence; undefined when there is none, or no stream. */
  async next(sequence: number): Promise<StoredMsg | undefined> {
    // The server takes a sequence and a filter together (ADR-31); the client's type for this call lacks it. The direct
    // variant is not used: it may be served by a replica that is behind, and a missing stream only times out.
    const query: NextMsgRequest = { seq: sequence, next_by_subj: this.filter };
    const read = () => this.#jsm.streams.getMessage(this.name, query as unknown as MsgRequest);
    return this.link.run(`read stream ${this.name}`, async () => (await read().catch(orWhenMissing(null))) ?? undefined);
  }

  /**
   * The newest message on one subject; undefined when there is none, or no stream. The subject stands in that of the request,
   * so that permissions can say who may read what.
   */
  async newest(subject: string): Promise<StoredMsg | undefined> {
    const read = () => this.#jsm.direct.getMessage(this.name, { last_by_subj: subject });
    return this.link.run(`read ${subject}`, async () => (await read().catch(orWhenMissing(null))) ?? undefined);
  }

  /** The same for who may read everything, by a request that does not name the subject. */
  async newestOf(subject: string): Promise<StoredMsg | undefined> {
    const read = () => this.#jsm.streams.getMessage(this.name, { last_by_subj: subject });
    return this.link.run(`read ${subject}`, async () => (await read().catch(orWhenMissing(null))) ?? undefined);
  }

  /** The subjects that hold a message, of those that a filter names. */
  async subjects(filter: string): Promise<string[]> {
    return this.link.run(`read stream ${this.name}`, async () => {
      const { state } = await this.#info({ subjects_filter: filter });
      return Object.keys(state.subjects ?? {});
    });
  }

  /** Resolves with the sequence when the message is stored. */
  async publish(subject: string, body: Uint8Array, { id, headers: added = {}, over }: PublishOptions = {}): Promise<number> {
    const headers = newHeaders();
    for (const [name, value] of Object.entries(added)) headers.set(name, value);
    const expect = over === undefined ? {} : { expect: { lastSubjectSequence: over } };
    const send = () => this.#js.publish(subject, body, { headers, ...(id !== undefined && { msgID: id }), ...expect });
    return this.link.run(`publish ${subject}`, async () => {
      const ack = await send().catch(async (thrown: unknown) => {
        if (natsError(thrown, subject).code === 'bus/too-large' || overtaken(thrown)) throw thrown;
        await this.#info();
        return send();
      });
      return ack.seq;
    });
  }

  async #info(options: { subjects_filter?: string } = {}): Promise<StreamInfo> {
    const present = await this.#jsm.streams.info(this.name, options).catch(orWhenMissing(undefined));
    if (present) return present;
    try {
      return await this.#jsm.streams.add(this.#config);
    } catch (thrown) {
      if (hasCode(thrown, STREAM_EXISTS)) return this.#jsm.streams.info(this.name, options);
      if (natsError(thrown, this.name).code !== 'auth/forbidden') throw thrown;
      throw new HivekeepError('bus/unavailable', `stream ${this.name} is not there yet; ${this.#maker} makes it`, { cause: thrown });
    }
  }
}

/**
 * Whether what `publish` threw says that another message than the one to be replaced is the subject's newest: then that one's sequence,
 * which the leader knows best, or undefined where the server does not tell.
 */
export function overtaken(thrown: unknown): { readonly by: number | undefined } | undefined {
  const cause = thrown instanceof HivekeepError ? thrown.cause : thrown;
  if (hasCode(cause, WRONG_LAST_SEQUENCE_UNKNOWN)) return { by: undefined };
  if (!hasCode(cause, WRONG_LAST_SEQUENCE)) return undefined;
  const [, by] = /wrong last sequence: (\d+)/.exec(String(cause)) ?? [];
  return { by: by === undefined ? undefined : Number(by) };
}

function orWhenMissing<T>(value: T): (thrown: unknown) => T {
  return (thrown) => {
    if (hasCode(thrown, STREAM_NOT_FOUND)) return value;
    throw thrown;
  };
}

function hasCode(thrown: unknown, code: number): boolean {
  return thrown instanceof JetStreamApiError && thrown.code === code;
}
