import { labels as keys } from '@hivekeep/application';
import type { ServiceSpec } from '@hivekeep/compose';
import { expect } from 'vitest';
import { changes, content, declare, deployed, holder, isLease, leaveASourceBehind, MINUTE, names, trace, world } from './scene.ts';

const LEASE_MS = 15_000;

trace('a process that stood still for longer than its lease writes nothing when it goes on', async () => {
  await deployed(['blog']);
  const former = holder();
  world.intercept = ({ path }, by) => {
    if (by !== former || path !== '/services/create') return undefined;
    former.host.suspend();
    former.host.clockMoves = true;
    return undefined;
  };
  declare(
    ['blog', 'shop'],
    new Map([
      ['blog', content],
      ['shop', content],
    ]),
  );
  await world.time.pass(MINUTE);
  expect([former.host.suspended, names('services', 'shop')]).toEqual([true, ['shop_web']]);
  const after = changes();
  former.host.resume();
  await world.time.pass(MINUTE);
  expect(after.filter(({ sender }) => sender.name === former.host.name)).toEqual([]);
});

trace('a holder whose manager is cut off from the others has stopped when another one takes over', async () => {
  await deployed(['shop']);
  const former = holder();
  former.manager.isolated = { objects: world.swarm.remember(), until: world.time.now + 18_000 };
  for (let second = 0; second < 60; second += 1) {
    await world.time.pass(1_000);
    expect(world.reconcilers.filter(({ active }) => active).length).toBeLessThanOrEqual(1);
  }
  expect([former.active, holder().lease.epoch > 0]).toEqual([false, true]);
});

trace('who has just taken the lease deletes nothing for as long as one lasts', async () => {
  await deployed(['shop', 'blog'], { appSetIntervalMs: 1_000 });
  const seen = changes();
  holder().crash();
  declare(['blog']);
  await world.time.pass(2 * MINUTE);
  const taken = seen.find((change) => isLease(change) && change.sender.epoch === 0);
  const deleted = seen.find(({ after, kind }) => !after && kind === 'services');
  expect(deleted?.at).toBeGreaterThanOrEqual((taken?.at ?? Number.NaN) + LEASE_MS);
});

trace('who finds an object of a later epoch than its own stops, whatever the lease says', async () => {
  await deployed(['shop']);
  const { epoch } = holder().lease;
  const [service] = world.swarm.objects('services');
  world.swarm.changeByHand('services', 'shop_web', { Labels: { ...service?.Spec.Labels, [keys.epoch]: String(epoch + 1) } });
  declare(['shop'], new Map([['shop', { ...content, version: 2 }]]));
  const seen = changes();
  await world.time.pass(2 * MINUTE);
  expect(seen.filter((change) => change.sender.epoch === epoch && !isLease(change))).toEqual([]);
  expect(holder().lease.epoch).toBeGreaterThan(epoch);
});

trace('a write that finds a service changed by somebody else does not land over it', async () => {
  await deployed(['shop']);
  let changed: number | undefined;
  world.intercept = ({ path }) => {
    if (changed !== undefined || !/^.services.*update$/.test(path)) return undefined;
    changed = world.time.now;
    world.swarm.changeByHand('services', 'shop_web', { Mode: { Replicated: { Replicas: 1 } } } satisfies Partial<ServiceSpec>);
    return undefined;
  };
  const seen = changes();
  declare(['shop'], new Map([['shop', { ...content, version: 2 }]]));
  await world.time.pass(2 * MINUTE);
  const written = seen.find(({ kind, sender }) => kind === 'services' && sender.name !== 'person');
  expect((written?.at ?? Number.NaN) - (changed ?? Number.NaN)).toBeGreaterThan(10_000);
});

trace('what left before a new holder came is not installed again by a source that is behind', async () => {
  await deployed(['shop', 'blog']);
  await leaveASourceBehind(async () => {
    declare(['blog']);
    await world.time.pass(2 * MINUTE);
    expect(names('services', 'shop')).toEqual([]);
    holder().crash();
  });
  await world.time.pass(2 * MINUTE);
  expect([holder().lease.state, names('services', 'shop')]).toEqual(['active', []]);
});
