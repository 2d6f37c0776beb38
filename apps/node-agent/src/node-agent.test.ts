import { nodeAgentCalls } from '@hivekeep/contracts';
import { connectNatsBus, MemoryBroker, MemoryBus, type RunningService, type ServiceBus, silentLogger } from '@hivekeep/runtime';
import { DockerNodeBackend } from '@hivekeep/swarm';
import { FakeEngine } from '@hivekeep/swarm/testing';
import { eventually, natsServer } from '@hivekeep/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { startNodeAgent } from './start-node-agent.ts';

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
    const agent = async (id: string): Promise<{ engine: FakeEngine; service: RunningService }> => {
      const engine = await FakeEngine.start();
      const daemon = engine.client(2_000);
      ends.push(async () => {
        daemon.close();
        await engine[Symbol.asyncDispose]();
      });
      engine.volumes = [{ Name: 'shop_data', Labels: { 'com.docker.stack.namespace': 'shop' } }];
      const service = await startNodeAgent({
        bus: await connect(id),
        backend: new DockerNodeBackend({ daemon, nodeId: id }),
        ping: () => daemon.ping(),
        pingEveryMs: 50,
        node: { id, hostname: `host-${id}` },
        swarm: 'east',
        version: '1',
        logger: silentLogger,
      });
      ends.push(() => service.close());
      return { engine, service };
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
    expect([one.engine.volumes.length, two.engine.volumes.length]).toEqual([1, 0]);
  });

  it('is announced with node id and host name while it lives and its daemon answers', async () => {
    const { caller, agent } = await start();
    const { service, engine } = await agent('n1');
    expect(await caller.presence.list()).toMatchObject([{ service: 'node-agent', swarm: 'east', node: { id: 'n1', hostname: 'host-n1' } }]);
    engine.behave = () => 'drop';
    await eventually(async () => (await caller.presence.list()).length === 0);
    engine.behave = () => 'pass';
    await eventually(async () => (await caller.presence.list()).length === 1);
    await service.close();
    expect(await caller.presence.list()).toEqual([]);
    await expect(
      caller.call(nodeAgentCalls.stackVolumes, { swarm: 'east', node: 'n1' }, { stack: 'shop', epoch: 3 }),
    ).rejects.toMatchObject({
      code: 'bus/no-answer',
    });
  });
});
