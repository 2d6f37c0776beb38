import { join } from 'node:path';
import { consistently, eventually, type Lab, useLab } from '@hivekeep/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, NATS_NODE } from '../support/installation.ts';
import { containersOf, covered, runningTasks, servicesOf, settled, volumesOf } from '../support/observe.ts';
import { everywhere, replicated } from '../support/stacks.ts';

const long = process.env.HIVEKEEP_TEST_LONG === '1';
const HUB_GONE_MS = 60_000;

/** A second swarm that dials in, with one app set for both. */
export function twoSwarms(hive: () => Installation): void {
  let berlin: Lab;
  const berlins = async () => (await hive().swarms()).find(({ name }) => name === 'berlin');

  beforeAll(async () => {
    berlin = await useLab({ nodes: 2, managers: 1, beside: true });
    await hive().loadImages(berlin);
  });
  afterAll(() => berlin?.down());

  test('a swarm that was added with its own credentials is served from the same app set', async () => {
    const { hivekeep, folder, deploy, docker, declare, lab } = hive();
    const added = await hivekeep('swarm', 'add', 'berlin', '--folder', folder, '--hub-name', lab.node(NATS_NODE).address);
    expect(added).toMatchObject({ code: 0, text: expect.stringContaining('docker stack deploy -c stack.yml -c hub.yml') });
    await deploy('hub.yml');
    await docker(berlin.node(1), 'stack', 'deploy', '-c', join(folder, 'swarms/berlin/stack.yml'), 'hivekeep');
    await covered(hive(), 2, 'berlin', 120_000);

    const commit = await declare(['shop', { name: 'there', swarm: 'berlin' }], { 'shop.yaml': replicated(2), 'there.yaml': replicated(2) });
    await settled(hive(), 'there', commit);
    await settled(hive(), 'shop', commit);
    expect([await servicesOf(berlin, 'there'), await servicesOf(lab, 'there')]).toEqual([['there_web'], []]);
  });

  test('one that is cut off is shown silent, the other does not notice; healed, it follows', async () => {
    const { declare } = hive();
    for (const node of berlin.nodes) await node.cut();
    const commit = await declare(['shop', { name: 'there', swarm: 'berlin' }], {
      'shop.yaml': replicated(2, 'two'),
      'there.yaml': replicated(2, 'two'),
    });
    await settled(hive(), 'shop', commit, 45_000);
    await eventually(async () => expect((await berlins())?.state).toBe('silent'), { timeoutMs: 120_000, intervalMs: 500 });
    for (const node of berlin.nodes) await node.heal();
    await settled(hive(), 'there', commit);
  });

  test('an application that moves is deployed there and removed here; its volumes stay', async () => {
    const { declare, lab } = hive();
    const apps = (swarm?: string) => ['shop', { name: 'there', swarm: 'berlin' }, { name: 'nomad', ...(swarm && { swarm }) }];
    await settled(hive(), 'nomad', await declare(apps(), { 'nomad.yaml': everywhere(), 'page.txt': 'hello' }));
    const volumes = await volumesOf(lab.nodes, 'nomad');
    expect(volumes).toHaveLength(5);
    const commit = await declare(apps('berlin'));
    await eventually(async () => expect(await servicesOf(lab, 'nomad')).toEqual([]), { timeoutMs: 90_000, intervalMs: 500 });
    await settled(hive(), 'nomad', commit);
    expect(await servicesOf(berlin, 'nomad')).toEqual(['nomad_web']);
    expect(await volumesOf(lab.nodes, 'nomad')).toEqual(volumes);
  });

  if (long) hubGone(hive, () => berlin);
}

/** A minute of it, so that it is not in every run. */
function hubGone(hive: () => Installation, berlin: () => Lab): void {
  test('the hub gone for a while: nothing is synced or swept, what runs goes on, on both; then both follow', async () => {
    const { docker, declare, lab } = hive();
    const stands = async () => [
      await runningTasks(lab, 'shop_web'),
      await runningTasks(berlin(), 'there_web'),
      await servicesOf(berlin(), 'there'),
    ];
    const before = await stands();
    const nats = (change: string[]) => docker(1, 'node', 'update', ...change, `node${NATS_NODE}`);
    const ended = async () => expect(await containersOf(lab.node(NATS_NODE), 'nats')).toEqual([]); // its task is shut down before it is
    let commit: string;
    try {
      await nats(['--label-rm', 'hivekeep.nats']);
      await eventually(ended, { timeoutMs: 60_000, intervalMs: 500 });
      commit = await declare(['shop', { name: 'nomad', swarm: 'berlin' }], { 'shop.yaml': replicated(2, 'three') });
      await consistently(async () => expect(await stands()).toEqual(before), HUB_GONE_MS, 2_000);
    } finally {
      await nats(['--label-add', 'hivekeep.nats=true']);
    }
    await settled(hive(), 'shop', commit);
    await eventually(async () => expect(await servicesOf(berlin(), 'there')).toEqual([]), { timeoutMs: 120_000, intervalMs: 500 });
  });
}
