import type { View } from '@hivekeep/contracts';
import { type LabCorner, labCorner, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { type Controller, startController } from './support/controller.ts';
import { sleeper, stackFile } from './support/stack-file.ts';

const withinOneSecond = { timeoutMs: 1_000, intervalMs: 20 };
const idle = { ...sleeper, deploy: { replicas: 0 } };

async function deployed(corner: LabCorner, controller: Controller, services: Record<string, object>): Promise<string> {
  const app = corner.name('app');
  await controller.declare([{ name: app, driftDetection: 'live' }], { [`${app}.yaml`]: stackFile(services) });
  await controller.sync(app);
  await controller.waitFor(app, ({ drift, health }) => drift?.state === 'none' && health.state === 'healthy');
  return app;
}

/** Changes a service by hand, as `docker service update` does. */
async function byHand(corner: LabCorner, name: string, change: (spec: ServiceSpec) => void): Promise<void> {
  const service = corner.docker.getService(name);
  const { Spec: spec, Version: version } = await service.inspect();
  change(spec);
  await service.update({ ...spec, version: version.Index });
}
// biome-ignore lint/suspicious/noExplicitAny: dockerode gives what it inspects as any
type ServiceSpec = any;

const driftOf = (status: View['status']) => status.releases?.[0]?.drift;

test('tells within a second what somebody changed by hand, field by field, and never a value of the environment', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const web = { ...idle, environment: { TOKEN: 'canary-desired' }, deploy: { replicas: 0, labels: { team: 'a' } } };
  const app = await deployed(corner, controller, { web, gone: idle });

  await byHand(corner, `${app}_web`, (spec) => {
    spec.Mode.Replicated.Replicas = 1;
    spec.TaskTemplate.Placement = { Constraints: ['node.labels.none==x'] };
  });
  const scaled = await controller.waitFor(app, ({ drift }) => drift?.state === 'detected', withinOneSecond);
  expect(driftOf(scaled)?.services).toEqual([
    {
      name: `${app}_web`,
      reason: 'modified',
      fields: [
        { field: 'replicas', desired: '0', live: '1' },
        { field: 'constraints', desired: '', live: 'node.labels.none==x' },
      ],
    },
  ]);
  expect(scaled.sync).toMatchObject({ state: 'out-of-sync', summary: { drifted: 1 } });

  await byHand(corner, `${app}_web`, (spec) => {
    spec.TaskTemplate.ContainerSpec.Env = ['TOKEN=canary-live', 'ADDED=canary-added'];
    spec.Labels.team = 'b';
  });
  const changed = await controller.waitFor(app, (status) => (driftOf(status)?.services[0]?.fields.length ?? 0) > 3, withinOneSecond);
  const fields = driftOf(changed)?.services[0]?.fields.map(({ field }) => field);
  expect(fields).toEqual(expect.arrayContaining(['env[ADDED]', 'env[TOKEN]', 'labels[team]', 'constraints', 'replicas']));

  await corner.docker.getService(`${app}_gone`).remove();
  await controller.waitFor(app, (status) => driftOf(status)?.services.some(({ reason }) => reason === 'missing') === true, withinOneSecond);
  const { Spec: spec } = await corner.docker.getService(`${app}_web`).inspect();
  await corner.docker.createService({ ...spec, Name: `${app}_stray` });
  const all = await controller.waitFor(app, (status) => driftOf(status)?.services.length === 3, withinOneSecond);
  expect(driftOf(all)?.services.map(({ name, reason }) => [name, reason])).toEqual([
    [`${app}_gone`, 'missing'],
    [`${app}_stray`, 'unexpected'],
    [`${app}_web`, 'modified'],
  ]);

  const told = JSON.stringify([await controller.view(app), controller.events, await controller.diff(app)]) + (await controller.log());
  expect(told).toContain('live-drift-detected');
  for (const canary of ['canary-desired', 'canary-live', 'canary-added']) expect(told).not.toContain(canary);
});

test('tells a service that the swarm rolled back as rolled back', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const update = { failure_action: 'rollback', monitor: '2s', delay: '0s', order: 'start-first' };
  const web = { ...sleeper, deploy: { replicas: 1, update_config: update, restart_policy: { condition: 'none' } } };
  const app = await deployed(corner, controller, { web });
  await controller.apps.commit({ [`${app}.yaml`]: stackFile({ web: { ...web, command: ['false'] } }) });
  await controller.sync(app);
  const status = await controller.waitFor(app, (now) => driftOf(now)?.services[0]?.reason === 'rolled-back');
  expect(driftOf(status)?.services[0]?.fields.map(({ field }) => field)).toEqual(['args']);
});
