import { randomBytes } from 'node:crypto';
import { rpc, type StoredEvent } from '@hivekeep/contracts';
import { type NatsServer, natsServer } from '@hivekeep/testkit';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { ServiceBus } from '../bus.ts';
import { OUTCOME_HEADER, OUTCOME_OK } from '../envelope.ts';
import { connectNatsBus } from './nats-bus.ts';

const soon = { timeout: 8_000, interval: 20 };
const ping = rpc({ service: 'source', verb: 'ping', scope: 'hub', request: z.unknown(), reply: z.string(), errors: [], deadlineMs: 5_000 });

describe('a bus over NATS', () => {
  let server: NatsServer;
  const buses: ServiceBus[] = [];
  const open = async (options: Partial<Parameters<typeof connectNatsBus>[0]> = {}) => {
    const bus = await connectNatsBus({ servers: [server.url], name: 'test', ...options });
    buses.push(bus);
    return bus;
  };
  const answerPings = (bus: ServiceBus, body = JSON.stringify('pong')) =>
    bus.wire.subscribe('hk.v1.*.source.ping', 'source', (request) => request.respond({ [OUTCOME_HEADER]: OUTCOME_OK }, Buffer.from(body)));

  beforeEach(async () => {
    server = await natsServer();
  });
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
    await server[Symbol.asyncDispose]();
  });

  it('waits for a server that comes late, and gives up in time when none comes', async () => {
    await server.kill();
    await expect(open({ connectWithinMs: 300 })).rejects.toMatchObject({ code: 'bus/unavailable' });
    const late = open();
    await server.start();
    await expect((await late).views.storeId()).resolves.toMatch(/^[0-9a-f]{12}$/);
  });

  it('is connected again soon although the wall clock was set back meanwhile', async () => {
    const bus = await open();
    await server.kill();
    await vi.waitFor(() => expect(bus.wire.connected).toBe(false), soon);
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 600_000);
    onTestFinished(() => clock.mockRestore());
    await server.start();
    await vi.waitFor(() => expect(bus.wire.connected).toBe(true), { timeout: 5_000, interval: 20 });
  });

  it('fails calls at once while the server is gone, goes on when it is back, and sends nothing late', async () => {
    const [answering, calling] = [await open(), await open()];
    await answerPings(answering);
    await expect(calling.call(ping, { swarm: 'east' }, {})).resolves.toBe('pong');
    await calling.views.put('west.swarm', 1);
    await server.kill();
    await vi.waitFor(() => expect(calling.wire.connected).toBe(false), soon);
    const started = performance.now();
    await expect(calling.call(ping, { swarm: 'east' }, {})).rejects.toMatchObject({ code: 'bus/unavailable' });
    await expect(calling.views.put('east.swarm', 1)).rejects.toMatchObject({ code: 'bus/unavailable' });
    expect(performance.now() - started).toBeLessThan(500);
    await server.start();
    await vi.waitFor(() => expect(calling.call(ping, { swarm: 'east' }, {}, { timeoutMs: 200 })).resolves.toBe('pong'), soon);
    const log: string[] = [];
    await calling.views.watch(
      ({ key }) => log.push(key),
      () => log.push('ready'),
    );
    await vi.waitFor(() => expect(log).toEqual(['west.swarm', 'ready']), soon);
  });

  it('stores an event once that is published again since its acknowledgement was lost, and an equal one beside it', async () => {
    const bus = await open();
    const event = { application: 'shop', swarm: 'east', type: 'sync-started' as const, at: '2026-01-02T03:04:05Z' };
    const first = await bus.events.publish(event);
    expect(await bus.events.publish(event)).toBe(first);
    expect(await bus.events.publish({ ...event })).not.toBe(first);
  });

  it('fails a call in hand when the connection is lost', async () => {
    const bus = await open();
    const taken = new Promise<void>((resolve) => void bus.wire.subscribe('hk.v1.*.source.ping', 'source', () => resolve()));
    const call = bus.call(ping, { swarm: 'east' }, {}, { timeoutMs: 60_000 }).catch((error: unknown) => error);
    await taken;
    await server.kill();
    expect(await call).toMatchObject({ code: 'bus/unavailable' });
  });

  it('keeps the log over a restart: no reset, no hole, no repetition', async () => {
    const bus = await open();
    const heard: StoredEvent[] = [];
    await bus.events.subscribe(undefined, (stored) => heard.push(stored));
    const publish = (application: string) => bus.events.publish({ application, swarm: 'east', type: 'sync-started', at: '' });
    await publish('a');
    await server.kill();
    await server.start();
    await vi.waitFor(() => publish('b'), soon);
    await publish('c');
    await vi.waitFor(
      () => expect(heard.map((stored) => ('event' in stored ? stored.event.application : 'RESET'))).toEqual(['a', 'b', 'c']),
      soon,
    );
  });

  it('notices a stream that was deleted by hand while connected', async () => {
    const bus = await open();
    const log: string[] = [];
    await bus.views.put('east.swarm', 1);
    await bus.views.watch(
      ({ key, value }) => log.push(`${key}=${value}`),
      () => undefined,
    );
    await vi.waitFor(() => expect(log).toEqual(['east.swarm=1']), soon);
    const admin = await connect({ servers: server.url });
    await (await jetstreamManager(admin)).streams.delete('KV_hk-views');
    await admin.close();
    await bus.views.put('east.swarm', 2);
    await vi.waitFor(() => expect(log).toEqual(['east.swarm=1', 'east.swarm=undefined', 'east.swarm=2']), soon);
  });

  it('delivers a burst in order and without a hole', async () => {
    const [writing, reading] = [await open(), await open()];
    const heard: string[] = [];
    await reading.events.subscribe(undefined, (stored) => 'event' in stored && heard.push(stored.event.application));
    const sent = Array.from({ length: 600 }, (_, at) => `e${at}`);
    for (const application of sent) await writing.events.publish({ application, swarm: 'east', type: 'sync-started', at: '' });
    await vi.waitFor(() => expect(heard).toEqual(sent), soon);
  });

  it('refuses a request that the server would not carry', async () => {
    const bus = await open();
    await answerPings(bus);
    const incompressible = randomBytes(1_500_000).toString('base64');
    await expect(bus.call(ping, { swarm: 'east' }, incompressible)).rejects.toMatchObject({ code: 'bus/too-large' });
    await expect(bus.views.put('east.swarm', incompressible)).rejects.toMatchObject({ code: 'bus/too-large' });
  });

  it('does not fail on an answer that is not ours', async () => {
    const bus = await open();
    await answerPings(bus, 'not json');
    await expect(bus.call(ping, { swarm: 'east' }, {})).rejects.toMatchObject({ code: 'bus/invalid-message' });
  });

  it('names a credentials file that it can not read', async () => {
    await expect(open({ credentials: { user: 'source', passwordFile: '/nonexistent/password' } })).rejects.toMatchObject({
      code: 'config/invalid',
      message: expect.stringContaining('/nonexistent/password'),
    });
  });
});
