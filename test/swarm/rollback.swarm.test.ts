import { randomBytes } from 'node:crypto';
import type { View } from '@hivekeep/contracts';
import { type LabCorner, labCorner, testImage, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { type Controller, startController } from './support/controller.ts';
import { sleeper, stackFile } from './support/stack-file.ts';

/** A stack whose service, config and secret say which commit they are of. */
function file(n: number, replicas = 0): string {
  const web = { ...sleeper, environment: { N: `${n}` }, configs: ['conf'], secrets: ['key'], deploy: { replicas } };
  return stackFile({ web }, { configs: { conf: { file: './conf' } }, secrets: { key: { file: './key' } } });
}

const commitOf = (app: string, n: number, replicas = 0) => ({
  [`${app}.yaml`]: file(n, replicas),
  conf: `config ${n}`,
  key: `secret ${n}`,
});

/** A chart that does the same, with its number among its values. */
const chart = {
  'web/Chart.yaml': 'name: web\nversion: 1.0.0\n',
  'web/values.yaml': 'n: 1\n',
  'web/templates/stack.yaml': `services:\n  web:\n    image: ${testImage}\n    environment: {N: "{{ .Values.n }}"}\n    deploy: {replicas: 0}\n`,
};

async function runs(corner: LabCorner, app: string): Promise<string> {
  const { Spec: spec } = await corner.docker.getService(`${app}_web`).inspect();
  return (spec.TaskTemplate.ContainerSpec.Env as string[]).join();
}

const revisions = async (controller: Controller, app: string): Promise<number[]> =>
  (await controller.history(app)).releases.flatMap((release) => release.revisions.map(({ revision }) => revision));

async function rollBack(controller: Controller, app: string, asked: { to?: number } = {}): Promise<View['status']> {
  await controller.post(`/applications/${app}/rollback`, asked);
  return controller.synced(app);
}

const automated = { syncPolicy: { automated: true } };

test('compose files and charts go back to what was recorded and stay there until somebody lets go, or Git moves on', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const [resumed, synced, moved, charted] = ['resumed', 'synced', 'moved', 'charted'].map((name) => corner.name(name)) as [
    string,
    string,
    string,
    string,
  ];
  const apps = [resumed, synced, moved, charted];
  const compose = (n: number) => Object.assign({}, ...[resumed, synced, moved].map((app) => commitOf(app, n))) as Record<string, string>;
  const source = { chart: { path: 'web', values: ['prod.yaml'] } };
  await controller.declare([...[resumed, synced, moved].map((name) => ({ name, ...automated })), { name: charted, source, ...automated }], {
    ...compose(1),
    ...chart,
    'prod.yaml': 'n: 1\n',
  });
  for (const app of apps) await controller.waitFor(app, ({ sync }) => sync.state === 'synced');
  const bad = await controller.apps.commit({ ...compose(2), 'prod.yaml': 'n: 2\n' });
  for (const app of apps) expect((await controller.sync(app)).error).toBeUndefined();

  const told = await controller.api.cli('app', 'rollback', resumed, '--to', '1', '--wait');
  expect(told).toMatch(/rolled back to what was deployed from [0-9a-f]{10}, healthy \(1\/1 services\)/);
  for (const app of [synced, moved, charted]) await rollBack(controller, app);
  for (const app of apps) {
    const { sync, hold, health } = (await controller.view(app)).status;
    expect({ sync: sync.state, hold, health: health.state }, app).toMatchObject({
      sync: 'out-of-sync',
      hold: { reason: 'rollback', by: 'admin', release: app, revision: 1, commit: bad },
      health: 'healthy',
    });
    expect(await runs(corner, app)).toBe('N=1');
    expect(await revisions(controller, app)).toEqual([3, 2, 1]);
  }

  await controller.apps.commit({ unrelated: 'nothing of theirs' });
  controller.proxy.forget();
  for (const app of apps) await controller.post(`/applications/${app}/refresh`);
  for (const app of apps) await controller.waitFor(app, ({ sync }) => sync.revision !== bad);
  expect(controller.objectWrites()).toEqual([]);

  await controller.post(`/applications/${resumed}/resume`);
  await controller.sync(synced);
  await controller.apps.commit({ [`${moved}.yaml`]: file(3), 'prod.yaml': 'n: 3\n' });
  for (const app of [moved, charted]) await controller.post(`/applications/${app}/refresh`);
  for (const [app, n] of [
    [resumed, 2],
    [synced, 2],
    [moved, 3],
    [charted, 3],
  ] as const) {
    await controller.waitFor(app, ({ sync, hold }) => sync.state === 'synced' && hold === undefined);
    expect(await runs(corner, app), app).toBe(`N=${n}`);
    expect(await controller.keptState(app), app).toEqual({});
  }
});

