import { eventually, labCorner, useLab, type Verdict } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { startController } from './support/controller.ts';
import { sleeper, stackFile } from './support/stack-file.ts';

const file = (text: string) =>
  stackFile({ web: { ...sleeper, environment: { TEXT: text }, deploy: { update_config: { monitor: '2s' } } } });

test.concurrent("during a rolling update, tries a write again that swarm's own bookkeeping got ahead of", async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const app = corner.name('app');
  await controller.declare([{ name: app }], { [`${app}.yaml`]: file('1') });
  await controller.sync(app);
  await controller.waitFor(app, ({ health }) => health.state === 'healthy');
  await controller.apps.commit({ [`${app}.yaml`]: file('2') });
  await controller.sync(app);

  const service = corner.docker.getService(`${app}_web`);
  await controller.apps.commit({ [`${app}.yaml`]: file('3') });
  controller.proxy.forget();
  let moved = false;
  controller.proxy.intercept(async ({ path }, phase): Promise<Verdict> => {
    if (!moved && phase === 'before' && path.startsWith('/services/') && path.endsWith('/update')) {
      moved = true;
      const { Spec: spec, Version: version } = await service.inspect();
      await service.update({ ...spec, version: version.Index }); // the index moves and the spec does not, as at each step of a rolling update
    }
    return 'pass';
  });
  const status = await controller.sync(app);
  expect(status.error).toBeUndefined();
  const updates = controller.objectWrites().filter(({ path }) => path.endsWith('/update'));
  expect([updates[0]?.status, updates.at(-1)?.status]).toEqual([500, 200]);
  expect((await service.inspect()).Spec.TaskTemplate.ContainerSpec.Env).toEqual(['TEXT=3']);
  expect(controller.events.filter(({ type }) => type === 'out-of-band-write')).toEqual([]);
});

test.concurrent('leaves a service that somebody else changed between plan and write, tells it, and plans it again', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const app = corner.name('app');
  const idle = (text: string) => stackFile({ web: { ...sleeper, environment: { TEXT: text }, deploy: { replicas: 0 } } });
  await controller.declare([{ name: app }], { [`${app}.yaml`]: idle('1') });
  await controller.sync(app);
  const commit = await controller.apps.commit({ [`${app}.yaml`]: idle('2') });
  await controller.waitFor(app, ({ sync }) => sync.revision === commit); // a look that came later would take the failure back
  const service = corner.docker.getService(`${app}_web`);
  let written = false;
  controller.proxy.intercept(async ({ path }, phase): Promise<Verdict> => {
    if (!written && phase === 'before' && path.endsWith('/update') && path.startsWith('/services/')) {
      written = true;
      const { Spec: spec, Version: version } = await service.inspect();
      await service.update({ ...spec, version: version.Index, Labels: { ...spec.Labels, 'by-hand': 'yes' } });
    }
    return 'pass';
  });
  const conflicted = await controller.sync(app);
  expect(conflicted).toMatchObject({ code: 'swarm/conflict', sync: { state: 'out-of-sync' } });
  const left = (await service.inspect()).Spec;
  expect(left.Labels).toMatchObject({ 'by-hand': 'yes' });
  expect(left.TaskTemplate.ContainerSpec.Env).toEqual(['TEXT=1']);
  await eventually(() => controller.events.some(({ type, message }) => type === 'out-of-band-write' && message?.includes(`${app}_web`)));

  expect((await controller.sync(app)).error).toBeUndefined();
  const again = (await service.inspect()).Spec;
  expect(again.Labels).not.toHaveProperty('by-hand');
  expect(again.TaskTemplate.ContainerSpec.Env).toEqual(['TEXT=2']);
});
