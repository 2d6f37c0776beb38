import type { Labels } from '@hivekeep/compose';
import { appStateLabels } from '@hivekeep/swarm';
import { expect } from 'vitest';
import { content, declare, deployed, MINUTE, names, records, trace, world } from './scene.ts';

const DAY = 24 * 60 * MINUTE;

trace('a set without any application removes nothing before a person agrees', async () => {
  await deployed(['shop', 'blog']);
  declare([]);
  await world.time.pass(2 * MINUTE);
  expect([names('services', 'shop'), names('services', 'blog')]).toEqual([['shop_web'], ['blog_web']]);
});

trace('what left while the lease was made anew waits for a person', async () => {
  await deployed(['shop', 'blog']);
  world.swarm.removeByHand('configs', 'hivekeep.lease.default');
  declare(['blog']);
  await world.time.pass(2 * MINUTE);
  expect(names('services', 'shop')).toEqual(['shop_web']);
});

trace('what a person let go and was declared again waits for a person anew, whatever went with it', async () => {
  await deployed(['shop', 'blog']);
  declare([]);
  await world.time.pass(MINUTE);
  let begun: string | undefined;
  world.intercept = ({ body }) => {
    if (begun !== undefined) return undefined;
    begun = beginning(body);
    if (begun !== undefined) declare(['shop', 'blog']);
    return undefined;
  };
  world.personAgrees(false);
  await world.time.pass(MINUTE);
  declare([]);
  await world.time.pass(2 * MINUTE);
  expect(names('services', begun ?? '')).toEqual([`${begun}_web`]);
});

trace('what a person let go a day ago, and nobody could remove since, waits for a person anew', async () => {
  await deployed(['shop']);
  declare([]);
  await world.time.pass(MINUTE);
  let agreed = false;
  world.intercept = ({ body }) => {
    if (agreed || !JSON.stringify(body ?? '').includes('approvedBy')) return undefined;
    agreed = true;
    for (const { host } of world.reconcilers) {
      host.suspend();
      host.clockMoves = true;
    }
    return 'pass';
  };
  world.personAgrees(false);
  await world.time.pass(1_000);
  expect(agreed).toBe(true);
  await world.time.pass(DAY);
  for (const { host } of world.reconcilers) host.resume();
  await world.time.pass(3 * MINUTE);
  expect(names('services', 'shop')).toEqual(['shop_web']);
});

trace('who goes on with records of which some are gone asks nobody again', async () => {
  await deployed(['shop']);
  declare(['shop'], new Map([['shop', { ...content, version: 2 }]]));
  await world.time.pass(MINUTE);
  const ids = world.swarm.objects('configs').flatMap(({ ID, Spec }) => (records('shop').includes(Spec.Name) ? [ID] : []));
  expect(ids).toHaveLength(2);
  let gone = 0;
  world.intercept = ({ method, path }, by) => {
    if (method !== 'DELETE' || !ids.some((id) => path === `/configs/${id}`)) return undefined;
    gone += 1;
    if (gone !== 2) return undefined;
    by.crash();
    return 'lost';
  };
  declare([]);
  await world.time.pass(MINUTE);
  world.personAgrees(false);
  await world.time.pass(4 * MINUTE);
  expect([gone, records('shop')]).toEqual([3, []]);
});

/** The release whose removal has begun, as a write notes it. */
function beginning(body: unknown): string | undefined {
  if (!(body instanceof Object && 'Labels' in body)) return undefined;
  return Object.values(appStateLabels.read(body.Labels as Labels).sweep ?? {}).find((mark) => mark.begun)?.release;
}
