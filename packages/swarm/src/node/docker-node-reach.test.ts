import { expect, test } from 'vitest';
import { FakeEngine } from '../testing/fake-engine.ts';
import { nodeContract } from '../testing/node-contract.ts';
import { DockerNodeBackend } from './docker-node-backend.ts';
import { DockerNodeReach } from './docker-node-reach.ts';

nodeContract('DockerNodeReach', async () => {
  const [first, second] = [await FakeEngine.start(), await FakeEngine.start()];
  second.nodeId = 'node-id-2';
  const label = (stack: string) => ({ 'com.docker.stack.namespace': stack });
  first.volumes = [
    { Name: 'st_data', Labels: label('st') },
    { Name: 'st_busy', Labels: label('st'), inUse: true },
    { Name: 'other_data', Labels: label('other') },
  ];
  let now = 0;
  const daemons = new Map([
    ['node1', first.client(300)],
    ['node2', second.client(300)],
  ]);
  const reach = new DockerNodeReach({
    swarm: 'here',
    daemons,
    backend: (daemon, nodeId) => new DockerNodeBackend({ daemon, nodeId, monotonicNow: () => now }),
  });
  return {
    reach,
    swarm: 'here',
    nodeId: first.nodeId,
    loseSecondNode: async () => {
      second.behave = () => 'drop';
    },
    expireTickets: async () => {
      now += 10_000;
    },
    [Symbol.asyncDispose]: async () => {
      for (const daemon of daemons.values()) daemon.close();
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    },
  };
});

test('a manager without a leader is still reached by the id known from before; a daemon that stands still is not', async () => {
  await using engine = await FakeEngine.start();
  const daemon = engine.client();
  const reach = new DockerNodeReach({ swarm: 'here', daemons: new Map([['node1', daemon]]), lookTimeoutMs: 50 });
  engine.behave = ({ path }) => (path === '/info' ? 'hang' : 'pass');
  expect(await reach.nodes({ swarm: 'here' })).toEqual([]);
  engine.behave = () => 'pass';
  expect(await reach.nodes({ swarm: 'here' })).toHaveLength(1);
  engine.behave = ({ path }) => (path === '/info' ? 'hang' : 'pass');
  expect(await reach.nodes({ swarm: 'here' })).toEqual([{ id: engine.nodeId, hostname: 'node1' }]);
  engine.behave = () => 'hang';
  expect(await reach.nodes({ swarm: 'here' })).toEqual([]);
  expect(await reach.nodes({ swarm: 'elsewhere' })).toEqual([]);
  daemon.close();
});
