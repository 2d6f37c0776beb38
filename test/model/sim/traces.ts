import { HivekeepError } from '@hivekeep/contracts';
import { expect } from 'vitest';
import type { Content } from './repository.ts';
import {
  at,
  content,
  declare,
  deployed,
  holder,
  LOAD,
  leaveASourceBehind,
  MINUTE,
  names,
  records,
  trace,
  until,
  volumes,
  world,
} from './scene.ts';
import type { Kind } from './simulated-swarm.ts';

trace('T1 deleted by hand: epochs go on growing, and agents obey the next holder', async () => {
  await deployed(['shop', 'blog']);
  const before = holder().lease.epoch;
  world.swarm.removeByHand('configs', 'hivekeep.lease.default');
  await world.time.pass(MINUTE);
  expect(holder().lease.epoch).toBeGreaterThan(before);
  declare(['blog']);
  await world.time.pass(2 * MINUTE);
  world.personAgrees(false);
  await world.time.pass(2 * MINUTE);
  expect([volumes('shop'), records('shop')]).toEqual([[], []]);
});

trace('T2 a holder whose machine was suspended with its clock does not overwrite its successor', async () => {
  await deployed(['shop']);
  const former = holder();
  former.host.suspend();
  declare(['shop'], new Map([['shop', { ...content, version: 2 }]]));
  await world.time.pass(MINUTE);
  const { epoch } = holder().lease;
  former.host.resume();
  await world.time.pass(MINUTE);
  expect(former.active).toBe(false);
  expect(holder().lease.epoch).toBe(epoch);
  expect(records('shop')).toEqual(['swarmcli.release.shop.v1', 'swarmcli.release.shop.v2']);
});

trace('T3 a former holder that becomes active again has forgotten what it knew', async () => {
  await deployed(['shop', 'blog', 'wiki']);
  const former = holder();
  await leaveASourceBehind(async () => {
    former.host.suspend();
    declare(['wiki']);
    await world.time.pass(3 * MINUTE);
    expect([names('services', 'shop'), names('services', 'blog')]).toEqual([[], []]);
    holder().crash();
  });
  former.host.resume();
  await world.time.pass(2 * MINUTE);
  expect(former.active).toBe(true);
  expect([names('services', 'shop'), names('services', 'blog')]).toEqual([[], []]);
});

for (const number of ['T4', 'T5'])
  trace(`${number} is silent where the newest commit is not known: what was added again stays`, async () => {
    await deployed(['shop', 'blog']);
    const [knows, other] = world.sources;
    declare(['blog']);
    await world.time.pass(LOAD);
    declare(['shop', 'blog']);
    if (number === 'T5') world.commit({ set: undefined });
    if (number === 'T4' && knows && other) [knows.reachesGit, other.present] = [false, false];
    await world.time.pass(4 * MINUTE);
    expect([volumes('shop').length, names('services', 'shop')]).toEqual([3, ['shop_web']]);
  });

trace('T6 what moved to another swarm keeps its volumes, also when it leaves there', async () => {
  await deployed(['shop', 'blog']);
  declare(['blog', at('shop', { swarm: 'other' })]);
  await world.time.pass(2 * MINUTE);
  expect(names('services', 'shop')).toEqual([]);
  declare(['blog']);
  await world.time.pass(4 * MINUTE);
  expect([volumes('shop').length, records('shop')]).toEqual([3, ['swarmcli.release.shop.v1']]);
});

trace('what moved keeps its volumes, also when its application comes back with another release and then leaves', async () => {
  await deployed(['shop', 'blog']);
  declare(['blog', at('shop', { swarm: 'other' })]);
  await world.time.pass(2 * MINUTE);
  declare(['blog', at('shop', { release: 'store' })]);
  await world.time.pass(2 * MINUTE);
  expect([names('services', 'shop'), names('services', 'store')]).toEqual([[], ['store_web']]);
  declare(['blog']);
  await world.time.pass(4 * MINUTE);
  expect([volumes('shop').length, volumes('store').length, records('shop').length]).toEqual([3, 0, 1]);
});

