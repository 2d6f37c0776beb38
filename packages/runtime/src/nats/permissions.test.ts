import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Event,
  HUB,
  nodeAgentCalls,
  type Presence,
  type Rpc,
  reconcilerCalls,
  type ServiceName,
  sourceCalls,
  subjectOf,
} from '@hivekeep/contracts';
import { type NatsServer, natsServer, tempDir } from '@hivekeep/testkit';
import { connect, headers, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceBus } from '../bus.ts';
import { OUTCOME_HEADER, OUTCOME_OK } from '../envelope.ts';
import { subscriptionSubject } from '../subscription-subject.ts';
import { connectNatsBus } from './nats-bus.ts';
import { type BusUser, busUserName, inboxPrefix } from './permissions.ts';
import { natsAccounts } from './server-config.ts';
import { createUserKeys } from './user-keys.ts';

const users = {
  source: { service: 'source' },
  gateway: { service: 'gateway' },
  east: { service: 'reconciler', swarm: 'east' },
  west: { service: 'reconciler', swarm: 'west' },
  eastAgent: { service: 'node-agent', swarm: 'east' },
} as const satisfies Record<string, BusUser>;
type Who = keyof typeof users;
const names = Object.keys(users) as Who[];
const swarmOf = (user: BusUser) => ('swarm' in user ? user.swarm : HUB);
const anEvent = (swarm: string): Event => ({ application: 'shop', swarm, type: 'sync-started', at: '2026-01-01T00:00:00Z' });
const digest = `sha256:${'44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'}`; // of `{}`

