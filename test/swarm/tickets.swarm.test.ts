import { consistently, daemonProxy, eventually, labCorner, natsServer, useLab, type Verdict } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { startServices } from './support/services.ts';
import { automated, everywhere, idle, NOTHING, SWEEPING, settled, standing } from './support/sweeping.ts';

test('T11 clocks are 40 s apart: volumes go by tickets, and what an agent finds after a freeze it leaves alone', async () => {
  await using corner = labCorner(await useLab({ nodes: 3 }));
  await using nats = await natsServer();
  await using second = await daemonProxy(corner.lab.node(2).socket);
  const clocksOffMs = { 'agent-node1': 40_000, 'agent-node2': -40_000, 'agent-node3': 40_000 };
  await using services = await startServices(corner, { nats, flags: SWEEPING, sockets: { node2: second.socket }, clocksOffMs });
  const { api, apps } = services;
  const [shop, stays] = [corner.name('shop'), corner.name('stays')];
  const files = { [`${shop}.yaml`]: everywhere(), [`${stays}.yaml`]: idle(), 'page.txt': 'hello' };
  await apps.declare([automated(shop), automated(stays)], files);
  await settled(api, shop);
  await settled(api, stays);

  // The agent of node2 stops in the middle of the removal: it has checked the ticket once and is about to do so again.
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  second.intercept(async ({ method, path, query }, when): Promise<Verdict> => {
    if (when !== 'after' || method !== 'GET' || path !== '/volumes' || !query.get('filters')?.includes(`${shop}_data`)) return 'pass';
    second.intercept(undefined);
    services.pause('agent-node2');
    reached.resolve();
    await released.promise;
    return 'pass';
  });
  await apps.declare([automated(stays)]);
  await reached.promise;
  await api.post('/freeze', { reason: 'by the test' });
  released.resolve();
  services.resume('agent-node2');
  await consistently(async () => expect((await standing(corner, shop)).volumes).toContain(`node2/${shop}_data`), 3_000, 250);

  await api.post('/unfreeze');
  await eventually(async () => expect(await standing(corner, shop)).toEqual(NOTHING), { timeoutMs: 120_000 });
  expect((await api.view(stays)).status).toMatchObject({ sync: { state: 'synced' } });
});
