import { consistently, eventually, labCorner, testImage, useLab } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import { startController } from './support/controller.ts';
import {
  automated,
  deletions,
  everywhere,
  idle,
  NOTHING,
  prune,
  SWEEPING,
  settled,
  standing,
  sweepItem,
  swept,
} from './support/sweeping.ts';

const lab = () => useLab({ nodes: 3 });

/** As `everywhere`, but no task runs any more: nothing but the declaration protects the volumes. */
function scaledToNothing(): string {
  const stack = JSON.parse(everywhere());
  stack.services.web.deploy.placement = { constraints: ['node.hostname==nowhere'] };
  return JSON.stringify(stack);
}

/** One service that mounts a volume of another stack. */
function mounting(volume: string): string {
  const web = { image: testImage, command: ['sleep', '1000'], volumes: ['data:/data'], deploy: { replicas: 0 } };
  return JSON.stringify({ services: { web }, volumes: { data: { external: true, name: volume } } });
}

describe.concurrent('volumes', () => {
  test('of a declared service without tasks survive every sweep, those that another release mounts do, too (T9, T13)', async () => {
    await using corner = labCorner(await lab());
    await using controller = await startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });
    const [shop, lent, borrows] = [corner.name('shop'), corner.name('lent'), corner.name('borrows')];
    const files = {
      [`${shop}.yaml`]: everywhere(),
      [`${lent}.yaml`]: everywhere(),
      [`${borrows}.yaml`]: mounting(`${lent}_data`),
      'page.txt': 'hello',
    };
    const borrowing = automated(borrows, { allow: { volumes: [`${lent}_data`] } });
    await controller.declare([automated(shop), automated(lent), borrowing], files);
    for (const name of [shop, lent, borrows]) await settled(controller, name);
    const volumesOf = async (release: string) => (await standing(corner, release)).volumes;
    const before = { shop: await volumesOf(shop), lent: await volumesOf(lent) };
    expect(before.shop).toHaveLength(3);
    await controller.apps.commit({ [`${shop}.yaml`]: scaledToNothing() });
    await controller.sync(shop);
    await eventually(async () => expect(await corner.runningTasks(`${shop}_web`)).toEqual([]), { timeoutMs: 90_000 });

    await controller.declare([automated(shop), borrowing]);
    await eventually(async () => expect((await standing(corner, lent)).services).toEqual([]), { timeoutMs: 90_000 });
    await eventually(() => expect(controller.events.map(({ type }) => type)).toContain('resources-pruned'), { timeoutMs: 90_000 });
    expect({ shop: await volumesOf(shop), lent: await volumesOf(lent) }).toEqual(before);
  });

  test('stay with their records where no agent is, until the node is given up', async () => {
    await using corner = labCorner(await lab());
    const covered = corner.lab.nodes.slice(1, 2);
    await using controller = await startController(corner, { flags: SWEEPING, nodes: covered });
    const [shop, stays] = [corner.name('shop'), corner.name('stays')];
    const files = { [`${shop}.yaml`]: everywhere(), [`${stays}.yaml`]: idle(), 'page.txt': 'hello' };
    await controller.declare([automated(shop), automated(stays)], files);
    await settled(controller, shop);
    await controller.declare([automated(stays)]);
    const { uncovered, reason } = await sweepItem(controller, shop, (item) => item.uncovered.length > 0);
    expect(uncovered).toMatchObject([{ hostname: 'node3', reason: 'no agent' }]);
    expect(reason).toContain('hivekeep prune forget-node');
    expect(await standing(corner, shop)).toMatchObject({ services: [], records: [expect.any(String)], volumes: [`node3/${shop}_data`] });
    await controller.post('/prune/forget-node', { node: uncovered[0]?.node });
    await eventually(async () => expect(await standing(corner, shop)).toEqual({ ...NOTHING, volumes: [`node3/${shop}_data`] }), {
      timeoutMs: 90_000,
    });
  });

  test('stay with the records of what moved to another swarm, whose stack goes, and of what left the set since (T6)', async () => {
    await using corner = labCorner(await lab());
    await using controller = await startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });
    const [shop, stays] = [corner.name('shop'), corner.name('stays')];
    const files = { [`${shop}.yaml`]: everywhere(), [`${stays}.yaml`]: idle(), 'page.txt': 'hello' };
    await controller.declare([automated(shop), automated(stays)], files);
    await settled(controller, shop);
    const { records, volumes } = await standing(corner, shop);
    await controller.declare([automated(shop, { destination: { swarm: 'another' } }), automated(stays)]);
    await eventually(async () => expect(await standing(corner, shop)).toEqual({ ...NOTHING, records, volumes }), { timeoutMs: 90_000 });
    await sweepItem(controller, shop, (item) => item.moved);
    await controller.declare([automated(stays)]);
    await consistently(async () => expect(await standing(corner, shop)).toEqual({ ...NOTHING, records, volumes }), 5_000, 500);
    await controller.declare([automated(shop), automated(stays)]);
    await settled(controller, shop);
  });

  test('wait for their time; an application that left twice has it whole (T8)', async () => {
    await using corner = labCorner(await lab());
    const flags = ['--prune', '--prune-volumes', '--prune-volumes-after', '1h'];
    await using controller = await startController(corner, { flags, nodes: corner.lab.nodes.slice(1) });
    const [shop, stays] = [corner.name('shop'), corner.name('stays')];
    const files = { [`${shop}.yaml`]: everywhere(), [`${stays}.yaml`]: idle(), 'page.txt': 'hello' };
    await controller.declare([automated(shop), automated(stays)], files);
    await settled(controller, shop);
    const { volumes } = await standing(corner, shop);
    await controller.declare([automated(stays)]);
    const first = await sweepItem(controller, shop, (item) => item.state === 'volumes-wait');
    await controller.declare([automated(shop), automated(stays)]);
    await settled(controller, shop);
    await controller.declare([automated(stays)]);
    const second = await sweepItem(controller, shop, (item) => item.state === 'volumes-wait');
    expect(Date.parse(second.volumesAt ?? '')).toBeGreaterThan(Date.parse(first.volumesAt ?? ''));
    expect(await standing(corner, shop)).toMatchObject({ services: [], volumes });
  });
});

