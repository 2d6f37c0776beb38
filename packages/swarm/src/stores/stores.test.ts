import { HivekeepError } from '@hivekeep/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import { FakeEngine } from '../testing/fake-engine.ts';
import { AppStateStore, appStatesOf } from './app-state-store.ts';
import { type Intent, IntentStore, intentsOf } from './intent-store.ts';
import { RecordStore } from './record-store.ts';

let engine: FakeEngine;
let swarm: DockerSwarm;
let allowed: boolean;
beforeEach(async () => {
  engine = await FakeEngine.start();
  swarm = engine.client(500);
  allowed = true;
});
afterEach(async () => {
  swarm.close();
  await engine[Symbol.asyncDispose]();
});
const beforeWrite = () => {
  if (!allowed) throw new HivekeepError('lease/deposed', 'not the holder');
};
const hold = { reason: 'pause', by: 'ann', at: '2026-01-01T00:00:00Z' };

describe("an application's state", () => {
  const store = () => new AppStateStore({ swarm, controllerId: 'c1', beforeWrite });

  test('is made when there is something to keep and removed when there is nothing left', async () => {
    const states = store();
    expect(await states.update('app', (state) => state)).toEqual({});
    expect(engine.objects('configs')).toEqual([]);
    await states.update('app', () => ({ hold }));
    expect(await states.read('app')).toEqual({ hold });
    expect(appStatesOf(await swarm.listConfigs(), 'c1')).toEqual(new Map([['app', { hold }]]));
    expect(appStatesOf(await swarm.listConfigs(), 'c2').size).toBe(0);
    await states.update('app', () => ({}));
    expect(engine.objects('configs')).toEqual([]);
  });

  test('what is kept while the removal of an emptied state lands late is not lost with it', async () => {
    const states = store();
    await states.update('app', () => ({ hold }));
    const removed = engine.objects('configs')[0]?.ID ?? '';
    engine.behave = ({ method }) => (method === 'DELETE' ? 'hang' : 'pass');
    await expect(states.update('app', () => ({}))).rejects.toMatchObject({ code: 'swarm/timeout' });
    engine.behave = () => 'pass';
    await states.update('app', () => ({ hold }));
    engine.remove('configs', removed);
    expect(await states.read('app')).toEqual({ hold });
  });

  test('a conflict is read again; what others keep there stays', async () => {
    const states = store();
    await states.update('app', () => ({ hold }));
    let meddled = false;
    const result = await states.update('app', (state) => {
      if (!meddled)
        engine.relabel('configs', 'hivekeep.app.c1.app', (labels) => ({ ...labels, 'com.hivekeep.state.later': '1', note: 'x' }));
      meddled = true;
      return { ...state, sync: { id: 's1', actor: 'bob', at: 'now' } };
    });
    expect(result).toMatchObject({ hold, sync: { id: 's1' } });
    expect(engine.objects('configs')[0]?.Spec.Labels).toMatchObject({ 'com.hivekeep.state.later': '1', note: 'x' });
  });

  test('over 8 KiB it is refused, and a process that is not the holder writes nothing', async () => {
    const states = store();
    await expect(states.update('app', () => ({ hold: { ...hold, message: 'x'.repeat(9_000) } }))).rejects.toMatchObject({
      code: 'state/too-large',
    });
    allowed = false;
    await expect(states.update('app', () => ({ hold }))).rejects.toMatchObject({ code: 'lease/deposed' });
    expect(engine.objects('configs')).toEqual([]);
  });

  test('a long name is cut, and its label has the whole', async () => {
    const application = 'a'.repeat(80);
    await store().update(application, () => ({ hold }));
    expect(engine.objects('configs')[0]?.Spec.Name).toHaveLength(64);
    expect(appStatesOf(await swarm.listConfigs(), 'c1').get(application)).toEqual({ hold });
  });

  test('a label that is no state is named', async () => {
    engine.add('configs', {
      Name: 'hivekeep.app.c1.app',
      Labels: { 'com.hivekeep.type': 'app', 'com.hivekeep.controller': 'c1', 'com.hivekeep.state.hold': '{"by":1}' },
    });
    await expect(store().read('app')).rejects.toMatchObject({
      code: 'swarm/invalid',
      message: expect.stringContaining('com.hivekeep.state.hold'),
    });
  });
});

