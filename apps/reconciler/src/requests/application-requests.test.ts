import { HivekeepError } from '@hivekeep/contracts';
import { MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { AppStateStore } from '@hivekeep/swarm';
import { FakeEngine } from '@hivekeep/swarm/testing';
import { aSpec } from '@hivekeep/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Board } from '../board.ts';
import { Registrations } from '../registrations.ts';
import type { ApplicationEntry } from '../work/application-entry.ts';
import { ApplicationRequests } from './application-requests.ts';

/** Requests of one application, `shop`, whose passes take their turns and end when told to. */
async function given() {
  const engine = await FakeEngine.start();
  const swarm = engine.client();
  const bus = new MemoryBus(new MemoryBroker(), silentLogger);
  const stop = new AbortController();
  const registrations = new Registrations();
  await registrations.apply([aSpec({ name: 'shop' })]);
  const states = new AppStateStore({ swarm, controllerId: 'default', beforeWrite: () => undefined });
  const asked: { force: boolean; start(): void; end(): void }[] = [];
  const requests = new ApplicationRequests({
    registrations,
    states,
    board: new Board(bus, 'home', silentLogger, () => new Date(0)),
    logger: silentLogger,
    signal: stop.signal,
    now: () => new Date(0),
    held: () => undefined,
    rollbackTarget: async (_, { release = 'shop', to = 1 }) => ({ release, revision: to }),
    pass: (_, { force, started }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      asked.push({ force, start: () => started?.(), end: resolve });
      return promise;
    },
  });
  onTestFinished(async () => {
    for (const pass of asked) pass.end();
    await requests.settled();
    stop.abort();
    await bus.close();
    swarm.close();
    await engine[Symbol.asyncDispose]();
  });
  return { requests, states, asked, engine, entry: registrations.get('shop') as ApplicationEntry };
}

it('notes a sync before it is accepted, and takes the note back when it has an outcome', async () => {
  const { requests, states, asked } = await given();
  expect(await requests.sync('shop', 'kim')).toEqual({ application: 'shop', accepted: true });
  expect((await states.read('shop')).sync).toMatchObject({ actor: 'kim' });
  asked[0]?.start();
  asked[0]?.end();
  await vi.waitFor(async () => expect(await states.read('shop')).toEqual({}));
});

it.each(['sync', 'rollback'] as const)(
  'takes the note of a finished %s back when the swarm could not be written to just then',
  async (what) => {
    const { requests, states, asked, engine } = await given();
    await (what === 'sync' ? requests.sync('shop', 'kim') : requests.rollback('shop', 'kim', {}));
    engine.behave = () => ({ fail: 503, text: 'no leader' });
    asked[0]?.start();
    asked[0]?.end();
    const before = engine.calls.length;
    await vi.waitFor(() => expect(engine.calls.length).toBeGreaterThan(before));
    engine.behave = () => 'pass';
    await vi.waitFor(async () => expect(await states.read('shop')).toEqual({}), 5_000);
  },
);

it('runs one sync, lets one wait, and joins more to that one', async () => {
  const { requests, asked } = await given();
  await requests.sync('shop', 'kim');
  asked[0]?.start();
  expect(await requests.sync('shop', 'kim')).toMatchObject({ accepted: true });
  expect(await requests.sync('shop', 'kim')).toMatchObject({ coalesced: true });
  expect(asked).toHaveLength(2);
});

it('does not accept a sync that cannot be noted', async () => {
  const { requests, asked, engine, entry } = await given();
  engine.behave = () => ({ fail: 503, text: 'no leader' });
  await expect(requests.sync('shop', 'kim')).rejects.toThrow(HivekeepError);
  expect(asked).toEqual([]);
  expect(entry.queued).toBeUndefined();
});

it('runs once what an earlier holder accepted, and never again what runs already', async () => {
  const { requests, states, asked, entry } = await given();
  const sync = { id: 'a', actor: 'kim', at: '2026-01-02T03:04:05Z' };
  await states.update('shop', () => ({ sync }));
  requests.resumeAccepted(entry, { sync });
  requests.resumeAccepted(entry, { sync });
  asked[0]?.start();
  requests.resumeAccepted(entry, { sync });
  expect(asked.map(({ force }) => force)).toEqual([true]);
});

it('drops what was accepted for an application that has left, and nothing else', async () => {
  const { requests, states } = await given();
  const sync = { id: 'a', actor: 'kim', at: '2026-01-02T03:04:05Z' };
  const hold = { reason: 'pause' as const, by: 'kim', at: sync.at };
  for (const application of ['shop', 'blog']) await states.update(application, () => ({ sync, hold }));
  await requests.forgetDeparted(new Map(['shop', 'blog', 'wiki'].map((name) => [name, name === 'wiki' ? {} : { sync, hold }])));
  expect(await states.read('blog')).toEqual({ hold });
  expect(await states.read('shop')).toEqual({ sync, hold });
});

it('keeps one refresh waiting, however many are asked for', async () => {
  const { requests, asked } = await given();
  for (let time = 0; time < 5; time += 1) await requests.refresh('shop', 'kim');
  expect(asked).toHaveLength(1);
  asked[0]?.start();
  await requests.refresh('shop', 'kim');
  expect(asked.map(({ force }) => force)).toEqual([false, false]);
});

it('knows no application that is not in the set', async () => {
  const { requests } = await given();
  await expect(requests.sync('blog', 'kim')).rejects.toMatchObject({ code: 'application/unknown' });
});
