import type { Presence } from '@hivekeep/contracts';
import type { LiveNode } from '@hivekeep/planner';
import { MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { aNode } from '../testing/a-node.ts';
import { AgentReach } from './agent-reach.ts';
import { nodeCoverage } from './node-coverage.ts';

const node = (more: Partial<LiveNode> = {}) => aNode('n1', more);
const agent = (id: string, version = '1.2.0'): Presence => ({
  service: 'node-agent',
  instance: `${id} ${version}`,
  version,
  swarm: 'home',
  node: { id, hostname: `host of ${id}` },
  at: '2026-01-02T03:04:05Z',
});

it.each<[string, LiveNode, Presence[], string | undefined]>([
  ['with an agent', node(), [agent('n1')], undefined],
  ['with an agent of the version before', node(), [agent('n1', '1.1.0')], undefined],
  ['with an agent of an older version', node(), [agent('n1', '1.0.0')], 'old version'],
  ['with the agent of another node', node(), [agent('n2')], 'no agent'],
  ['without an agent', node(), [], 'no agent'],
  ['that is down', node({ state: 'down' }), [], 'down'],
  ['that is drained', node({ availability: 'drain' }), [], 'drained'],
  ['that is drained and down', node({ availability: 'drain', state: 'down' }), [], 'down'],
])('a node %s', (_, listed, agents, reason) => {
  const expected = { id: 'n1', hostname: 'host-n1', covered: reason === undefined, ...(reason !== undefined && { reason }) };
  expect(nodeCoverage(listed, agents, '1.2.0')).toEqual(expected);
});

it('agents that are too old, and those of another swarm, are not asked', async () => {
  const bus = new MemoryBus(new MemoryBroker(), silentLogger);
  onTestFinished(() => bus.close());
  for (const record of [agent('n1'), agent('n2', '1.0.9'), { ...agent('n3'), swarm: 'other' }]) await bus.presence.announce(() => record);
  const reach = new AgentReach(bus, '1.2.0');
  expect(await reach.nodes({ swarm: 'home' })).toEqual([{ id: 'n1', hostname: 'host of n1' }]);
  expect([...reach.outdated]).toEqual(['n2']);
  expect(() => reach.nodeBackend({ swarm: 'home', nodeId: 'n2' })).toThrow(/n2/);
});
