import { readFile } from 'node:fs/promises';
import { labels, ownerStamp } from '@hivekeep/application';
import { labCorner, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { startController } from './support/controller.ts';
import { sleeper, stackFile } from './support/stack-file.ts';

const canaries = { secret: 'canary-in-a-secret', env: 'canary-in-an-environment' };

/** A service with all it may refer to, and a job that ends. */
function shopFile(): string {
  return stackFile(
    {
      web: {
        ...sleeper,
        environment: { TOKEN: canaries.env },
        networks: ['back'],
        volumes: ['data:/data'],
        configs: [{ source: 'conf', target: '/conf' }],
        secrets: ['key'],
      },
      job: { ...sleeper, command: ['true'], deploy: { mode: 'replicated-job', replicas: 1, restart_policy: { condition: 'none' } } },
    },
    { networks: { back: {} }, volumes: { data: {} }, configs: { conf: { file: './conf' } }, secrets: { key: { file: './key' } } },
  );
}

test.concurrent('installs a stack with all its objects; an unchanged one is left alone; what is secret shows nowhere', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const shop = corner.name('shop');
  const files = { [`${shop}.yaml`]: shopFile(), conf: 'greeting=hello', key: canaries.secret };
  const commit = await controller.declare([{ name: shop, syncPolicy: { automated: true }, driftDetection: 'live' }], files);
  const status = await controller.waitFor(shop, ({ health, sync }) => health.state === 'healthy' && sync.state === 'synced');
  expect(status.health.services).toEqual({ healthy: 2, total: 2 });
  expect(status.releases?.[0]?.services.find(({ name }) => name === `${shop}_job`)).toMatchObject({ health: 'healthy', completed: 1 });

  const { docker } = corner;
  const owner = ownerStamp({ controllerId: corner.prefix, application: shop }, shop);
  const filters = { label: [`${labels.stack}=${shop}`] };
  const services = await docker.listServices({ filters });
  const configs = await docker.listConfigs({ filters });
  const secrets = await docker.listSecrets({ filters });
  const networks = await docker.listNetworks({ filters });
  expect(services.map((service) => service.Spec?.Name).sort()).toEqual([`${shop}_job`, `${shop}_web`]);
  expect(configs.map((config) => config.Spec?.Name)).toEqual([expect.stringMatching(new RegExp(`^${shop}_conf-[0-9a-f]{12}$`))]);
  expect(secrets.map((secret) => secret.Spec?.Name)).toEqual([expect.stringMatching(new RegExp(`^${shop}_key-[0-9a-f]{12}$`))]);
  expect(networks.map((network) => network.Name).sort()).toEqual([`${shop}_back`, `${shop}_default`]);
  const owned = [...services, ...configs, ...secrets].map((object) => object.Spec?.Labels ?? {});
  for (const found of [...owned, ...networks.map((network) => network.Labels ?? {})]) {
    expect(found).toMatchObject({ [labels.owner]: owner, [labels.epoch]: expect.stringMatching(/^\d+$/) });
  }
  for (const service of services) {
    const template = JSON.stringify(service.Spec?.TaskTemplate);
    for (const own of ['com.hivekeep.', 'com.swarmcli.']) expect(template).not.toContain(own);
  }
  expect(Object.values(await corner.volumes()).flat()).toEqual([`${shop}_data`]);
  const [history] = (await controller.history(shop)).releases;
  expect(history?.revisions).toMatchObject([{ revision: 1, status: 'deployed', owner: owner, commit }]);

  const before = await corner.runningTasks(`${shop}_web`);
  controller.proxy.forget();
  const again = await controller.sync(shop);
  expect(again.sync.lastSync).toMatchObject({ succeeded: true, revision: commit });
  await controller.post(`/applications/${shop}/refresh`);
  expect(controller.objectWrites()).toEqual([]);
  expect(await corner.runningTasks(`${shop}_web`)).toEqual(before);

  const records = await docker.listConfigs({ filters: { label: [`${labels.record.release}=${shop}`] } });
  const told = {
    log: await controller.log(),
    events: JSON.stringify(controller.events),
    views: JSON.stringify(await controller.views()),
    view: JSON.stringify(await controller.view(shop)),
    swarm: JSON.stringify(await controller.get('/swarms')),
    diff: JSON.stringify(await controller.diff(shop)),
    history: JSON.stringify(await controller.history(shop)),
    record: records.map((record) => Buffer.from(record.Spec?.Data ?? '', 'base64').toString()).join(),
    arguments: await readFile(`/proc/${controller.process.pid}/cmdline`, 'utf8'),
    secretLabels: JSON.stringify(secrets),
  };
  for (const [sink, text] of Object.entries(told)) {
    expect(text.length, sink).toBeGreaterThan(10);
    expect(text, sink).not.toContain(canaries.secret);
    expect(text, sink).not.toContain(Buffer.from(canaries.secret).toString('base64'));
    if (sink !== 'record') expect(text, sink).not.toContain(canaries.env);
  }
});

