import { labels } from '@hivekeep/application';
import { eventually, labCorner, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { startController } from './support/controller.ts';
import { sleeper, stackFile } from './support/stack-file.ts';

const job = { ...sleeper, command: ['true'], deploy: { mode: 'replicated-job', restart_policy: { condition: 'none' } } };
const once = { ...sleeper, command: ['true'], deploy: { restart_policy: { condition: 'none' } } };
const failing = { ...sleeper, command: ['false'], deploy: { restart_policy: { condition: 'any', delay: '1s' } } };
const dead = { ...sleeper, command: ['false'], deploy: { restart_policy: { condition: 'none' } } };
const nowhere = { ...sleeper, deploy: { placement: { constraints: ['node.labels.none == x'] } } };

test.concurrent('judges services by what their tasks do, and gives the reason', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const services = { empty: { ...sleeper, deploy: { replicas: 0 } }, job, once, failing, dead, nowhere, runs: sleeper };
  const names = Object.keys(services);
  const app = (name: string) => corner.name(name);
  await controller.declare(
    names.map((name) => ({ name: app(name) })),
    Object.fromEntries(Object.entries(services).map(([name, service]) => [`${app(name)}.yaml`, stackFile({ web: service })])),
  );
  await Promise.all(names.map((name) => controller.sync(app(name))));

  for (const name of ['empty', 'job', 'once', 'runs']) await controller.waitFor(app(name), ({ health }) => health.state === 'healthy');
  const ended = await controller.waitFor(app('dead'), ({ health }) => health.state === 'degraded');
  expect(ended.health.message).toMatch(/non-zero exit \(1\)/);
  const again = await controller.waitFor(app('failing'), ({ health }) =>
    /before it failed: task: non-zero exit \(1\)/.test(health.message),
  );
  expect(again.health.state).toBe('progressing');
  const unplaced = await controller.waitFor(app('nowhere'), ({ health }) => /no suitable node/.test(health.message));
  expect(unplaced.health.state).toBe('progressing');
});

test.concurrent('with wait, a sync ends when its services run, and fails with the reason when they cannot in time', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const [runs, stuck] = [corner.name('runs'), corner.name('stuck')];
  await controller.declare(
    [
      { name: runs, syncPolicy: { wait: true } },
      { name: stuck, syncPolicy: { wait: true, timeout: '3s' } },
    ],
    { [`${runs}.yaml`]: stackFile({ web: sleeper }), [`${stuck}.yaml`]: stackFile({ web: nowhere }) },
  );
  expect((await controller.sync(runs)).health.state).toBe('healthy');
  const timedOut = await controller.sync(stuck);
  expect(timedOut).toMatchObject({ code: 'rollout/timeout', sync: { lastSync: { succeeded: false } } });
  expect(timedOut.error).toMatch(/no suitable node/);
});

test.concurrent('a later wave begins when the earlier one runs, and not at all while it does not', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const wave = (number: number, service: { deploy?: object; image: string }) => ({
    ...service,
    deploy: { ...service.deploy, labels: { [labels.wave]: String(number) } },
  });
  const [good, bad] = [corner.name('good'), corner.name('bad')];
  await controller.declare([{ name: good }, { name: bad, syncPolicy: { timeout: '3s' } }], {
    [`${good}.yaml`]: stackFile({ late: wave(2, sleeper), early: wave(1, sleeper) }),
    [`${bad}.yaml`]: stackFile({ late: wave(2, sleeper), early: wave(1, nowhere) }),
  });
  expect((await controller.sync(good)).error).toBeUndefined();
  const [task] = await corner.docker.listTasks({ filters: { service: [`${good}_early`] } });
  const late = await corner.docker.getService(`${good}_late`).inspect();
  expect(Date.parse(late.CreatedAt)).toBeGreaterThan(Date.parse(task?.Status.Timestamp ?? ''));

  expect((await controller.sync(bad)).code).toBe('rollout/timeout');
  const services = await corner.docker.listServices({ filters: { label: [`${labels.stack}=${bad}`] } });
  expect(services.map(({ Spec: spec }) => spec?.Name)).toEqual([`${bad}_early`]);
  await eventually(async () => (await controller.history(bad)).releases.every(({ revisions }) => revisions.length === 0));
});
