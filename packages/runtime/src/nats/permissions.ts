import { HUB, nodeAgentCalls, type Rpc, reconcilerCalls, sourceCalls, subjectOf } from '@hivekeep/contracts';

/** Who connects: a service of the hub, or one of a swarm. */
export type BusUser =
  | { readonly service: 'source' | 'gateway' }
  | { readonly service: 'reconciler' | 'node-agent'; readonly swarm: string };

export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** How long after a call it may still answer it, in milliseconds; absent for who is never called. */
  readonly answersWithinMs?: number;
}

/** The streams of the bus. A key-value bucket is the stream `KV_<bucket>`. */
export const streams = { events: 'hk-events', views: 'hk-views', presence: 'hk-presence', artifacts: 'hk-artifacts' } as const;

/** By verb within a service: the order of a module's members is the bundler's. */
const contracts: readonly Rpc[] = [sourceCalls, nodeAgentCalls, reconcilerCalls].flatMap((calls) =>
  Object.values(calls)
    .filter(isCall)
    .sort((a, b) => (a.verb < b.verb ? -1 : 1)),
);
/** An answer may come this much after its deadline, which the caller counts from earlier. */
const ANSWER_MARGIN_MS = 10_000;

/** The name of a user, as it stands in logs, files and its inbox prefix: `source`, `reconciler-berlin`. */
export function busUserName(user: BusUser): string {
  return 'swarm' in user ? `${user.service}-${user.swarm}` : user.service;
}

/** The prefix of a user's own reply subjects: with a shared one, any service reads another's replies. */
export function inboxPrefix(user: BusUser): string {
  return `_INBOX_${busUserName(user)}`;
}

/**
 * What a service may say and hear on NATS, made from the contracts: the calls it makes and answers, pinned to its swarm, and of
 * JetStream what it reads and writes. Nobody may delete a stream or make a consumer, whose messages go wherever it says. All
 * agents of a swarm are one user: a global service has one secret for all its tasks.
 */
export function busPermissions(user: BusUser): BusPermissions {
  const answered = contracts.filter(({ service }) => service === user.service);
  const { publish, subscribe } = stores(user);
  return {
    publish: [...contracts.filter(({ callers }) => callers?.includes(user.service)).map((call) => callSubject(call, user)), ...publish],
    subscribe: [...answered.map((call) => answerSubject(call, user)), `${inboxPrefix(user)}.>`, ...subscribe],
    ...(answered.length > 0 && { answersWithinMs: Math.max(...answered.map(({ deadlineMs }) => deadlineMs)) + ANSWER_MARGIN_MS }),
  };
}

function isCall(value: unknown): value is Rpc {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'call';
}

/** A swarm's services call in its name alone, the gateway every swarm's reconciler. */
function callSubject(call: Rpc, user: BusUser): string {
  const anyOrHub = call.scope === 'hub' ? HUB : '*';
  return subjectOf(call, { swarm: 'swarm' in user ? user.swarm : anyOrHub, node: '*' });
}

function answerSubject(call: Rpc, user: BusUser): string {
  return subjectOf(call, { swarm: 'swarm' in user ? user.swarm : '*', node: '*' });
}

/** What each needs of the four stores; ADR 0003 says how they are read and written. */
function stores(user: BusUser): Pick<BusPermissions, 'publish' | 'subscribe'> {
  const own = `${'swarm' in user ? user.swarm : HUB}`;
  const presence = [...write(streams.presence, `${own}.${user.service}.*`)];
  switch (user.service) {
    case 'source':
      return {
        publish: [...presence, ...write(streams.artifacts, '>'), ...readByName(streams.artifacts, '>'), ...make(streams.artifacts)],
        subscribe: [],
      };
    case 'node-agent':
      return { publish: presence, subscribe: [] };
    case 'reconciler':
      return {
        publish: [
          ...presence,
          ...readByName(streams.presence, `${own}.>`),
          ...readByName(streams.artifacts, '>'),
          ...write(streams.views, `${own}.>`),
          ...readByName(streams.views, `${own}.>`),
          eventSubject(own),
          api('STREAM.INFO', streams.events),
        ],
        subscribe: [],
      };
    case 'gateway':
      return {
        publish: [...presence, ...[bucket(streams.presence), bucket(streams.views), streams.events].flatMap(readAll)],
        subscribe: [keys(streams.views, '>'), eventSubject('*')],
      };
  }
}

const api = (verb: string, stream: string) => `$JS.API.${verb}.${stream}`;
const bucket = (name: string) => `KV_${name}`;
const keys = (name: string, filter: string) => `$KV.${name}.${filter}`;
const eventSubject = (swarm: string) => `hk.v1.${swarm}.event.*`;
/** Keys of a bucket, and whether there is one. */
const write = (name: string, filter: string) => [keys(name, filter), api('STREAM.INFO', bucket(name))];
/** Keys whose names are known; the names stand in the subject, so that permissions see them. */
const readByName = (name: string, filter: string) => [`${api('DIRECT.GET', bucket(name))}.${keys(name, filter)}`];
const make = (name: string) => [api('STREAM.CREATE', bucket(name))];
/** Everything of a stream, which is made when it is missing. */
const readAll = (stream: string) => ['STREAM.INFO', 'STREAM.MSG.GET', 'STREAM.CREATE'].map((verb) => api(verb, stream));