describe('an intent', () => {
  const intent: Intent = {
    release: 'shop',
    revision: 3,
    owner: 'cd/c1/shop',
    application: 'shop',
    epoch: 42,
    names: { services: ['shop_web'], networks: ['shop_net'], configs: [], secrets: [] },
  };

  test('is all in labels, and its name is the fence', async () => {
    const intents = new IntentStore({ swarm, beforeWrite });
    const id = await intents.create(intent);
    expect(await intents.list()).toEqual([expect.objectContaining({ ...intent, id })]);
    expect(intentsOf(await swarm.listConfigs())).toEqual(await intents.list());
    await expect(intents.create({ ...intent, owner: 'cd/c1/other' })).rejects.toMatchObject({ code: 'swarm/exists' });
    expect(engine.objects('configs')[0]?.Spec.Labels).not.toHaveProperty('com.swarmcli.type');
    await intents.remove(id);
    await intents.remove(id);
    expect(await intents.list()).toEqual([]);
  });

  test('of two that race one wins', async () => {
    const intents = new IntentStore({ swarm, beforeWrite });
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => intents.create(intent)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('one that can not be read is named', async () => {
    engine.add('configs', { Name: 'strange', Labels: { 'com.hivekeep.type': 'intent' } });
    await expect(new IntentStore({ swarm, beforeWrite }).list()).rejects.toMatchObject({
      code: 'swarm/invalid',
      message: expect.stringContaining('strange'),
    });
  });
});

describe('records', () => {
  const decoded: string[] = [];
  const codec = {
    isRecord: (labels: Record<string, string>) => labels['com.swarmcli.type'] === 'release',
    decode: (data: Uint8Array) => {
      const text = Buffer.from(data).toString();
      decoded.push(text);
      if (text === 'broken') throw new Error('no gzip');
      return text;
    },
  };
  const labels = (release: string) => ({ 'com.swarmcli.type': 'release', 'com.swarmcli.release': release });
  const store = (budgetBytes = 100) => new RecordStore({ swarm, codec, beforeWrite, budgetBytes });
  const encode = (revision: number) => ({
    name: `swarmcli.release.shop.v${revision}`,
    labels: labels('shop'),
    data: Buffer.from(`r${revision}`),
  });

  test('each is decoded once; one that can not be is kept apart', async () => {
    decoded.length = 0;
    const records = store();
    await records.create({ revision: 1, encode, beforeRetry: async () => {} });
    engine.add('configs', { Name: 'x', Labels: labels('x'), Data: Buffer.from('broken').toString('base64') });
    engine.add('configs', { Name: 'y', Labels: {}, Data: 'eA==' });
    const configs = await swarm.listConfigs();
    for (let i = 0; i < 2; i++) {
      const found = await records.of(configs);
      expect(found.records.map(({ record }) => record)).toEqual(['r1']);
      expect(found.unreadable.map(({ config }) => config.name)).toEqual(['x']);
    }
    expect(decoded).toEqual(['r1', 'broken']);
  });

  test('one that was removed after it was listed is left out, by whoever removed it and by who never read it', async () => {
    const records = store();
    const { id } = await records.create({ revision: 1, encode, beforeRetry: async () => {} });
    await records.create({ revision: 2, encode, beforeRetry: async () => {} });
    const configs = await swarm.listConfigs();
    expect((await records.of(configs)).records).toHaveLength(2);
    await records.remove(id);
    for (const reader of [records, store()]) {
      const { records: found } = await reader.of(configs);
      expect(found.map(({ record }) => record)).toEqual(['r2']);
    }
  });

  test('a taken name: renewed first, then the next number, at most six times', async () => {
    const records = store();
    for (const revision of [1, 2]) await records.create({ revision, encode, beforeRetry: async () => {} });
    let renewals = 0;
    const request = { revision: 1, encode, beforeRetry: async () => void renewals++ };
    expect(await records.create(request)).toMatchObject({ revision: 3 });
    expect(renewals).toBe(2);
    for (const revision of [4, 5, 6, 7]) await records.create({ ...request, revision });
    await expect(records.create(request)).rejects.toMatchObject({ code: 'swarm/exists' });
    await expect(
      records.create({ ...request, beforeRetry: () => Promise.reject(new HivekeepError('lease/deposed', 'x')) }),
    ).rejects.toMatchObject({
      code: 'lease/deposed',
    });
  });

  test('the budget warns at half and then refuses, naming the largest release', async () => {
    const data = (bytes: number) => Buffer.alloc(bytes, 'x').toString('base64');
    engine.add('configs', { Name: 'a', Labels: labels('small'), Data: data(10) });
    const records = store();
    expect(records.usage(await swarm.listConfigs())).toEqual({ bytes: 10 });
    engine.add('configs', { Name: 'b', Labels: labels('large'), Data: data(45) });
    const configs = await swarm.listConfigs();
    expect(records.usage(configs)).toMatchObject({ bytes: 55, warning: expect.stringContaining('45 of them by release large') });
    records.assertFits(configs, 45);
    expect(() => records.assertFits(configs, 46)).toThrow(
      expect.objectContaining({ code: 'record/budget', message: expect.stringContaining('large') }),
    );
  });
});

test('a state that was written in a later epoch is not changed by a former holder', async () => {
  await using engine = await FakeEngine.start();
  const store = (epoch: number) =>
    new AppStateStore({ swarm: engine.client(), controllerId: 'default', beforeWrite: () => undefined, epoch: () => epoch });
  const sync = { id: 's1', actor: 'ann', at: '2026-01-02T03:04:05Z' };
  await store(7).update('shop', () => ({ sync }));
  await expect(store(5).update('shop', () => ({}))).rejects.toMatchObject({ code: 'lease/deposed' });
  expect(await store(7).read('shop')).toEqual({ sync });

  engine.behave = ({ method }) => (method === 'DELETE' ? 'drop' : 'pass');
  await expect(store(7).update('shop', () => ({}))).rejects.toThrow();
  engine.behave = () => 'pass';
  await expect(store(5).update('shop', () => ({ sync }))).rejects.toMatchObject({ code: 'lease/deposed' });
  expect(await store(7).read('shop')).toEqual({});
});
