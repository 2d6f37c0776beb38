import { MemoryBroker, MemoryBus, silentLogger, startMonitor } from '@hivekeep/runtime';
import { FakeEngine } from '@hivekeep/swarm/testing';
import { eventually } from '@hivekeep/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { nodeAgentPart } from './node-agent-part.ts';

it("counts the agent's calls to its engine", async () => {
  await using engine = await FakeEngine.start();
  const monitor = await startMonitor({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => monitor.stop());
  const counted = async (): Promise<number> => {
    const text = await (await fetch(`${monitor.url}/metrics`)).text();
    return Number(/^hivekeep_daemon_calls_total\{method="GET",outcome="ok"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const before = await counted();
  const part = nodeAgentPart({
    bus: new MemoryBus(new MemoryBroker(), silentLogger),
    swarm: 'here',
    address: `unix://${engine.socket}`,
    logger: silentLogger,
  });
  await eventually(async () => expect(await part.health?.report('ready')).toMatchObject({ ok: true }));
  expect(await counted()).toBeGreaterThan(before);
  await part.stop();
});
