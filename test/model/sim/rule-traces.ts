import { labels as keys } from '@hivekeep/application';
import type { Labels, ServiceSpec } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import { appStateLabels } from '@hivekeep/swarm';
import { expect } from 'vitest';
import { at, build, content, declare, deployed, holder, LOAD, MINUTE, names, records, trace, volumes, world } from './scene.ts';

trace('of those that start at once one holds the lease', async () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    build(seed, 3);
    await world.time.pass(2_400);
    for (let step = 0; step < 80; step += 1) {
      await world.time.pass(10);
      expect(world.reconcilers.filter(({ active }) => active).length).toBeLessThanOrEqual(1);
    }
  }
});

trace('an update that lands late finds that its index has moved', async () => {
  await deployed(['shop']);
  const former = holder();
  world.intercept = ({ path }, by) => {
    if (by !== former || !/^.services.*update$/.test(path)) return undefined;
    former.crash();
    declare(['shop'], new Map([['shop', { ...content, version: 3 }]]));
    return 60_000;
  };
  declare(['shop'], new Map([['shop', { ...content, version: 2 }]]));
  await world.time.pass(2 * MINUTE);
  expect(former.host.dead).toBe(true);
});

trace('an update that hung does not land over what Git has gone back to', async () => {
  await deployed(['shop']);
  let hung = false;
  world.intercept = ({ path }) => {
    if (hung || !/^.services.*update$/.test(path)) return undefined;
    hung = true;
    declare(['shop'], new Map([['shop', content]]));
    return MINUTE;
  };
  declare(['shop'], new Map([['shop', { ...content, version: 2 }]]));
  await world.time.pass(2 * MINUTE);
  const [service] = world.swarm.objects('services');
  expect([hung, (service?.Spec as ServiceSpec | undefined)?.TaskTemplate.ContainerSpec?.Image]).toEqual([true, 'web:1']);
});

for (const [when, isWritten] of [
  ['its mark is written', (mark) => mark !== undefined],
  ['its removal is noted as begun', (mark) => mark?.begun === true],
] satisfies [string, (mark: ReturnType<typeof markOfShop>) => boolean][])
  trace(`what is declared again when ${when} keeps running`, async () => {
    await deployed(['shop', 'blog']);
    const before = world.swarm.objects('services').map(({ ID }) => ID);
    let again = false;
    world.intercept = ({ body }) => {
      if (again || !isWritten(markOfShop(body))) return undefined;
      again = true;
      declare(['shop', 'blog']);
      return undefined;
    };
    declare(['blog']);
    await world.time.pass(2 * MINUTE);
    expect([again, world.swarm.objects('services').map(({ ID }) => ID)]).toEqual([true, before]);
  });

/** The mark of shop's sweep in the body of a write; undefined where there is none. */
function markOfShop(body: unknown) {
  return body instanceof Object && 'Labels' in body ? appStateLabels.read(body.Labels as Labels).sweep?.shop : undefined;
}

trace('what is missing in one load alone keeps running', async () => {
  await deployed(['shop', 'blog']);
  const before = world.swarm.objects('services').map(({ ID }) => ID);
  declare(['blog']);
  await world.time.pass(LOAD);
  declare(['shop', 'blog']);
  await world.time.pass(MINUTE);
  expect(world.swarm.objects('services').map(({ ID }) => ID)).toEqual(before);
});

trace('what a rewritten history lacks waits for a person', async () => {
  await deployed(['shop', 'blog']);
  const { parent } = world.repository.head;
  world.commit({ set: [at('blog')], files: world.repository.head.files }, parent);
  await world.time.pass(2 * MINUTE);
  expect(names('services', 'shop')).toEqual(['shop_web']);
});

trace('the last record that names a volume outlives its revision', async () => {
  await deployed(['shop']);
  for (const version of [2, 3, 4]) {
    declare(['shop'], new Map([['shop', { ...content, volume: false, version }]]));
    await world.time.pass(MINUTE);
  }
  expect(records('shop')).toEqual([1, 3, 4].map((revision) => `swarmcli.release.shop.v${revision}`));
});

trace('a volume that no record names is left to a person', async () => {
  await deployed(['shop', 'blog']);
  const [node] = world.nodes;
  node?.volumes.set('shop_old', { labels: { [keys.stack]: 'shop' }, users: new Map() });
  declare(['blog']);
  await world.time.pass(3 * MINUTE);
  expect([volumes('shop'), node?.volumes.has('shop_old')]).toEqual([[], true]);
});

trace('an agent obeys no holder of a lower epoch than it has seen', async () => {
  await deployed(['shop']);
  const agent = world.nodes[0]?.agent;
  if (!agent) throw new Error('no agent');
  const { epoch } = holder().lease;
  let answered = '';
  const ask = async (): Promise<void> => {
    const { ticket } = await agent.door.stackVolumes({ stack: 'shop', epoch });
    await agent.door.stackVolumes({ stack: 'shop', epoch: epoch + 1 });
    const removal = agent.door.removeVolume({ stack: 'shop', volume: 'shop_data', ticket, epoch });
    answered = await removal.then(
      () => 'removed',
      (error: unknown) => HivekeepError.from(error).code,
    );
  };
  agent.host.run(() => void ask());
  await world.time.pass(1_000);
  expect(answered).toBe('node/stale-epoch');
});
