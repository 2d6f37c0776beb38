import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServiceSpec } from '@hivekeep/compose';
import { startNodeAgent } from '@hivekeep/node-agent';
import { AgentReach } from '@hivekeep/reconciler';
import { MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { DockerBackend, DockerNodeBackend, DockerSwarm, SwarmLease, SwarmWatcher, takeSnapshot } from '@hivekeep/swarm';
import { backendContract, nodeContract } from '@hivekeep/swarm/testing';
import { consistently, eventually, type LabCorner, labCorner, testImage, useLab } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';

const stackLabel = 'com.docker.stack.namespace';
const quick = { renewEveryMs: 1_000, ttlMs: 3_000, callTimeoutMs: 600, pollMs: 200 };

function connect(
  corner: LabCorner,
  node: number,
  options: { timeoutMs?: number; onCall?: (call: { method: string }) => void } = {},
): DockerSwarm {
  return new DockerSwarm({ endpoint: { kind: 'socket', path: corner.lab.node(node).socket }, ...options });
}

function service(name: string, labels: Record<string, string> = {}, replicas = 0): ServiceSpec {
  const TaskTemplate = { ContainerSpec: { Image: testImage, Command: ['sleep', '1000'], StopGracePeriod: 1_000_000_000 } };
  return { Name: name, Labels: labels, TaskTemplate, Mode: { Replicated: { Replicas: replicas } } };
}

describe('answers of a real engine', () => {
  test('each failure has its code', async () => {
    await using corner = labCorner(await useLab());
    const swarm = connect(corner, 2);
    const config = await swarm.createConfig({ Name: corner.name('c'), Data: 'eA==', Labels: { a: '1' } });
    const { version } = (await swarm.inspectConfig(config.id)).config;
    const spec = service(corner.name('s'));
    const container = {
      ...spec.TaskTemplate.ContainerSpec,
      Configs: [{ ConfigID: config.id, ConfigName: corner.name('c'), File: { Name: '/c', UID: '0', GID: '0', Mode: 292 } }],
    };
    const { id } = await swarm.createService({
      ...spec,
      TaskTemplate: { ContainerSpec: container, RestartPolicy: { Window: Number(2n ** 63n - 1n) } },
    });
    const live = await swarm.inspectService(id);
    await swarm.updateService(id, live.version, { ...live.spec, Labels: { b: '2' } });

    const { version: latest } = await swarm.inspectService(id);
    const calls = [
      () => swarm.updateService(id, live.version, live.spec),
      () => swarm.createService(spec),
      () => swarm.createConfig({ Name: corner.name('c'), Data: 'eA==' }),
      () => swarm.removeConfig(config.id),
      () => swarm.updateService(id, latest, { ...live.spec, Name: corner.name('renamed') }),
      () => swarm.inspectService('nope'),
      () => swarm.createConfig({ Name: corner.name('empty'), Data: '' }),
      () => swarm.updateConfigLabels(config.id, version - 1, { Name: corner.name('c') }),
    ];
    const codes: string[] = [];
    for (const call of calls)
      codes.push(
        await (call() as Promise<unknown>).then(
          () => 'done',
          (error) => error.code,
        ),
      );
    expect(codes).toEqual([
      'swarm/conflict',
      'swarm/exists',
      'swarm/exists',
      'swarm/in-use',
      'swarm/unsupported',
      'swarm/gone',
      'swarm/invalid',
      'swarm/conflict',
    ]);
    await swarm.removeService(id);
    await swarm.removeService(id);
    swarm.close();
  });

  test('a daemon that stands still is a timeout, and a snapshot of it an error', async () => {
    await using corner = labCorner(await useLab());
    const swarm = connect(corner, 3, { timeoutMs: 700 });
    await corner.lab.node(3).pause();
    await expect(takeSnapshot(swarm, { withTasks: true, now: 0 })).rejects.toMatchObject({
      code: expect.stringMatching(/^swarm\/timeout$/),
    });
    await corner.lab.node(3).resume();
    expect((await takeSnapshot(swarm, { withTasks: true, now: 7 })).nodes).toHaveLength(3);
    swarm.close();
  });
});

describe('watching a real swarm', () => {
  test('a look takes six reads at 10 and at 60 services; a change by hand is told within a second, ours never', async () => {
    await using corner = labCorner(await useLab());
    const calls: { method: string }[] = [];
    const swarm = connect(corner, 1, { onCall: (call) => calls.push(call) });
    const hand = connect(corner, 2);
    const watcher = new SwarmWatcher({ swarm });
    const told: string[] = [];
    watcher.onChanged((change) => told.push(change.kind === 'resync' ? 'resync' : `${change.action} ${change.name} of ${change.stack}`));
    watcher.start();
    await eventually(() => watcher.connected);
    const make = async (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        const name = corner.name(`s${i}`);
        await watcher.own({ kind: 'service', name, action: 'create' }, () =>
          swarm.createService(service(name, { [stackLabel]: corner.prefix })),
        );
      }
    };
    const look = async () => {
      await watcher.refresh({ withTasks: true });
      calls.length = 0;
      const { services } = await watcher.refresh({ withTasks: true });
      return {
        services: services.filter(({ spec }) => spec.Name.startsWith(corner.prefix)).length,
        calls: calls.map(({ method }) => method),
      };
    };
    const reads = Array(6).fill('GET');
    await make(0, 10);
    expect(await look()).toEqual({ services: 10, calls: reads });
    await make(10, 60);
    expect(await look()).toEqual({ services: 60, calls: reads });
    await consistently(() => expect(told).toEqual(['resync']), 500);

    const name = corner.name('s3');
    const [before] = (await hand.listServices({ name })).filter(({ spec }) => spec.Name === name);
    if (!before) throw new Error(`${name} is gone`);
    const started = performance.now();
    await hand.updateService(before.id, before.version, service(name, { [stackLabel]: corner.prefix }, 1));
    await eventually(() => told.length === 2, { intervalMs: 5 });
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(told[1]).toBe(`update ${name} of ${corner.prefix}`);
    await watcher.stop();
    swarm.close();
    hand.close();
  });
});

