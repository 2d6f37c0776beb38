import { startNodeAgent } from '@hivekeep/node-agent';
import { AgentReach } from '@hivekeep/reconciler';
import { MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { DockerNodeBackend } from '@hivekeep/swarm';
import { FakeEngine, nodeContract } from '@hivekeep/swarm/testing';
import { eventually } from '@hivekeep/testkit';

nodeContract('AgentReach', async () => {
  const broker = new MemoryBroker();
  const [first, second] = [await FakeEngine.start(), await FakeEngine.start()];
  second.nodeId = 'node-id-2';
  const label = (stack: string) => ({ 'com.docker.stack.namespace': stack });
  first.volumes = [
    { Name: 'st_data', Labels: label('st') },
    { Name: 'st_busy', Labels: label('st'), inUse: true },
    { Name: 'other_data', Labels: label('other') },
  ];
  let now = 0;
  const agent = async (engine: FakeEngine) => {
    const daemon = engine.client(300);
    const service = await startNodeAgent({
      ...{ swarm: 'here', version: '1.0.0', logger: silentLogger, pingEveryMs: 50 },
      bus: new MemoryBus(broker, silentLogger),
      backend: new DockerNodeBackend({ daemon, nodeId: engine.nodeId, monotonicNow: () => now }),
      node: { id: engine.nodeId, hostname: engine.nodeId },
      ping: () => daemon.ping(),
    });
    return async () => {
      await service.close();
      daemon.close();
      await engine[Symbol.asyncDispose]();
    };
  };
  const ends = [await agent(first), await agent(second)];
  const bus = new MemoryBus(broker, silentLogger);
  const reach = new AgentReach(bus, '1.0.0');
  return {
    reach,
    swarm: 'here',
    nodeId: first.nodeId,
    loseSecondNode: async () => {
      second.behave = () => 'drop';
      await eventually(async () => (await reach.nodes({ swarm: 'here' })).length < 2);
    },
    expireTickets: async () => {
      now += 10_000;
    },
    [Symbol.asyncDispose]: async () => {
      for (const end of ends) await end();
      await bus.close();
    },
  };
});
