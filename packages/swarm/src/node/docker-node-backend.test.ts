import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import { FakeEngine } from '../testing/fake-engine.ts';
import { DockerNodeBackend } from './docker-node-backend.ts';

let engine: FakeEngine;
let daemon: DockerSwarm;
let node: DockerNodeBackend;
let now: number;
beforeEach(async () => {
  engine = await FakeEngine.start();
  engine.volumes = [{ Name: 'st_data', Labels: { 'com.docker.stack.namespace': 'st' } }];
  daemon = engine.client(500);
  now = 0;
  node = new DockerNodeBackend({ daemon, nodeId: 'n1', monotonicNow: () => now });
});
afterEach(async () => {
  daemon.close();
  await engine[Symbol.asyncDispose]();
});

const remove = (ticket: string, epoch = 5) => node.removeVolume({ stack: 'st', volume: 'st_data', ticket, epoch });
/** Lets something happen while the daemon answers a list. */
const whileListing = (happens: () => void) => {
  engine.behave = ({ method }) => {
    if (method === 'GET') happens();
    return 'pass';
  };
};

test('a ticket that ends between the calls to the daemon removes nothing', async () => {
  const { ticket } = await node.stackVolumes({ stack: 'st', epoch: 5 });
  whileListing(() => {
    now = 10_000;
  });
  await expect(remove(ticket)).rejects.toMatchObject({ code: 'node/ticket' });
  expect(engine.volumes).toHaveLength(1);
});

test('a successor that shows itself between the calls deposes the asker', async () => {
  const { ticket } = await node.stackVolumes({ stack: 'st', epoch: 5 });
  let successors: Promise<unknown>[] = [];
  const successorOf = (epoch: number) => {
    successors = [];
    whileListing(() => {
      if (successors.length === 0) successors.push(node.stackVolumes({ stack: 'st', epoch: epoch + 1 }));
    });
  };
  successorOf(5);
  await expect(remove(ticket)).rejects.toMatchObject({ code: 'node/stale-epoch' });
  await Promise.all(successors);
  successorOf(6);
  await expect(node.stackVolumes({ stack: 'st', epoch: 6 })).rejects.toMatchObject({ code: 'node/stale-epoch' });
  await Promise.all(successors);
  expect(engine.volumes).toHaveLength(1);
});

test('tickets do not outlive the process that gave them', async () => {
  const { ticket } = await node.stackVolumes({ stack: 'st', epoch: 5 });
  node = new DockerNodeBackend({ daemon, nodeId: 'n1' });
  await expect(remove(ticket)).rejects.toMatchObject({ code: 'node/ticket' });
});

test("a driver's own word for a volume in use is understood", async () => {
  const { ticket } = await node.stackVolumes({ stack: 'st', epoch: 5 });
  engine.behave = ({ method }) => (method === 'DELETE' ? { fail: 409, text: 'remove st_data: the array is mounted' } : 'pass');
  await expect(remove(ticket)).rejects.toMatchObject({ code: 'swarm/in-use' });
});
