import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { decodeRecord } from '@hivekeep/charts';
import { labCorner, testImage, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { startController } from './support/controller.ts';

/** A chart with a config of its own, an env file, a network that is made for it, and services of a size that its values say. */
function chart(name: string): Record<string, string> {
  const at = (path: string) => `charts/${name}/${path}`;
  return {
    [at('Chart.yaml')]: `name: ${name}\nversion: 1.0.0\nappVersion: 1.10\nswarmcliVersion: ">= 2.0.0"\n`,
    [at('values.yaml')]: 'network: edge\nreplicas: 1\ngreeting: hello\n',
    [at('values.schema.json')]: '{"properties": {"replicas": {"type": "integer", "minimum": 0}}}',
    [at('requirements.yaml')]: 'networks:\n- name: {{ .Values.network }}\n  description: between all\n',
    [at('files/app.env')]: 'PRICE=5$\n',
    [at('templates/stack.yaml')]: `services:
  web:
    image: ${testImage}
    command: [sleep, "100000"]
    init: true
    stop_grace_period: 1s
    env_file: files/app.env
    environment: {GREETING: {{ .Values.greeting | quote }}}
    configs: [{source: greeting, target: /greeting}]
    networks: [{{ .Values.network }}]
    deploy: {replicas: {{ .Values.replicas }}}
networks:
  {{ .Values.network }}: {external: true}
configs:
  greeting:
    name: {{ .Release.Name }}-greeting-{{ .Values.greeting | sha256sum | trunc 12 }}
    file: values/greeting
`,
  };
}

test('a chart is installed with what it requires, left alone, upgraded, and recorded as its engine would', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const [shop, edge] = [corner.name('shop'), corner.name('edge')];
  const values = (greeting: string) => ({ 'prod.yaml': `network: ${edge}\ngreeting: ${greeting}\n` });
  const application = {
    name: shop,
    source: { chart: { path: 'charts/web', values: ['prod.yaml'] } },
    allow: { networks: [edge], configs: [] },
  };
  await controller.declare([application], { ...chart('web'), ...values('hello') });
  const refused = await controller.sync(shop);
  expect(refused).toMatchObject({ code: 'policy/refused', error: expect.stringMatching(/config '\S+-greeting-\w+'.*allow\.configs/) });
  expect(controller.objectWrites()).toEqual([]);

  const names = ['hello', 'bye'].map((text) => `${shop}-greeting-${sha256(text)}`);
  const allowed = { ...application, allow: { networks: [edge], configs: names } };
  await controller.declare([allowed]);
  expect((await controller.sync(shop)).error).toBeUndefined();
  await controller.waitFor(shop, ({ health, sync }) => health.state === 'healthy' && sync.state === 'synced');
  const { Spec: spec } = await corner.docker.getService(`${shop}_web`).inspect();
  expect(spec.TaskTemplate.ContainerSpec).toMatchObject({ Env: ['GREETING=hello', 'PRICE=5$'], Configs: [{ ConfigName: names[0] }] });
  const [network] = await corner.docker.listNetworks({ filters: { name: [edge] } });
  expect(network).toMatchObject({ Driver: 'overlay', Attachable: true, Scope: 'swarm' });

  controller.proxy.forget();
  await controller.sync(shop);
  expect(controller.objectWrites()).toEqual([]);

  await controller.apps.commit(values('bye'));
  expect((await controller.sync(shop)).error).toBeUndefined();
  const { Spec: config } = await corner.docker.getConfig(`swarmcli.release.${shop}.v2`).inspect();
  const data = Buffer.from(String(config?.Data), 'base64');
  expect(decodeRecord({ name: 'config', data })).toMatchObject({
    chart: { name: 'web', version: '1.0.0', appVersion: '1.10' },
    values: { network: edge, replicas: 1, greeting: 'bye' },
    managedNetworks: [edge],
    files: { 'files/app.env': Buffer.from('PRICE=5$\n').toString('base64'), 'values/greeting': Buffer.from('bye').toString('base64') },
  });
  expect(gunzipSync(data).toString()).toContain('file: values/greeting');
  expect((await controller.view(shop)).status.releases).toMatchObject([{ action: 'unchanged', revision: 2 }]);
});

test('of a release file, a wave that does not converge leaves the next one without services and without a record', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const [one, two, shop, edge] = [corner.name('one'), corner.name('two'), corner.name('shop'), corner.name('edge')];
  const { 'charts/web/requirements.yaml': _, ...files } = chart('web');
  const release = (name: string, wave: number) => `- {name: ${name}, chart: ../charts/web, values: [${name}.yaml], wave: ${wave}}\n`;
  const image = 'localhost:1/nowhere:1';
  await controller.declare(
    [
      {
        name: shop,
        source: { releaseFile: 'env/release.yaml' },
        syncPolicy: { timeout: '3s' },
        allow: { networks: [edge], configs: [one, two].map((name) => `${name}-greeting-${sha256('hello')}`) },
      },
    ],
    {
      ...files,
      'charts/web/templates/image.yaml': `services: {web: {image: {{ .Values.image | default "${testImage}" }}}}\n`,
      'env/release.yaml': `releases:\n${release(two, 1)}${release(one, 0)}`,
      [`env/${one}.yaml`]: `network: ${edge}\nimage: ${image}\n`,
      [`env/${two}.yaml`]: `network: ${edge}\n`,
    },
  );
  const status = await controller.sync(shop);
  expect(status.sync.lastSync).toMatchObject({ succeeded: false });
  const services = (await corner.docker.listServices()).map(({ Spec }) => Spec?.Name);
  expect([services.includes(`${one}_web`), services.includes(`${two}_web`)]).toEqual([true, false]);
  const history = await controller.history(shop);
  expect(history.releases.map(({ revisions }) => revisions.length)).toEqual(expect.arrayContaining([1, 0]));

  await controller.apps.commit({ [`env/${one}.yaml`]: `network: ${edge}\n` });
  expect((await controller.sync(shop)).error).toBeUndefined();
  expect((await corner.docker.listServices()).map(({ Spec }) => Spec?.Name)).toContain(`${two}_web`);
});

test('a chart that renders differently each time is deployed once for each commit, by whatever process', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const shop = corner.name('shop');
  const template = `services:\n  web:\n    image: ${testImage}\n    environment: {AT: "{{ now | unixEpoch }}"}\n    deploy: {replicas: 0}\n`;
  const application = { name: shop, source: { chart: { path: 'clock' } }, syncPolicy: { automated: true } };
  await controller.declare([application], { 'clock/Chart.yaml': 'name: clock\nversion: 1.0.0\n', 'clock/templates/a.yaml': template });
  await controller.waitFor(shop, ({ hold }) => hold?.reason === 'unstable');

  await controller.process.kill();
  await controller.start();
  await controller.waitFor(shop, ({ sync, hold }) => sync.state === 'out-of-sync' && hold?.reason === 'unstable');
  const revisions = async () => (await controller.history(shop)).releases[0]?.revisions.map(({ revision }) => revision);
  await controller.post(`/applications/${shop}/refresh`);
  expect(await revisions()).toEqual([1]);

  await controller.sync(shop);
  expect(await revisions()).toEqual([2, 1]);
});

/** As the chart's template cuts it. */
function sha256(text: string): string {
  return hash('sha256', text).slice(0, 12);
}
