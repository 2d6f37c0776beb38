import { eventually } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import type { Installation } from '../support/installation.ts';
import { covered, recordsOf, runningTasks, settled } from '../support/observe.ts';
import { replicated } from '../support/stacks.ts';

const STACK_LABEL = 'com.docker.stack.namespace=hivekeep';
const GONE_MS = 120_000;

/** All of Hivekeep is lost but the folder that `deploy init` made; the swarm is as it was. */
export function restore(hive: () => Installation): void {
  test('taken away with all that it stored, it comes back from its folder and goes on: nothing restarts, nothing is recorded anew', async () => {
    const { declare, deploy, docker, lab } = hive();
    await settled(hive(), 'shop', await declare(['shop'], { 'shop.yaml': replicated(2) }));
    const now = async () => [await runningTasks(lab, 'shop_web'), await recordsOf(lab, 'shop')];
    const before = await now();

    await docker(1, 'stack', 'rm', 'hivekeep');
    const left = async () => docker(1, 'network', 'ls', '--quiet', '--filter', `label=${STACK_LABEL}`);
    await eventually(async () => expect(await left()).toBe(''), { timeoutMs: GONE_MS, intervalMs: 1_000 });
    for (const node of lab.nodes) {
      const emptied = async () => {
        const { Volumes: volumes } = await node.docker.listVolumes({ filters: { label: [STACK_LABEL] } });
        for (const { Name } of volumes) await node.docker.getVolume(Name).remove();
      };
      await eventually(emptied, { timeoutMs: GONE_MS, intervalMs: 500 });
    }

    await deploy();
    await covered(hive(), 5, 'default', 180_000);
    await settled(hive(), 'shop');
    expect(await now()).toEqual(before);
    await settled(hive(), 'shop', await declare(['shop'], { 'shop.yaml': replicated(2, 'after') }));
  });
}