describe('users with permissions made from the contracts', () => {
  let server: NatsServer;
  const ends: AsyncDisposable[] = [];
  const keys = Object.fromEntries(names.map((name) => [name, createUserKeys()])) as Record<Who, ReturnType<typeof createUserKeys>>;
  const buses = {} as Record<Who, ServiceBus>;
  /** The same users with a client that tries what no code of ours does. */
  const raw = {} as Record<Who, NatsConnection>;

  beforeAll(async () => {
    const dir = await tempDir();
    server = await natsServer(natsAccounts(names.map((name) => ({ user: users[name], publicKey: keys[name].publicKey }))));
    ends.push(dir, server);
    for (const name of ['gateway', ...names.filter((each) => each !== 'gateway')] as Who[]) {
      const seedFile = join(dir.path, name);
      await writeFile(seedFile, `${keys[name].seed}\n`);
      const bus = await connectNatsBus({ servers: [server.url], name, credentials: { seedFile }, inboxPrefix: inboxPrefix(users[name]) });
      buses[name] = bus;
      if (name === 'gateway')
        for (const make of [bus.views.storeId(), bus.events.subscribe(undefined, () => undefined), bus.presence.list()]) await make;
      await answer(bus, users[name]);
      const authenticator = nkeyAuthenticator(new TextEncoder().encode(keys[name].seed));
      raw[name] = await connect({ servers: server.url, authenticator, inboxPrefix: inboxPrefix(users[name]) });
      ends.push({ [Symbol.asyncDispose]: () => bus.close() }, { [Symbol.asyncDispose]: () => raw[name].close() });
    }
  });
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end[Symbol.asyncDispose]();
  });

  /** Answers every call of the user's service with the subject it was asked on. */
  async function answer(bus: ServiceBus, user: BusUser): Promise<void> {
    for (const contract of contracts.filter(({ service }) => service === user.service)) {
      const subject = subscriptionSubject(contract, { swarm: swarmOf(user), node: 'n1' });
      await bus.wire.subscribe(subject, contract.service, ({ respond, subject: asked }) =>
        respond({ [OUTCOME_HEADER]: OUTCOME_OK }, Buffer.from(asked)),
      );
    }
  }
  const ask = async (who: Who, contract: Rpc, swarm = swarmOf(users[who])) => {
    const subject = subjectOf(contract, { swarm, node: 'n1' });
    const { body } = await buses[who].wire.request(subject, {}, new Uint8Array(), { timeoutMs: 2_000 });
    return Buffer.from(body).toString() === subject;
  };
  const forbidden = expect.objectContaining({ code: 'auth/forbidden' });
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'was allowed',
      (error: unknown) => error,
    );

  describe('every call', () => {
    it.each(contracts.map((contract) => [`${contract.service}.${contract.verb}`, contract] as const))(
      '%s: its callers may, nobody else',
      async (_, contract) => {
        expect(contract.callers).not.toHaveLength(0);
        for (const who of names) {
          const swarm = swarmOf(users[who]) === HUB && contract.scope !== 'hub' ? 'east' : swarmOf(users[who]);
          if (swarm === 'west' && contract.scope === 'node') continue; // it has no agent here
          const asked = ask(who, contract, swarm);
          if (contract.callers?.includes(users[who].service as ServiceName)) await expect(asked).resolves.toBe(true);
          else expect(await refusal(asked), who).toEqual(forbidden);
        }
      },
    );

    it.each(
      contracts
        .filter(({ callers }) => callers?.includes('reconciler'))
        .map((contract) => [`${contract.service}.${contract.verb}`, contract] as const),
    )('%s: not in the name of another swarm', async (_, contract) => {
      expect(await refusal(ask('west', contract, 'east'))).toEqual(forbidden);
      expect(await refusal(ask('west', contract, HUB))).toEqual(forbidden);
    });
  });

  describe('does its job', () => {
    it.each(names)('%s says that it is there; the gateway and its own swarm see it', async (who) => {
      const user = users[who];
      const record: Presence = {
        service: user.service,
        instance: `i-${who}`,
        version: '1',
        at: '',
        ...('swarm' in user && { swarm: user.swarm }),
      };
      const withdraw = await buses[who].presence.announce(() => record);
      expect(await buses.gateway.presence.list()).toContainEqual(record);
      if ('swarm' in user && user.swarm === 'east') expect(await buses.east.presence.list('east')).toContainEqual(record);
      await withdraw();
      expect(await buses.gateway.presence.list()).not.toContainEqual(record);
    });

    it('a reconciler tells events and views; the gateway hears them', async () => {
      const heard: string[] = [];
      await buses.gateway.events.subscribe(undefined, (stored) => 'event' in stored && heard.push(stored.event.swarm));
      await buses.gateway.views.watch(
        ({ key }) => heard.push(key),
        () => undefined,
      );
      await buses.east.events.publish(anEvent('east'));
      await buses.east.views.put('east.application.shop', { spec: 1 });
      expect(await buses.east.views.keys('east')).toEqual(['east.application.shop']);
      expect(await buses.east.views.get('east.application.shop')).toEqual({ spec: 1 });
      await expect.poll(() => heard.toSorted(), { timeout: 5_000 }).toEqual(['east', 'east.application.shop']);
      await buses.east.views.remove('east.application.shop');
    });

    it('the source stores an artifact, reconcilers get it', async () => {
      await buses.source.artifacts.put(digest, Buffer.from('{}'));
      expect(Buffer.from((await buses.west.artifacts.get(digest)) ?? []).toString()).toBe('{}');
    });
  });

  describe('is refused', () => {
    it.each(names)('%s: to read the replies of another', async (who) => {
      const others = names.filter((other) => other !== who);
      for (const other of others)
        expect(await refusal(hears(raw[who], `${inboxPrefix(users[other])}.>`)), other).toMatchObject({
          message: expect.stringMatching(/permissions violation/i),
        });
      expect(await refusal(hears(raw[who], '_INBOX.>'))).toMatchObject({ message: expect.stringMatching(/permissions violation/i) });
      expect(await refusal(hears(raw[who], '>'))).toMatchObject({ message: expect.stringMatching(/permissions violation/i) });
    });

    const foreign: Record<Who, readonly string[]> = {
      source: ['hk.v1.*.reconciler.>', 'hk.v1.*.node-agent.>', 'hk.v1.east.event.*', '$KV.hk-views.>', '$KV.hk-artifacts.>'],
      gateway: ['hk.v1.*.source.>', 'hk.v1.east.reconciler.freeze', 'hk.v1.*.node-agent.>', '$KV.hk-artifacts.>', '$KV.hk-presence.>'],
      east: [
        'hk.v1.west.reconciler.freeze',
        'hk.v1.*.reconciler.freeze',
        'hk.v1.*.source.build',
        'hk.v1.east.node-agent.>',
        '$KV.hk-views.>',
      ],
      west: ['hk.v1.east.reconciler.freeze', 'hk.v1.*.source.build', 'hk.v1.west.node-agent.>', 'hk.v1.east.event.*', '$KV.hk-views.>'],
      eastAgent: ['hk.v1.west.node-agent.*.remove-volume', 'hk.v1.east.reconciler.>', 'hk.v1.*.source.build', 'hk.v1.east.event.*'],
    };
    it.each(names)('%s: to hear what is of another swarm or service', async (who) => {
      for (const subject of foreign[who])
        expect(await refusal(hears(raw[who], subject)), subject).toMatchObject({
          message: expect.stringMatching(/permissions violation/i),
        });
    });

    const apiSubjects = [
      'STREAM.DELETE',
      'STREAM.PURGE',
      'STREAM.UPDATE',
      'STREAM.MSG.DELETE',
      'CONSUMER.CREATE',
      'CONSUMER.DURABLE.CREATE',
      'STREAM.SNAPSHOT',
    ];
    it.each(names)('%s: to delete, empty, change or copy a stream', async (who) => {
      for (const stream of ['hk-events', 'KV_hk-views', 'KV_hk-presence', 'KV_hk-artifacts'])
        for (const verb of apiSubjects)
          expect(await sent(raw[who], `$JS.API.${verb}.${stream}`), `${verb} ${stream}`).toMatch(/permissions violation/i);
      for (const verb of ['STREAM.LIST', 'STREAM.NAMES', 'STREAM.CREATE.mine'])
        expect(await sent(raw[who], `$JS.API.${verb}`), verb).toMatch(/permissions violation/i);
    });

    it('west: to tell or read what is of east', async () => {
      expect(await refusal(buses.west.events.publish(anEvent('east')))).toEqual(forbidden);
      expect(await refusal(buses.west.views.put('east.swarm', {}))).toEqual(forbidden);
      expect(await refusal(buses.west.views.remove('east.swarm'))).toEqual(forbidden);
      for (const subject of [
        '$JS.API.STREAM.MSG.GET.KV_hk-views',
        '$JS.API.DIRECT.GET.KV_hk-views',
        '$JS.API.DIRECT.GET.KV_hk-views.$KV.hk-views.east.swarm',
        '$JS.API.DIRECT.GET.KV_hk-presence.$KV.hk-presence.east.node-agent.i',
        '$JS.API.STREAM.MSG.GET.KV_hk-artifacts',
      ])
        expect(await sent(raw.west, subject), subject).toMatch(/permissions violation/i);
    });

    it('west: to empty the views of all by a roll-up of its own', async () => {
      await buses.east.views.put('east.swarm', { kept: true });
      const rollUp = headers();
      rollUp.set('Nats-Rollup', 'all');
      const { data } = await raw.west.request('$KV.hk-views.west.swarm', '{}', { headers: rollUp, timeout: 2_000 });
      expect(JSON.parse(Buffer.from(data).toString())).toHaveProperty('error');
      expect(await buses.gateway.views.keys('east')).toContain('east.swarm');
    });

    it('an agent: views, events, artifacts', async () => {
      expect(await refusal(buses.eastAgent.views.put('east.swarm', {}))).toEqual(forbidden);
      expect(await refusal(buses.eastAgent.events.publish(anEvent('east')))).toEqual(forbidden);
      expect(await refusal(buses.eastAgent.artifacts.put(digest, Buffer.from('{}')))).toEqual(forbidden);
    });

    it('a reconciler or the gateway: to store an artifact', async () => {
      for (const who of ['east', 'gateway'] as const)
        expect(await refusal(buses[who].artifacts.put(digest, Buffer.from('{}'))), who).toEqual(forbidden);
    });

    it('an answer to who did not ask', async () => {
      expect(await sent(raw.source, `${inboxPrefix(users.east)}.guess`)).toMatch(/permissions violation/i);
    });

    it('whoever has no key', async () => {
      await expect(connect({ servers: server.url, reconnect: false })).rejects.toThrow(/authorization/i);
    });
  });

  it('names every user as its file and inbox are named', () => {
    expect(names.map((name) => busUserName(users[name]))).toEqual([
      'source',
      'gateway',
      'reconciler-east',
      'reconciler-west',
      'node-agent-east',
    ]);
  });
});

const contracts: readonly Rpc[] = [
  sourceCalls.appSet,
  sourceCalls.build,
  sourceCalls.secretContents,
  ...Object.values(nodeAgentCalls),
  ...Object.values(reconcilerCalls),
];

/** Rejects with what the server says of a subscription. */
async function hears(connection: NatsConnection, subject: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const subscription = connection.subscribe(subject, { callback: (error) => (error ? reject(error) : undefined) });
  const ended = promise.finally(() => subscription.unsubscribe());
  ended.catch(() => undefined); // it may come before the flush has ended
  await connection.flush();
  setTimeout(resolve, 150);
  await ended;
}

/** What the server says of a message that is published, by the way of its connection's status; empty when it takes it. */
async function sent(connection: NatsConnection, subject: string): Promise<string> {
  const outcome = await connection.request(subject, '', { timeout: 1_000 }).then(
    () => '',
    (error: unknown) => `${error} ${(error as Error).cause ?? ''}`,
  );
  return outcome;
}
