import { eventually } from '@hivekeep/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import { FakeEngine } from '../testing/fake-engine.ts';
import { type SwarmChange, SwarmWatcher } from './swarm-watcher.ts';

let engine: FakeEngine;
let swarm: DockerSwarm;
let watcher: SwarmWatcher;
let changes: SwarmChange[];
beforeEach(async () => {
  engine = await FakeEngine.start();
  swarm = engine.client(500);
  watcher = new SwarmWatcher({ swarm });
  changes = [];
  watcher.onChanged((change) => changes.push(change));
  watcher.start();
  await eventually(() => watcher.connected, { intervalMs: 5 });
  await watcher.refresh({ withTasks: false });
  changes.length = 0;
});
afterEach(async () => {
  await watcher.stop();
  swarm.close();
  await engine[Symbol.asyncDispose]();
});

const Labels = { 'com.docker.stack.namespace': 'st' };
const emit = (Type: string, Action: string, ID: string, name: string) =>
  engine.emit(`${JSON.stringify({ Type, Action, Actor: { ID, Attributes: { name } } })}\n`);
/** A change told after everything before it was looked at. */
async function told(): Promise<SwarmChange[]> {
  emit('node', 'update', 'fence', 'fence');
  await eventually(() => changes.some((change) => change.kind === 'node'), { intervalMs: 2 });
  return changes.filter((change) => change.kind !== 'node');
}
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = engine.calls.length;
  await work();
  return engine.calls.slice(before).map(({ method, path }) => `${method} ${path}`);
}

describe('a refresh', () => {
  test('takes the same calls whatever the swarm holds, and ships no record again', async () => {
    const few = await callsOf(() => watcher.refresh({ withTasks: true }));
    for (let i = 0; i < 200; i++) {
      engine.add('services', { Name: `s${i}`, Labels });
      engine.add('configs', { Name: `c${i}`, Labels, Data: 'eA==' });
    }
    watcher.resync();
    expect((await watcher.refresh({ withTasks: true })).configs).toHaveLength(200);
    const many = await callsOf(() => watcher.refresh({ withTasks: true }));
    expect(many).toEqual(few);
    expect(many).toHaveLength(6);
    expect(engine.calls.at(-1)?.method).toBe('GET');
    const configLists = engine.calls.slice(-6).filter(({ path }) => path === '/configs');
    expect(configLists.map(({ url }) => decodeURIComponent(url))).toEqual(['/configs?filters={"label":["com.hivekeep.type"]}']);
  });

  test('reads a config that a hint named, and drops one that is gone', async () => {
    const id = engine.add('configs', { Name: 'c', Labels, Data: 'eA==' });
    emit('config', 'create', id, 'c');
    await told();
    expect((await watcher.refresh({ withTasks: false })).configs.map(({ name }) => name)).toEqual(['c']);
    engine.remove('configs', id);
    changes.length = 0;
    emit('config', 'remove', id, 'c');
    expect(await told()).toEqual([{ kind: 'config', id, name: 'c', action: 'remove', stack: 'st' }]);
    expect((await watcher.refresh({ withTasks: false })).configs).toEqual([]);
  });

  test('sees our own small configs come, change and go without a hint', async () => {
    const id = engine.add('configs', { Name: 'hivekeep.app.c1.a', Labels: { 'com.hivekeep.type': 'app', x: '1' }, Data: 'eA==' });
    const read = async () => (await watcher.refresh({ withTasks: false })).configs.map(({ labels }) => labels.x);
    expect(await read()).toEqual(['1']);
    engine.relabel('configs', 'hivekeep.app.c1.a', (labels) => ({ ...labels, x: '2' }));
    expect(await read()).toEqual(['2']);
    engine.remove('configs', id);
    expect(await read()).toEqual([]);
  });

  test.each(['/services', '/networks', '/configs', '/secrets', '/nodes', '/tasks'])(
    'is an error when %s can not be read, never empty',
    async (part) => {
      engine.behave = ({ path }) => (path === part ? { fail: 500, text: 'The swarm does not have a leader.' } : 'pass');
      await expect(watcher.refresh({ withTasks: true })).rejects.toMatchObject({ code: 'swarm/no-leader' });
      engine.behave = () => 'pass';
      await watcher.refresh({ withTasks: true });
    },
  );

  test('reads everything anew after a reconnect, because hints may be missing', async () => {
    engine.add('configs', { Name: 'unheard', Labels, Data: 'eA==' });
    expect((await watcher.refresh({ withTasks: false })).configs).toEqual([]);
    engine.cutStreams();
    await eventually(() => changes.some(({ kind }) => kind === 'resync'), { intervalMs: 5 });
    expect((await watcher.refresh({ withTasks: false })).configs).toHaveLength(1);
  });
});

