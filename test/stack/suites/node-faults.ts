import { eventually, type LabNode } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { EventFollower } from '../support/event-follower.ts';
import type { Installation } from '../support/installation.ts';
import { containersOf, covered, gone, recordsOf, settled, sweep, volumesOf } from '../support/observe.ts';
import { everywhere } from '../support/stacks.ts';

const long = process.env.HIVEKEEP_TEST_LONG === '1';

/** What happens to nodes while volumes on them are owed. */
export function nodeFaults(hive: () => Installation): void {
  test('a sweep that cannot reach every node says which and why, keeps the record, and ends when they are back', async () => {
    const { declare, docker, lab, swarms } = hive();
    await settled(hive(), 'vault', await declare(['shop', 'vault'], { 'vault.yaml': everywhere() }));
    const [first, silent, drained, nats, cut] = lab.nodes as [LabNode, LabNode, LabNode, LabNode, LabNode]; // the lab has five
    const [agent = ''] = await containersOf(silent, 'node-agent');
    await silent.docker.getContainer(agent).pause();
    await docker(1, 'node', 'update', '--availability', 'drain', drained.name);
    await cut.cut();
    const uncovered = { node2: 'no agent', node3: 'drained', node5: 'down' };
    const shown = async () => {
      const [entry] = await swarms();
      return Object.fromEntries(entry?.view?.nodes.flatMap(({ hostname, reason }) => (reason ? [[hostname, reason]] : [])) ?? []);
    };
    await eventually(async () => expect(await shown()).toEqual(uncovered), { timeoutMs: 120_000, intervalMs: 500 });

    await using follower = new EventFollower(hive());
    await declare(['shop']);
    const item = await sweep(hive(), 'vault', (one) => one.uncovered.length === 3, 90_000);
    expect(Object.fromEntries(item.uncovered.map(({ hostname, reason }) => [hostname, reason]))).toEqual(uncovered);
    await eventually(async () => expect(await volumesOf([first, nats], 'vault')).toEqual([]), { timeoutMs: 90_000 });
    expect(await recordsOf(lab, 'vault')).not.toEqual([]);
    const told = () => follower.heard.map(({ event }) => `${event?.type} ${event?.application} ${event?.message}`).join('\n');
    await eventually(() => expect(told()).toMatch(/^prune-held vault release vault: nodes not covered: .*node3 \(drained\)/m));

    await silent.docker.getContainer(agent).unpause();
    await docker(1, 'node', 'update', '--availability', 'active', drained.name);
    await cut.heal();
    await gone(hive(), 'vault', 120_000);
    await covered(hive(), 5);
  });

  if (!long) return; // the swarm tier forgets a node in each run
  test('a node that was removed and came back as another keeps the record until it is forgotten', async () => {
    const { declare, docker, lab, post } = hive();
    await settled(hive(), 'vault', await declare(['shop', 'vault'], { 'page.txt': 'hello again' }));
    const id = (await lab.node(5).docker.info()).Swarm.NodeID;
    await docker(5, 'swarm', 'leave', '--force');
    const state = () => docker(1, 'node', 'inspect', '--format', '{{.Status.State}}', id);
    await eventually(async () => expect(await state()).toBe('down\n'), { timeoutMs: 90_000 });
    await docker(1, 'node', 'rm', id);
    await lab.restore();
    await covered(hive(), 5);

    await declare(['shop']);
    const item = await sweep(hive(), 'vault', ({ uncovered }) => uncovered.length > 0);
    expect(item.uncovered).toEqual([expect.objectContaining({ node: id, reason: 'left' })]);
    await eventually(async () => expect(await volumesOf(lab.nodes, 'vault')).toEqual([]), { timeoutMs: 120_000 });
    expect(await recordsOf(lab, 'vault')).not.toEqual([]);

    await post('/prune/forget-node', { node: id });
    await gone(hive(), 'vault');
  });
}