describe.concurrent('without a departure', () => {
  test('without --prune what left is reported as orphaned, and nothing is deleted', async () => {
    await using corner = labCorner(await lab());
    await using controller = await startController(corner);
    const [shop, stays] = [corner.name('shop'), corner.name('stays')];
    await controller.declare([automated(shop), automated(stays)], { [`${shop}.yaml`]: idle(), [`${stays}.yaml`]: idle() });
    await settled(controller, shop);
    const before = await standing(corner, shop);
    controller.proxy.forget();
    await controller.declare([automated(stays)]);
    const status = async () => (await controller.get('/status')) as { appSet: { orphaned?: string[] } };
    await eventually(async () => expect((await status()).appSet.orphaned).toEqual([shop]), { timeoutMs: 90_000 });
    expect(controller.events.map(({ type }) => type)).toContain('application-orphaned');
    await consistently(() => expect(deletions(controller)).toEqual([]), controller.untilDeletionsMs(), 1_000);
    expect(await standing(corner, shop)).toEqual(before);
  });

  test('a release under a new application keeps its stack and its volumes (P02)', async () => {
    await using corner = labCorner(await lab());
    await using controller = await startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });
    const [shop, renamed] = [corner.name('shop'), corner.name('renamed')];
    await controller.declare([automated(shop)], { [`${shop}.yaml`]: everywhere(), 'page.txt': 'hello' });
    await settled(controller, shop);
    const tasks = await corner.runningTasks(`${shop}_web`);
    await controller.declare([automated(renamed, { files: [`${shop}.yaml`], compose: { release: shop } })]);
    await settled(controller, renamed);
    await consistently(
      () =>
        expect(
          deletions(controller)
            .map(({ path }) => path)
            .filter((path) => path.startsWith('/services')),
        ).toEqual([]),
      controller.untilDeletionsMs(),
      1_000,
    );
    expect(await corner.runningTasks(`${shop}_web`)).toEqual(tasks);
    expect((await prune(controller)).items).toEqual([]);
    await controller.declare([automated(corner.name('other'), { files: [`${shop}.yaml`] })]);
    await swept(corner, controller, shop);
  });
});