test('a rollback that was accepted comes to its end over a kill, held all the while; one that was not leaves everything as it was', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const [taken, lost] = [corner.name('taken'), corner.name('lost')];
  const both = (n: number) => ({ ...commitOf(taken, n, 1), ...commitOf(lost, n) });
  await controller.declare(
    [taken, lost].map((name) => ({ name, ...automated })),
    both(1),
  );
  for (const app of [taken, lost])
    await controller.waitFor(app, ({ sync, health }) => sync.state === 'synced' && health.state === 'healthy');
  await controller.apps.commit(both(2));
  for (const app of [taken, lost]) expect((await controller.sync(app)).error).toBeUndefined();

  const noted = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  controller.proxy.intercept(async ({ body, path, write }, phase) => {
    const text = write ? JSON.stringify(body ?? '') : '';
    if (phase === 'before' && text.includes(`hivekeep.app.${corner.prefix}.${lost}`)) {
      noted.resolve();
      return 'hang';
    }
    if (phase === 'before' && path.startsWith('/services/') && text.includes(`${taken}_web`)) {
      writing.resolve();
      return 'hang';
    }
    return 'pass';
  });
  await controller.post(`/applications/${taken}/rollback`);
  await writing.promise;
  void controller.post(`/applications/${lost}/rollback`).catch(() => undefined);
  await noted.promise;
  await controller.process.kill();
  controller.proxy.intercept(undefined);
  expect(await runs(corner, taken)).toBe('N=2');

  await controller.start();
  const { hold } = await controller.waitFor(
    taken,
    ({ releases, sync }) => sync.state === 'out-of-sync' && (releases?.[0]?.revision ?? 0) > 2,
  );
  expect(hold).toMatchObject({ reason: 'rollback', revision: 1 });
  await controller.synced(taken);
  expect(await runs(corner, taken)).toBe('N=1');
  await controller.waitFor(lost, ({ sync, hold }) => sync.state === 'synced' && hold === undefined);
  expect([await runs(corner, lost), await revisions(controller, lost)]).toEqual(['N=2', [2, 1]]);

  await controller.process.kill();
  await controller.start();
  await controller.waitFor(taken, ({ hold: found, sync }) => sync.state === 'out-of-sync' && found?.reason === 'rollback');
  await controller.post(`/applications/${taken}/refresh`);
  await controller.waitFor(taken, ({ health }) => health.state === 'healthy');
  expect(await runs(corner, taken)).toBe('N=1');
});

test('a rollback to a secret that is gone is refused before anything is written; a config that is gone is made again', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const app = corner.name('app');
  await controller.declare([{ name: app }], commitOf(app, 1));
  await controller.sync(app);
  await controller.apps.commit(commitOf(app, 2));
  await controller.sync(app);
  const { Spec: second } = await corner.docker.getService(`${app}_web`).inspect();
  await rollBack(controller, app);
  expect(await runs(corner, app)).toBe('N=1');

  const { ConfigID: config, ConfigName: configName } = second.TaskTemplate.ContainerSpec.Configs[0];
  await corner.docker.getConfig(config).remove();
  await rollBack(controller, app, { to: 2 });
  expect(await runs(corner, app)).toBe('N=2');
  const again = (await corner.docker.listConfigs()).find(({ Spec }) => Spec?.Name === configName);
  expect(Buffer.from(String(again?.Spec?.Data), 'base64').toString()).toBe('config 2');

  await rollBack(controller, app, { to: 1 });
  const { SecretID: secret, SecretName: secretName } = second.TaskTemplate.ContainerSpec.Secrets[0];
  await corner.docker.getSecret(secret).remove();
  controller.proxy.forget();
  const refused = controller.post(`/applications/${app}/rollback`, { to: 2 });
  await expect(refused).rejects.toMatchObject({ code: 'policy/refused', issues: [{ message: expect.stringContaining(secretName) }] });
  expect(controller.objectWrites()).toEqual([]);
});

test('a wave of services that does not converge leaves the next one without services and the release without a record, each time', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const app = corner.name('app');
  const waves = stackFile({
    db: { ...sleeper, image: 'localhost:1/nowhere:1', deploy: { labels: { 'com.hivekeep.wave': '-1' } } },
    web: { ...sleeper, deploy: { replicas: 0 } },
  });
  await controller.declare([{ name: app, syncPolicy: { timeout: '3s' } }], { [`${app}.yaml`]: waves });
  for (const time of ['first', 'second']) {
    const { sync } = await controller.sync(app);
    expect(sync.lastSync, time).toMatchObject({ succeeded: false, error: expect.stringContaining(`${app}_db`) });
    const services = (await corner.docker.listServices()).map(({ Spec }) => Spec?.Name).filter((name) => name?.startsWith(`${app}_`));
    expect([services, await revisions(controller, app)], time).toEqual([[`${app}_db`], []]);
  }
});

test('a release whose record would be over 500 KiB is refused before the first write', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const app = corner.name('app');
  const parts = ['a', 'b'];
  const web = { ...sleeper, configs: parts, deploy: { replicas: 0 } };
  const stack = stackFile({ web }, { configs: Object.fromEntries(parts.map((part) => [part, { file: `./${part}` }])) });
  const contents = Object.fromEntries(parts.map((part) => [part, randomBytes(330 * 1024).toString('base64')]));
  await controller.declare([{ name: app }], { [`${app}.yaml`]: stack, ...contents });
  controller.proxy.forget();
  expect(await controller.sync(app)).toMatchObject({ code: 'record/too-large', error: expect.stringContaining('512000') });
  expect(controller.objectWrites()).toEqual([]);
});
