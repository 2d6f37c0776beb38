import { nodeAgentCalls } from '@hivekeep/contracts';
import { connectNatsBus, MemoryBroker, MemoryBus, type RunningService, type ServiceBus, silentLogger } from '@hivekeep/runtime';
import { natsServer } from '@hivekeep/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { startNodeAgent } from './start-node-agent.ts';
import { MemoryNode } from './testing/memory-node.ts';

type Connect = (name: string) => Promise<ServiceBus>;

const transports: [string, () => Promise<{ connect: Connect; end: () => Promise<void> }>][] = [
  [
    'in-process',
    async () => {
      const broker = new MemoryBroker();
      return { connect: async () => new MemoryBus(broker), end: async () => undefined };
    },
  ],
  [
    'NATS',
    async () => {
      const server = await natsServer();
      return { connect: (name) => connectNatsBus({ servers: [server.url], name }), end: async () => server[Symbol.asyncDispose]() };
    },
  ],
];

describe.each(transports)('node agents over %s', (_name, open) => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const start = async () => {
    const { connect, end } = await open();
    ends.push(end);
    const caller = await connect('caller');
    ends.push(() => caller.close());
    const agent = async (id: string): Promise<{ node: MemoryNode; service: RunningService }> => {
      const node = new MemoryNode();
      node.add('shop_data', 'shop');
      const options = {
        bus: await connect(id),
        backend: node,
        node: { id, hostname: `host-${id}` },
        swarm: 'east',
        version: '1',
        logger: silentLogger,
      };
      const service = await startNodeAgent(options);
      ends.push(() => service.close());
      return { node, service };
    };
    return { caller, agent };
  };

  it('removes the volumes of one node and leaves the other node alone', async () => {
    const { caller, agent } = await start();
    const [one, two] = [await agent('n1'), await agent('n2')];
    const target = { swarm: 'east', node: 'n2' };
    const { ticket, node, volumes } = await caller.call(nodeAgentCalls.stackVolumes, target, { stack: 'shop', epoch: 3 });
    expect({ node, volumes }).toMatchObject({ node: 'n2', volumes: [{ name: 'shop_data' }] });
    const removal = { ticket, stack: 'shop', volume: 'shop_data', epoch: 3 };
    expect(await caller.call(nodeAgentCalls.removeVolume, target, removal)).toEqual({ removed: true });
    await expect(caller.call(nodeAgentCalls.removeVolume, target, { ...removal, epoch: 2 })).rejects.toMatchObject({
      code: 'node/stale-epoch',
    });
    expect([one.node.volumes.size, two.node.volumes.size]).toEqual([1, 0]);
  });

  it('is announced with node id and host name while it lives', async () => {
    const { caller, agent } = await start();
    const { service } = await agent('n1');
    expect(await caller.presence.list()).toMatchObject([{ service: 'node-agent', swarm: 'east', node: { id: 'n1', hostname: 'host-n1' } }]);
    await service.close();
    expect(await caller.presence.list()).toEqual([]);
    await expect(
      caller.call(nodeAgentCalls.stackVolumes, { swarm: 'east', node: 'n1' }, { stack: 'shop', epoch: 3 }),
    ).rejects.toMatchObject({
      code: 'bus/no-answer',
    });
  });
});