describe('the lease on a real swarm', () => {
  function contender(corner: LabCorner, node: number, times?: typeof quick) {
    const swarm = connect(corner, node);
    const name = `hivekeep.lease.${corner.prefix}`;
    const lease = new SwarmLease({
      swarm,
      name,
      binding: { controllerId: name, swarm: 'here', home: true, appSet: name },
      ...(times && { times }),
    });
    lease.start();
    const end = async () => {
      await lease.stop({ release: false });
      swarm.close();
    };
    return { lease, node, end };
  }

  test('of three contenders one wins; its machine is cut off: it stops, another follows, never both', async () => {
    await using corner = labCorner(await useLab());
    const contenders = [1, 2, 3].map((node) => contender(corner, node));
    try {
      const writers = () => contenders.filter(({ lease }) => mayWrite(lease));
      const holder = await eventually(() => writers()[0] ?? false, { timeoutMs: 90_000, intervalMs: 20 });
      await consistently(() => expect(writers()).toEqual([holder]), 6_000);
      const { epoch } = holder.lease;
      await corner.lab.node(holder.node).cut();
      let overlap = 0;
      const next = await eventually(
        () => {
          const now = writers();
          if (now.length > 1) overlap += 1;
          return now.find((each) => each !== holder) ?? false;
        },
        { timeoutMs: 90_000, intervalMs: 20 },
      );
      expect(overlap).toBe(0);
      expect(mayWrite(holder.lease)).toBe(false);
      expect(next.lease.epoch).toBeGreaterThan(epoch);
      await corner.lab.node(holder.node).heal();
      await consistently(() => expect(writers().length).toBeLessThan(2), 5_000, 20);
    } finally {
      await corner.lab.restore();
      await Promise.all(contenders.map(({ end }) => end()));
    }
  });

  test('a holder that was stopped past its time and resumed writes nothing more', async () => {
    await using corner = labCorner(await useLab());
    const name = `hivekeep.lease.${corner.prefix}`;
    const child = holderProcess(corner, name);
    const written = async () => (await connectOnce(corner, (swarm) => swarm.listConfigs({ name: `w-${name}` }))).length;
    try {
      await eventually(() => child.lines.some((line) => line.startsWith('wrote 3 ')), { timeoutMs: 90_000 });
      const standby = contender(corner, 2, quick);
      child.process.kill('SIGSTOP');
      await eventually(() => standby.lease.state === 'active', { timeoutMs: 90_000, intervalMs: 50 });
      const before = await written();
      const { epoch } = standby.lease;
      child.process.kill('SIGCONT');
      await eventually(() => child.lines.some((line) => line === 'lost' || line === 'deposed'), { timeoutMs: 10_000 });
      await consistently(async () => expect(await written()).toBe(before), 2_000);
      expect(standby.lease.epoch).toBe(epoch);
      expect(mayWrite(standby.lease)).toBe(true);
      await standby.end();
    } finally {
      child.process.kill('SIGCONT');
      child.process.kill('SIGKILL');
      await once(child.process, 'close');
    }
  });

  function holderProcess(corner: LabCorner, name: string): { process: ChildProcess; lines: string[] } {
    const script = join(import.meta.dirname, 'lease-holder.ts');
    const child = spawn(process.execPath, [script, corner.lab.node(1).socket, name, JSON.stringify(quick)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    return { process: child, lines };
  }
});

function mayWrite(lease: SwarmLease): boolean {
  try {
    lease.assertActive();
    return true;
  } catch {
    return false;
  }
}

async function connectOnce<T>(corner: LabCorner, work: (swarm: DockerSwarm) => Promise<T>): Promise<T> {
  const swarm = connect(corner, 2);
  try {
    return await work(swarm);
  } finally {
    swarm.close();
  }
}

backendContract('DockerBackend on a real swarm', async () => {
  const corner = labCorner(await useLab());
  const swarm = connect(corner, 1, { timeoutMs: 2_000 });
  const spec = service(`${corner.prefix}_web`, { [stackLabel]: corner.prefix }, 1);
  await swarm.createService(spec);
  await eventually(async () => (await corner.runningTasks(spec.Name)).length === 1, { timeoutMs: 120_000 });
  const backend = new DockerBackend({ target: { swarm: 'here' }, swarm, watcher: new SwarmWatcher({ swarm }), beforeWrite: () => {} });
  return {
    backend,
    stack: corner.prefix,
    breakSwarm: () => corner.lab.node(1).pause(),
    [Symbol.asyncDispose]: async () => {
      swarm.close();
      await corner[Symbol.asyncDispose]();
    },
  };
});

nodeContract('AgentReach on a real swarm', async () => {
  const corner = labCorner(await useLab());
  const first = corner.lab.node(1);
  const label = (stack: string) => ({ Labels: { [stackLabel]: stack, 'test.corner': corner.prefix } });
  await first.docker.createVolume({ Name: 'st_data', ...label('st') });
  await first.docker.createVolume({ Name: 'st_busy', ...label('st') });
  await first.docker.createVolume({ Name: 'other_data', ...label('other') });
  await first.docker.createContainer({ Image: testImage, name: corner.name('user'), HostConfig: { Binds: ['st_busy:/data'] } });
  const broker = new MemoryBroker();
  let passed = 0;
  const agents = await Promise.all(
    [1, 2].map(async (number) => {
      const daemon = connect(corner, number, { timeoutMs: 1_000 });
      const { nodeId: id } = await daemon.info();
      const agent = await startNodeAgent({
        ...{ swarm: 'here', version: '1.0.0', logger: silentLogger, pingEveryMs: 500 },
        bus: new MemoryBus(broker, silentLogger),
        backend: new DockerNodeBackend({ daemon, nodeId: id, monotonicNow: () => performance.now() + passed }),
        node: { id, hostname: `node${number}` },
        ping: () => daemon.ping(),
      });
      return { daemon, agent };
    }),
  );
  const bus = new MemoryBus(broker, silentLogger);
  const reach = new AgentReach(bus, '1.0.0');
  return {
    reach,
    swarm: 'here',
    nodeId: (await first.docker.info()).Swarm.NodeID,
    loseSecondNode: async () => {
      await corner.lab.node(2).pause();
      await eventually(async () => (await reach.nodes({ swarm: 'here' })).length < 2, { timeoutMs: 20_000 });
    },
    expireTickets: async () => {
      passed += 10_000;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { daemon, agent } of agents) {
        await agent.close();
        daemon.close();
      }
      await bus.close();
      await corner[Symbol.asyncDispose]();
    },
  };
});
