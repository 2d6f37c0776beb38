import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { daemonProxy } from './daemon-proxy.ts';
import { eventually } from './eventually.ts';
import { engineClient, type Lab, testImage, useLab } from './lab.ts';
import { labCorner } from './lab-corner.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await useLab();
});

function sleeper(name: string, labels: Record<string, string> = {}) {
  return {
    Name: name,
    Labels: labels,
    Mode: { Global: {} },
    TaskTemplate: { ContainerSpec: { Image: testImage, Command: ['sleep', '600'], StopGracePeriod: 1_000_000 } },
  };
}

test('is three managers of one swarm, each with an engine of its own', async () => {
  const infos = await Promise.all(lab.nodes.map((node) => node.docker.info()));
  expect(infos.map((info) => info.Name)).toEqual(['node1', 'node2', 'node3']);
  expect(new Set(infos.map((info) => info.ID)).size).toBe(3);
  expect(new Set(infos.map((info) => info.Swarm.Cluster?.ID)).size).toBe(1);
  expect(lab.managers.length).toBe(3);
});

test('a corner leaves nothing: services, configs, secrets, networks, volumes of every node', async () => {
  const corner = labCorner(lab);
  const { docker, name, prefix } = corner;
  await docker.createNetwork({ Name: name('net'), Driver: 'overlay' });
  await docker.createConfig({ Name: name('config'), Data: Buffer.from('a').toString('base64'), Labels: {} });
  await docker.createSecret({
    Name: `owned-${prefix.slice(1)}`,
    Data: Buffer.from('a').toString('base64'),
    Labels: { owner: `cd/${prefix}/shop` },
  });
  const mounts = [{ Type: 'volume' as const, Source: name('data'), Target: '/data' }];
  const spec = sleeper(name('web'));
  await docker.createService({
    ...spec,
    TaskTemplate: {
      ...spec.TaskTemplate,
      ContainerSpec: { ...spec.TaskTemplate.ContainerSpec, Mounts: mounts },
      Networks: [{ Target: name('net') }],
    },
  });
  await eventually(async () => expect(await corner.runningTasks(name('web'))).toHaveLength(3), { timeoutMs: 60_000 });
  expect(await corner.volumes()).toEqual({ node1: [name('data')], node2: [name('data')], node3: [name('data')] });

  await corner[Symbol.asyncDispose]();
  expect(await corner.volumes()).toEqual({ node1: [], node2: [], node3: [] });
  const listed = await Promise.all([docker.listServices(), docker.listConfigs(), docker.listSecrets(), docker.listNetworks()]);
  expect(JSON.stringify(listed)).not.toContain(prefix);
});

test('each fault does what it says, and restore mends it', async () => {
  const [, second, third] = lab.nodes;
  if (!second || !third) throw new Error('expected three nodes');
  const state = async (hostname: string) => {
    const nodes: { Description: { Hostname: string }; Status: { State: string } }[] = await lab.node(1).docker.listNodes();
    return nodes.find((node) => node.Description.Hostname === hostname)?.Status.State;
  };

  await third.cut();
  await eventually(async () => expect(await state('node3')).toBe('down'), { timeoutMs: 60_000 });
  await third.heal();
  await eventually(async () => expect(await state('node3')).toBe('ready'), { timeoutMs: 60_000 });

  for (let time = 0; time < 5; time += 1) {
    await second.pause();
    const answer = second.docker.ping().then(() => 'answered');
    expect(await Promise.race([answer, sleep(500, 'silent')])).toBe('silent'); // not even by a thread the signal had not reached
    await second.resume();
    expect(await answer).toBe('answered');
  }

  await second.crash();
  // The last threads of a process that is dying may still take a connection, and reset it.
  await eventually(() => expect(second.docker.ping()).rejects.toThrow('ECONNREFUSED'), { timeoutMs: 10_000 });
  await third.freeze();
  await lab.restore();
  expect(await Promise.all(['node1', 'node2', 'node3'].map(state))).toEqual(['ready', 'ready', 'ready']);
  expect(await third.exec('hostname')).toBe('node3\n');
});

test('the proxy stands in front of a real engine, events included', async () => {
  await using corner = labCorner(lab);
  await using proxy = await daemonProxy(lab.node(1).socket);
  const through = engineClient(proxy.socket);
  const events = await through.getEvents({ filters: { type: ['config'] } });
  const heard = new Promise<string>((resolve) => events.once('data', (chunk: Buffer) => resolve(chunk.toString())));

  await through.createConfig({ Name: corner.name('seen'), Data: 'YQ==' });
  expect(await heard).toContain(corner.name('seen'));
  expect(proxy.writes().map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual(['POST /configs/create 201']);
});
