import { readFile } from 'node:fs/promises';
import { HivekeepError, type ServiceName } from '@hivekeep/contracts';
import { DiscardPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nanos,
  nkeyAuthenticator,
} from '@nats-io/transport-node';
import type { ServiceBus } from '../bus.ts';
import { callsOver } from '../calls.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { within } from '../waiting.ts';
import { type BucketLimits, bucketConfig } from './kv-bucket.ts';
import { NatsArtifacts } from './nats-artifacts.ts';
import { natsError } from './nats-errors.ts';
import { NatsEvents } from './nats-events.ts';
import { NatsLink } from './nats-link.ts';
import { NatsPresence } from './nats-presence.ts';
import { NatsStream, type OneSubjectConfig } from './nats-stream.ts';
import { NatsViews } from './nats-views.ts';
import { NatsWire } from './nats-wire.ts';

/** Who connects: by a NATS credentials file, by the seed of an nkey in a file, or as a user whose password stands in a file. */
export type NatsCredentials =
  | { readonly credsFile: string }
  | { readonly seedFile: string }
  | { readonly user: string; readonly passwordFile: string };

export interface NatsBusOptions {
  /** `nats://host:port` or `tls://host:port`. */
  readonly servers: readonly string[];
  readonly credentials?: NatsCredentials;
  /** Files in PEM. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** For the server's log. */
  readonly name: string;
  /** A prefix of this user's own, to which its permissions are pinned: with a shared one any service reads another's replies. */
  readonly inboxPrefix?: string;
  readonly logger?: Logger;
  /** How long to wait for a server at the start, in milliseconds. */
  readonly connectWithinMs?: number;
  readonly limits?: Partial<NatsLimits>;
}

/** Bounds of what is stored. They count when a store is made; an existing one keeps its own. */
export interface NatsLimits {
  readonly replicas: number;
  readonly events: { readonly count: number; readonly bytes: number; readonly ageMs: number };
  readonly viewBytes: number;
  readonly artifacts: { readonly bytes: number; readonly ageMs: number };
  readonly presenceTtlMs: number;
}

const HOUR = 3_600_000;
const MIB = 1024 * 1024;
const DEFAULTS: NatsLimits = {
  replicas: 1,
  events: { count: 10_000, bytes: 32 * MIB, ageMs: 7 * 24 * HOUR },
  viewBytes: 256 * MIB,
  artifacts: { bytes: 1024 * MIB, ageMs: 24 * HOUR },
  presenceTtlMs: 15_000,
};
const CLOSE_MS = 3_000;
const RECONNECT_MS = 250;
/** More than clocks drift. */
const CLOCK_SET_BACK_MS = 1_000;

/** Connects to NATS and waits for it if it is not there yet. Throws `bus/unavailable`, `auth/forbidden` or `config/invalid` (unreadable file). */
export async function connectNatsBus(options: NatsBusOptions): Promise<ServiceBus> {
  const { logger = silentLogger, connectWithinMs = 60_000 } = options;
  const connecting = connect(await connectionOptions(options));
  const late = () =>
    new HivekeepError('bus/unavailable', `no NATS server answers at ${options.servers.join(', ')} in ${connectWithinMs} ms`);
  const connection = await within(connecting, { ms: connectWithinMs, late }).catch((thrown: unknown) => {
    connecting.then((tooLate) => tooLate.close()).catch(() => undefined);
    throw natsError(thrown, `connect to ${options.servers.join(', ')}`);
  });
  return busOver(connection, { ...DEFAULTS, ...options.limits }, logger);
}

async function busOver(connection: NatsConnection, limits: NatsLimits, logger: Logger): Promise<ServiceBus> {
  const link = new NatsLink(connection, logger);
  const js = jetstream(connection, { timeout: 5_000 });
  const jsm = await jetstreamManager(connection, { checkAPI: false, timeout: 5_000 });
  const stream = (config: OneSubjectConfig, maker: ServiceName = 'gateway') =>
    new NatsStream(link, js, jsm, { storage: StorageType.File, num_replicas: limits.replicas, ...config }, maker);
  const closed = new AbortController();
  const wire = new NatsWire(link, logger);
  const presenceBucket = stream(bucketConfig('hk-presence', presenceLimits(limits.presenceTtlMs)));
  return {
    wire,
    call: callsOver(wire).call,
    events: new NatsEvents(stream(eventsConfig(limits)), logger),
    views: new NatsViews(stream(bucketConfig('hk-views', { max_bytes: limits.viewBytes })), () => wire.maxBytes, logger),
    artifacts: new NatsArtifacts(stream(artifactsConfig(limits), 'source'), limits.artifacts.ageMs),
    presence: new NatsPresence(presenceBucket, limits.presenceTtlMs, closed.signal, logger),
    close: async () => {
      closed.abort();
      const late = () => new HivekeepError('bus/timeout', 'the connection did not drain in time');
      await within(connection.drain(), { ms: CLOSE_MS, late }).catch(() => connection.close());
    },
  };
}

function eventsConfig({ events }: NatsLimits): OneSubjectConfig {
  return {
    name: 'hk-events',
    subjects: ['hk.v1.*.event.*'],
    discard: DiscardPolicy.Old,
    max_msgs: events.count,
    max_bytes: events.bytes,
    max_age: nanos(events.ageMs),
    deny_delete: true,
  };
}

/** What does not fit any more makes room for what is built now. */
function artifactsConfig({ artifacts }: NatsLimits): OneSubjectConfig {
  return bucketConfig('hk-artifacts', { discard: DiscardPolicy.Old, max_bytes: artifacts.bytes, max_age: nanos(artifacts.ageMs) });
}

/** Presence is worth nothing after a restart of the server, so it stays in its memory. */
function presenceLimits(ttlMs: number): BucketLimits {
  return {
    max_age: nanos(ttlMs),
    duplicate_window: nanos(Math.min(ttlMs, 120_000)),
    storage: StorageType.Memory,
    max_bytes: 16 * MIB,
  };
}

async function connectionOptions({ servers, credentials, tls, name, inboxPrefix }: NatsBusOptions): Promise<ConnectionOptions> {
  return {
    servers: [...servers],
    name,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: reconnectDelay(),
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000,
    ...(inboxPrefix !== undefined && { inboxPrefix }),
    ...(tls && { tls: { ...tls } }),
    ...(credentials && (await authentication(credentials))),
  };
}

/**
 * Milliseconds between two tries of a reconnect. The client counts them on the wall clock: one that was set back would keep it from
 * trying until it has caught up, so that the next try is due at once then.
 */
function reconnectDelay(): () => number {
  let ahead = Date.now() - performance.now();
  return () => {
    const before = ahead;
    ahead = Date.now() - performance.now();
    return before - ahead > CLOCK_SET_BACK_MS ? Number.NEGATIVE_INFINITY : RECONNECT_MS * (1 + Math.random());
  };
}

async function authentication(credentials: NatsCredentials): Promise<Partial<ConnectionOptions>> {
  if ('credsFile' in credentials) return { authenticator: credsAuthenticator(await readSecret(credentials.credsFile)) };
  if ('seedFile' in credentials) {
    const seed = (await readSecret(credentials.seedFile)).toString().trim();
    return { authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)) };
  }
  return { user: credentials.user, pass: (await readSecret(credentials.passwordFile)).toString().trim() };
}

function readSecret(file: string): Promise<Buffer> {
  return readFile(file).catch((cause: unknown) => {
    throw new HivekeepError('config/invalid', `expected a readable credentials file at ${file}`, { cause });
  });
}
