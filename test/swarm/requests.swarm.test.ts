import { consistently, eventually, labCorner, useLab, type Verdict } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { startController } from './support/controller.ts';
import { sleeper, stackFile } from './support/stack-file.ts';

const idle = (text: string) => stackFile({ web: { ...sleeper, environment: { TEXT: text }, deploy: { replicas: 0 } } });

test('a sync is accepted when it is noted on the swarm, and happens although the controller is killed right then', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const [app, paused] = [corner.name('app'), corner.name('paused')];
  await controller.declare([{ name: app }, { name: paused, syncPolicy: { automated: true } }], {
    [`${app}.yaml`]: idle('1'),
    [`${paused}.yaml`]: idle('1'),
  });
  await controller.sync(paused);
  await controller.post(`/applications/${paused}/pause`, { reason: 'by the test' });

  const noted = Promise.withResolvers<void>();
  controller.proxy.intercept(async ({ body, write }, phase): Promise<Verdict> => {
    const state = write && JSON.stringify(body ?? '').includes(`hivekeep.app.${corner.prefix}.${app}`);
    if (state && phase === 'before') await noted.promise;
    return state || phase === 'after' || !write || isLease(body) ? 'pass' : 'hang';
  });
  const answers: unknown[] = [];
  const posts = [1, 2].map(() => controller.post(`/applications/${app}/sync`).then((answer) => answers.push(answer)));
  await consistently(() => answers.length === 0, 700);
  noted.resolve();
  await Promise.all(posts);
  expect(answers).toEqual(
    expect.arrayContaining([expect.objectContaining({ accepted: true }), expect.objectContaining({ coalesced: true })]),
  );
  expect(await controller.keptState(app)).toHaveProperty(['com.hivekeep.state.sync']);
  await controller.process.kill();
  controller.proxy.intercept(undefined);
  await expect(corner.docker.getService(`${app}_web`).inspect()).rejects.toMatchObject({ statusCode: 404 });

  await controller.apps.commit({ [`${paused}.yaml`]: idle('2') });
  await controller.start();
  const status = await controller.waitFor(app, ({ sync }) => sync.state === 'synced');
  expect(status.sync.lastSync?.succeeded).toBe(true);
  await controller.synced(app);
  await expect.poll(() => controller.keptState(app)).toEqual({}); // emptied first, then removed

  const held = await controller.waitFor(paused, ({ sync }) => sync.state === 'out-of-sync');
  expect(held.hold).toMatchObject({ reason: 'pause', message: 'by the test' });
  await controller.post(`/applications/${paused}/refresh`);
  const service = corner.docker.getService(`${paused}_web`);
  await consistently(async () => (await service.inspect()).Spec.TaskTemplate.ContainerSpec.Env[0] === 'TEXT=1', 700);
  await controller.post(`/applications/${paused}/resume`);
  const resumed = await controller.waitFor(paused, ({ sync }) => sync.state === 'synced');
  expect(resumed.hold).toBeUndefined();
  expect((await service.inspect()).Spec.TaskTemplate.ContainerSpec.Env).toEqual(['TEXT=2']);
});

function isLease(body: unknown): boolean {
  return JSON.stringify(body ?? '').includes('hivekeep.lease.');
}

test('one sync runs and one waits; more join the one that waits', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const app = corner.name('app');
  await controller.declare([{ name: app }], { [`${app}.yaml`]: idle('1') });
  const go = Promise.withResolvers<void>();
  controller.proxy.intercept(async ({ path }, phase): Promise<Verdict> => {
    if (phase === 'before' && path === '/services/create') await go.promise;
    return 'pass';
  });
  const post = () => controller.post(`/applications/${app}/sync`);
  expect(await post()).toMatchObject({ accepted: true });
  await eventually(() => controller.proxy.writes().some(({ path }) => path === '/services/create'));
  expect(await post()).toMatchObject({ accepted: true });
  expect([await post(), await post()]).toEqual([
    expect.objectContaining({ coalesced: true }),
    expect.objectContaining({ coalesced: true }),
  ]);
  go.resolve();
  await controller.synced(app);
  expect(controller.events.filter(({ type }) => type === 'sync-succeeded').length).toBe(2);
  expect((await controller.history(app)).releases[0]?.revisions.length).toBe(1);
});

test('refresh does what the policy allows; a frozen swarm is not written to until it is let go', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const [manual, auto] = [corner.name('manual'), corner.name('auto')];
  await controller.declare([{ name: manual }, { name: auto, syncPolicy: { automated: true } }], {
    [`${manual}.yaml`]: idle('1'),
    [`${auto}.yaml`]: idle('1'),
  });
  await controller.waitFor(auto, ({ sync }) => sync.state === 'synced');
  await controller.post(`/applications/${manual}/refresh`);
  await controller.waitFor(manual, ({ sync }) => sync.state === 'out-of-sync');
  await controller.post('/freeze', { reason: 'by the test' });
  controller.proxy.forget();
  const commit = await controller.apps.commit({ [`${auto}.yaml`]: idle('2') });
  for (const name of [manual, auto]) await controller.waitFor(name, ({ sync }) => sync.revision === commit); // the look at it comes first
  await controller.post(`/applications/${auto}/refresh`);
  await controller.post(`/applications/${manual}/sync`);
  await controller.waitFor(auto, ({ code }) => code === 'swarm/frozen');
  await controller.waitFor(manual, ({ code }) => code === 'swarm/frozen');
  expect(controller.objectWrites()).toEqual([]);

  await controller.post('/unfreeze');
  await controller.post(`/applications/${auto}/refresh`);
  await controller.waitFor(auto, ({ sync, error }) => sync.state === 'synced' && !error);
  const { Spec: spec } = await corner.docker.getService(`${auto}_web`).inspect();
  expect(spec.TaskTemplate.ContainerSpec.Env).toEqual(['TEXT=2']);
  await expect(corner.docker.getService(`${manual}_web`).inspect()).rejects.toMatchObject({ statusCode: 404 });
});
