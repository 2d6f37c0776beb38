import type { ConfigSpec, ServiceSpec } from '@hivekeep/compose';
import { expect } from 'vitest';
import { content, declare, deployed, holder, LOAD, MINUTE, names, records, trace, until, world } from './scene.ts';

trace('what failed again and again is deployed as soon as it can be', async () => {
  await deployed(['shop']);
  world.intercept = ({ path }) => (/^.services.*update$/.test(path) ? 'refused' : undefined);
  for (let version = 2; version < 10; version += 1) {
    declare(['shop'], new Map([['shop', { ...content, version }]]));
    await world.time.pass(LOAD);
  }
  expect(intents().length).toBeGreaterThan(5);
  world.intercept = () => undefined;
  await world.time.pass(2 * MINUTE);
  expect([image(), records('shop').length, intents()]).toEqual(['web:9', 2, []]);
});

trace('an update that was never recorded goes, when Git has gone back and its holder crashed', async () => {
  await deployed(['shop']);
  const former = holder();
  world.intercept = ({ path, body }, by) => {
    if (by !== former || path !== '/configs/create' || (body as ConfigSpec).Name !== 'swarmcli.release.shop.v2') return undefined;
    former.crash();
    declare(['shop'], new Map([['shop', content]]));
    return 'lost';
  };
  declare(['shop'], new Map([['shop', { ...content, version: 2 }]]));
  await until(() => former.host.dead);
  expect([image(), intents()]).toEqual(['web:2', ['hivekeep.intent.shop.v2']]);
  await world.time.pass(2 * MINUTE);
  expect([image(), intents()]).toEqual(['web:1', []]);
});

trace('an intent that its holder could not take back any more goes, though nothing is to be written', async () => {
  await deployed(['shop']);
  const former = holder();
  const intentId = () => world.swarm.objects('configs').find(({ Spec }) => Spec.Name === 'hivekeep.intent.shop.v2')?.ID;
  world.intercept = ({ method, path }, by) => {
    if (by !== former || method !== 'DELETE' || path !== `/configs/${intentId()}`) return undefined;
    former.crash();
    return 'lost';
  };
  declare(['shop'], new Map([['shop', { ...content, version: 2 }]]));
  await until(() => former.host.dead);
  expect([records('shop').length, intents()]).toEqual([2, ['hivekeep.intent.shop.v2']]);
  await world.time.pass(2 * MINUTE);
  expect([records('shop').length, intents()]).toEqual([2, []]);
});

/** What shop runs. */
function image(): string | undefined {
  const service = world.swarm.objects('services').find(({ Spec }) => Spec.Name === 'shop_web');
  return (service?.Spec as ServiceSpec | undefined)?.TaskTemplate.ContainerSpec?.Image;
}

function intents(): string[] {
  return names('configs', 'shop').filter((name) => name.startsWith('hivekeep.intent.'));
}