for (const owner of ['shop', 'store'])
  trace(`what moved keeps its volumes, also when a record of it as ${owner}'s lands later than the mark`, async () => {
    await deployed(['shop', 'blog']);
    const elsewhere = at('shop', { release: owner === 'shop' ? 'shop' : 'old', swarm: 'other' });
    const former = holder();
    let hung = false;
    world.intercept = ({ body }, by) => {
      const sent = JSON.stringify(body ?? '');
      if (by === former && sent.includes('hivekeep.app.default.shop')) {
        former.crash();
        declare(['blog']);
      }
      if (hung || !sent.includes('swarmcli.release.shop.v2')) return undefined;
      hung = true;
      declare(['blog', elsewhere]);
      return 40_000;
    };
    declare(
      ['blog', at(owner, { release: 'shop' }), ...(owner === 'shop' ? [] : [elsewhere])],
      new Map([...world.repository.head.files, [owner, { ...content, version: 2 }]]),
    );
    await until(() => records('shop').length === 2);
    expect([former.host.dead, names('services', 'shop')]).toEqual([true, ['shop_web']]);
    await world.time.pass(4 * MINUTE);
    expect([names('services', 'shop'), volumes('shop').length, records('shop').length]).toEqual([[], 3, 2]);
  });

for (const kind of ['services', 'configs'])
  trace(`T7 a delete among the ${kind} that hangs hits nothing of what was installed anew`, async () => {
    await deployed(['shop', 'blog']);
    let hung = '';
    const ids = new Set(world.swarm.objects(kind as Kind).flatMap((one) => (/release\.shop|shop_web/.test(one.Spec.Name) ? [one.ID] : [])));
    world.intercept = ({ method, path }) => {
      const [, , id = ''] = path.split('/');
      if (hung || method !== 'DELETE' || !ids.has(id)) return undefined;
      hung = id;
      declare(['shop', 'blog']);
      return MINUTE;
    };
    declare(['blog']);
    await world.time.pass(4 * MINUTE);
    expect(hung).not.toBe('');
    expect([names('services', 'shop'), records('shop').length]).toEqual([['shop_web'], kind === 'services' ? 2 : 1]);
  });

trace('installs what is declared again in the middle of its sweep as soon as that has let go of it', async () => {
  await deployed(['shop', 'blog'], { reconcileIntervalMs: 60 * MINUTE });
  let hung = false;
  world.intercept = ({ method, path }) => {
    if (hung || method !== 'DELETE' || !path.startsWith('/services/')) return undefined;
    hung = true;
    declare(['shop', 'blog']);
    return 5_000;
  };
  declare(['blog']);
  await world.time.pass(3 * MINUTE);
  expect([hung, names('services', 'shop')]).toEqual([true, ['shop_web']]);
});

trace('holds what leaves while a turn is under way, when that is too much', async () => {
  const gone = ['blog', 'mail', 'news', 'wiki'];
  await deployed(['shop', 'data', ...gone], { pruneVolumesAfterMs: 0 });
  let slow = false;
  world.intercept = ({ method, path }) => {
    if (slow || method !== 'DELETE' || !path.startsWith('/services/')) return undefined;
    slow = true;
    for (const { host } of world.sources) host.suspend();
    world.time.at(world.time.world, LOAD, () => world.sources.forEach(({ host }) => void host.resume()));
    return undefined;
  };
  declare(['data', ...gone]);
  await world.time.pass(LOAD);
  declare(['data']);
  await world.time.pass(2 * MINUTE);
  expect([slow, names('services', 'shop'), gone.flatMap((name) => names('services', name)).length]).toEqual([true, [], gone.length]);
});

