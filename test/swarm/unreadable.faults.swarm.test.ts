import { consistently, eventually, type LabCorner, labCorner, useLab } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import { type Controller, startController } from './support/controller.ts';
import { automated, deletions, everywhere, SWEEPING, settled, standing, swept } from './support/sweeping.ts';

/** A controller with an application that leaves just when its manager can't be read any more. */
async function leavesUnread(corner: LabCorner, controller: Controller, fault: () => Promise<unknown>): Promise<void> {
  const [shop, stays] = [corner.name('shop'), corner.name('stays')];
  const files = { [`${shop}.yaml`]: everywhere(), [`${stays}.yaml`]: everywhere(), 'page.txt': 'hello' };
  await controller.declare([automated(shop), automated(stays)], files);
  await settled(controller, shop);
  await settled(controller, stays);
  await fault();
  controller.proxy.forget();
  await controller.apps.declare([automated(stays)]);
  await controller.waitFor(stays, ({ health }) => health.state === 'unknown', { timeoutMs: 90_000 });
}

describe('a swarm that cannot be read', () => {
  test('the daemon stands still: unknown, nothing deleted, goes on afterwards', async () => {
    await using corner = labCorner(await useLab({ nodes: 3 }));
    await using controller = await startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });
    await leavesUnread(corner, controller, () => corner.lab.node(1).pause());
    await consistently(() => expect(deletions(controller)).toEqual([]), controller.untilDeletionsMs(), 1_000);
    await corner.lab.node(1).resume();
    const shop = corner.name('shop');
    expect((await standing(corner, shop)).services).toEqual([`${shop}_web`]);
    await swept(corner, controller, shop, 90_000);
    await settled(controller, corner.name('stays'));
  });

  /** An election takes its time, and so does each call before it: in long runs only. */
  test.runIf(process.env.HIVEKEEP_TEST_LONG)('the managers have no quorum: unknown, nothing deleted, goes on afterwards', async () => {
    await using corner = labCorner(await useLab({ nodes: 3 }));
    await using controller = await startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });
    const others = corner.lab.nodes.slice(1);
    await leavesUnread(corner, controller, () => Promise.all(others.map((node) => node.cut())));
    await consistently(() => expect(deletions(controller).filter(({ status }) => status === 204)).toEqual([]), 10_000, 1_000);
    await Promise.all(others.map((node) => node.heal()));
    const shop = corner.name('shop');
    await eventually(async () => expect((await standing(corner, shop)).records).toHaveLength(1), { timeoutMs: 120_000 });
    await swept(corner, controller, shop, 120_000);
  });
});