test.concurrent('a changed config or secret rolls out under a new name; the old one goes with the last record that names it', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const shop = corner.name('shop');
  const names = async () => {
    const filters = { label: [`${labels.stack}=${shop}`] };
    const [configs, secrets] = [await corner.docker.listConfigs({ filters }), await corner.docker.listSecrets({ filters })];
    return { configs: configs.map(({ Spec }) => Spec?.Name ?? ''), secrets: secrets.map(({ Spec }) => Spec?.Name ?? '') };
  };
  const web = { ...sleeper, configs: ['conf'], secrets: ['key'], deploy: { replicas: 0 } };
  const definitions = { configs: { conf: { file: './conf' } }, secrets: { key: { file: './key' } } };
  const files = (text: string) => ({ conf: `config ${text}`, key: `secret ${text}` });
  await controller.declare([{ name: shop, syncPolicy: { historyMax: 2 } }], {
    [`${shop}.yaml`]: stackFile({ web }, definitions),
    ...files('1'),
  });
  await controller.sync(shop);
  const first = await names();

  await controller.apps.commit(files('2'));
  await controller.sync(shop);
  const second = await names();
  expect([second.configs.length, second.secrets.length]).toEqual([2, 2]);
  expect(second).toEqual({ configs: expect.arrayContaining(first.configs), secrets: expect.arrayContaining(first.secrets) });
  const [newConfig] = second.configs.filter((name) => !first.configs.includes(name));
  const { Spec: spec } = await corner.docker.getService(`${shop}_web`).inspect();
  expect(spec.TaskTemplate.ContainerSpec.Configs).toMatchObject([{ ConfigName: newConfig }]);

  await controller.apps.commit(files('3'));
  await controller.sync(shop);
  const third = await names();
  expect((await controller.history(shop)).releases[0]?.revisions.map(({ revision }) => revision)).toEqual([3, 2]);
  expect([third.configs.length, third.secrets.length]).toEqual([2, 2]);
  for (const name of [...first.configs, ...first.secrets]) expect([...third.configs, ...third.secrets]).not.toContain(name);

  const fixed = {
    configs: { conf: { file: './conf', name: `${shop}_fixed` } },
    secrets: { key: { file: './key', name: `${shop}_fixed` } },
  };
  await controller.apps.commit({ [`${shop}.yaml`]: stackFile({ web }, fixed) });
  expect((await controller.sync(shop)).error).toBeUndefined();
  await controller.apps.commit(files('4'));
  controller.proxy.forget();
  const refused = await controller.sync(shop);
  expect(refused).toMatchObject({
    code: 'policy/refused',
    error: expect.stringMatching(/config \S+ exists with other content.*secret \S+ exists with other content|secret .*config /s),
  });
  expect(controller.objectWrites()).toEqual([]);
});