describe('a full read that failed', () => {
  test('is made again at the next refresh', async () => {
    engine.add('configs', { Name: 'unheard', Labels, Data: 'eA==' });
    watcher.resync();
    engine.behave = ({ path }) => (path === '/configs' ? 'drop' : 'pass');
    await expect(watcher.refresh({ withTasks: false })).rejects.toMatchObject({ code: 'swarm/unreachable' });
    engine.behave = () => 'pass';
    expect((await watcher.refresh({ withTasks: false })).configs).toHaveLength(1);
  });
});

describe('changes', () => {
  test("somebody's service is told with its stack; the same spec under a new index is not", async () => {
    const id = engine.add('services', { Name: 'st_web', Labels });
    emit('service', 'create', id, 'st_web');
    expect(await told()).toEqual([{ kind: 'service', id, name: 'st_web', action: 'create', stack: 'st' }]);
    changes.length = 0;
    engine.relabel('services', 'st_web', (labels) => labels);
    emit('service', 'update', id, 'st_web');
    expect(await told()).toEqual([]);
    changes.length = 0;
    engine.remove('services', id);
    emit('service', 'remove', id, 'st_web');
    expect(await told()).toEqual([{ kind: 'service', id, name: 'st_web', action: 'remove', stack: 'st' }]);
  });

  test('what we write ourselves is not told, before and after the call returns', async () => {
    const spec = { Name: 'st_web', Labels, TaskTemplate: {}, Mode: {} };
    const { id } = await watcher.own({ kind: 'service', name: 'st_web', action: 'create' }, async () => {
      const made = await swarm.createService(spec);
      emit('service', 'create', made.id, 'st_web');
      return made;
    });
    emit('service', 'update', id, 'st_web');
    const config = await watcher.own({ kind: 'config', name: 'c', action: 'create' }, () =>
      swarm.createConfig({ Name: 'c', Data: 'eA==' }),
    );
    emit('config', 'create', config.id, 'c');
    expect(await told()).toEqual([]);
    expect((await watcher.refresh({ withTasks: false })).configs).toHaveLength(1);
  });

  test('a foreign write right after ours is told', async () => {
    const spec = { Name: 'st_web', Labels, TaskTemplate: {}, Mode: {} };
    const { id } = await watcher.own({ kind: 'service', name: 'st_web', action: 'create' }, () => swarm.createService(spec));
    engine.relabel('services', 'st_web', (labels) => ({ ...labels, hand: 'made' }));
    emit('service', 'update', id, 'st_web');
    expect(await told()).toHaveLength(1);
  });

  test("the lease's renewals and swarm's own network updates are not told", async () => {
    emit('config', 'update', 'x', 'hivekeep.lease.c1');
    emit('network', 'update', 'y', 'n');
    expect(await told()).toEqual([]);
  });

  test('what can not be read is told all the same', async () => {
    engine.behave = ({ path }) => (path.startsWith('/services/') ? { fail: 500, text: 'The swarm does not have a leader.' } : 'pass');
    emit('service', 'update', 'id9', 'st_web');
    expect(await told()).toEqual([{ kind: 'service', id: 'id9', name: 'st_web', action: 'update' }]);
  });
});
