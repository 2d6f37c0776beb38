import type { Event, Presence, ReplyOf, RequestInput, Rpc, StoredEvent, Target } from '@hivekeep/contracts';
import type { Wire } from './wire.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Overrides the contract's deadline, in milliseconds. */
  readonly timeoutMs?: number;
  /** Stands in the logs of both sides; made at random when absent. */
  readonly requestId?: string;
}

/** Typed calls. Throws a HivekeepError with a code of the contract, or `bus/*`. */
export interface Calls {
  call<C extends Rpc>(contract: C, target: Target, request: RequestInput<C>, options?: CallOptions): Promise<ReplyOf<C>>;
}

export interface EventSubscription {
  close(): Promise<void>;
}

/** The event log: acknowledged writes, replay by id, an explicit `reset` where a replay has a hole. */
export interface EventLog {
  /** Resolves with `<log id>-<sequence>` when the log has stored it. */
  publish(event: Event): Promise<string>;
  /** The id of the present log, which is made when there is none. */
  logId(): Promise<string>;
  /** Delivers what came after `after` (nothing older when it is absent), then what comes. */
  subscribe(after: string | undefined, deliver: (stored: StoredEvent) => void): Promise<EventSubscription>;
}

export interface ViewChange {
  readonly key: string;
  /** Undefined: deleted. */
  readonly value: unknown;
}

/** Key-value with watch. Keys are `<swarm>.application.<name>` and `<swarm>.swarm`. */
export interface Views {
  /**
   * What hung on its way and arrives after another's put is refused; it is tried again over that one unless `signal` says that it is
   * not meant any more. Throws the signal's reason then.
   */
  put(key: string, value: unknown, signal?: AbortSignal): Promise<void>;
  remove(key: string, signal?: AbortSignal): Promise<void>;
  /** Delivers every key there is, then `ready`, then each change. A lost store is delivered as deletions followed by what is put again. */
  watch(deliver: (change: ViewChange) => void, ready: () => void): Promise<EventSubscription>;
  /** A view as it was put; undefined when there is none. */
  get(key: string): Promise<unknown>;
  /** The keys of one swarm; those of views that were removed may be among them. */
  keys(swarm: string): Promise<string[]>;
  /** Changes when the store was made anew: who publishes views puts all of them again. */
  storeId(): Promise<string>;
}

/** Immutable blobs named by their digest, larger than a message, compressed on the wire. */
export interface Artifacts {
  put(digest: string, bytes: Uint8Array): Promise<void>;
  /** Undefined when the store does not have it. Throws `artifact/missing` when what it has does not match the digest. */
  get(digest: string): Promise<Uint8Array | undefined>;
}

/** Takes the announcement back when called. */
export interface Announced {
  (): Promise<void>;
  /** Tells a record that has changed before its next turn. */
  renew(): Promise<void>;
}

/** Who is there, with expiry. */
export interface PresenceBoard {
  /** Announces and renews until the returned function is called; the record is read anew at each renewal. */
  announce(record: () => Presence): Promise<Announced>;
  /** Everybody, or who belongs to one swarm. */
  list(swarm?: string): Promise<Presence[]>;
}

/** What a service may say and hear. Two implementations, NATS and in-process; no caller knows which. */
export interface Bus extends Calls {
  readonly events: EventLog;
  readonly views: Views;
  readonly artifacts: Artifacts;
  readonly presence: PresenceBoard;
  close(): Promise<void>;
}

/** A bus that a service can be started on: it also carries what the service answers. */
export interface ServiceBus extends Bus {
  readonly wire: Wire;
}

/** Injection token of the process' bus. */
export const BUS = Symbol('hivekeep.bus');