trace('T8 added again and removed again: its volumes wait the whole time once more', async () => {
  await deployed(['shop', 'blog'], { pruneVolumesAfterMs: 2 * MINUTE });
  declare(['blog']);
  await world.time.pass(MINUTE);
  declare(['blog', 'shop']);
  await world.time.pass(MINUTE);
  declare(['blog']);
  await world.time.pass(1.5 * MINUTE);
  expect([names('services', 'shop'), volumes('shop').length]).toEqual([[], 3]);
  await world.time.pass(2 * MINUTE);
  expect(volumes('shop')).toEqual([]);
});

trace('T9 its own records keep nothing of it', async () => {
  await deployed(['shop', 'blog']);
  declare(['blog']);
  await world.time.pass(4 * MINUTE);
  expect([names('services', 'shop'), volumes('shop'), records('shop')]).toEqual([[], [], []]);
});

trace('T10 what a first install that crashed has left goes, and its name is free', async () => {
  await deployed(['blog']);
  holder().dieAfter = 3;
  declare(
    ['blog', 'shop'],
    new Map([
      ['blog', content],
      ['shop', content],
    ]),
  );
  await world.time.pass(LOAD);
  expect(names('configs', 'shop')).toContain('hivekeep.intent.shop.v1');
  declare(['blog']);
  await world.time.pass(4 * MINUTE);
  expect([names('networks', 'shop'), names('configs', 'shop')]).toEqual([[], []]);
  declare(
    ['blog', at('store', { release: 'shop' })],
    new Map([
      ['blog', content],
      ['store', content],
    ]),
  );
  await world.time.pass(MINUTE);
  expect(names('services', 'shop')).toEqual(['shop_web']);
});

trace('T11 a ticket lasts 10 s of the agent alone, however far clocks are apart', async () => {
  await deployed(['shop', 'blog']);
  const [node] = world.nodes;
  const agent = node?.agent;
  if (!agent) throw new Error('no agent');
  agent.host.ahead = -40_000;
  const answered: string[] = [];
  const epoch = holder().lease.epoch;
  const ask = async (waitMs: number): Promise<void> => {
    const { ticket } = await agent.door.stackVolumes({ stack: 'shop', epoch });
    await new Promise((resolve) => agent.host.after(waitMs, () => resolve(undefined)));
    const removal = agent.door.removeVolume({ stack: 'shop', volume: 'shop_data', ticket, epoch });
    answered.push(
      await removal.then(
        () => 'removed',
        (error: unknown) => HivekeepError.from(error).code,
      ),
    );
  };
  agent.host.run(() => void ask(11_000));
  await world.time.pass(12_000);
  agent.host.run(() => void ask(9_000));
  await world.time.pass(10_000);
  expect(answered).toEqual(['node/ticket', 'swarm/in-use']);
  declare(['blog']);
  await world.time.pass(4 * MINUTE);
  expect(volumes('shop')).toEqual([]);
});

trace('T12 a node that was removed while it was down is waited for, and comes back under another id', async () => {
  await deployed(['shop', 'blog']);
  const [lost] = world.nodes;
  if (!lost) throw new Error('no node');
  Object.assign(lost, { state: 'down', listed: false });
  lost.stopAgent();
  declare(['blog']);
  await world.time.pass(4 * MINUTE);
  expect([volumes('shop'), records('shop').length]).toEqual([[lost.id], 1]);
  world.swarm.removeNode(lost);
  world.addNode(lost.volumes);
  world.personAgrees(true);
  await world.time.pass(2 * MINUTE);
  expect([volumes('shop'), records('shop')]).toEqual([[], []]);
});

trace('T13 a volume that a service of 0 replicas mounts stays', async () => {
  await deployed(['shop', 'blog']);
  const mounting: Content = { version: 1, volume: false, replicas: 0, mounts: 'shop_data' };
  declare(
    ['blog', 'idle', 'shop'],
    new Map([
      ['blog', content],
      ['idle', mounting],
      ['shop', content],
    ]),
  );
  await world.time.pass(MINUTE);
  declare(['blog', 'idle']);
  await world.time.pass(4 * MINUTE);
  expect([names('services', 'shop'), volumes('shop').length]).toEqual([[], 3]);
});
