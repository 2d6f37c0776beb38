import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { eventually, type LabCorner, labCorner, run, tempDir, testImage, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { startController } from './support/controller.ts';
import { automated, held, SWEEPING, settled, standing, swept } from './support/sweeping.ts';

const CREATED = '2026-01-02T03:04:05Z';

/** A chart without values; the family's tool deploys its template as it stands. */
const manifest = (text: string): string => `services:
  web:
    image: ${testImage}
    command: [sleep, "100000"]
    init: true
    stop_grace_period: 1s
    environment: {TEXT: ${text}}
    volumes: [data:/data]
volumes:
  data: {}
`;

const chart = (text: string): Record<string, string> => ({
  'charts/web/Chart.yaml': 'name: web\nversion: 1.0.0\n',
  'charts/web/templates/stack.yaml': manifest(text),
});

/** What swarmcli-cd leaves on a swarm: a stack as docker's command line makes it, and a record with its owner's stamp. */
async function leftBySwarmcliCd(corner: LabCorner, release: string): Promise<void> {
  await using dir = await tempDir();
  const { docker, lab } = corner;
  const file = join(dir.path, 'stack.yaml');
  await writeFile(file, `version: "3.8"\n${manifest('one')}`);
  const env = { PATH: process.env.PATH, HOME: dir.path, DOCKER_HOST: `unix://${lab.node(1).socket}` };
  await run('docker', ['stack', 'deploy', '-c', file, release], { env });

  const owner = `cd/${corner.prefix}/${release}:release/${release}`;
  const lines = manifest('one').replace(/^(?=.)/gm, '    ');
  const record = `release: ${release}
revision: 1
status: deployed
chart:
    name: web
    version: 1.0.0
values: {}
manifest: |
${lines}created: "${CREATED}"
namespace: ${release}
owner: ${owner}
`;
  await docker.createConfig({
    Name: `swarmcli.release.${release}.v1`,
    Data: gzipSync(record).toString('base64'),
    Labels: {
      'com.swarmcli.type': 'release',
      'com.swarmcli.release': release,
      'com.swarmcli.chart': 'web',
      'com.swarmcli.chart.version': '1.0.0',
      'com.swarmcli.revision': '1',
      'com.swarmcli.status': 'deployed',
      'com.swarmcli.created': CREATED,
      'com.swarmcli.owner': owner,
      'swarmcli.created': CREATED,
    },
  });
}

test('what swarmcli-cd left is taken over: nothing is written or restarted, and what the set lacks waits for a person', async () => {
  await using corner = labCorner(await useLab());
  const [shop, departed] = [corner.name('shop'), corner.name('departed')];
  await leftBySwarmcliCd(corner, shop);
  await leftBySwarmcliCd(corner, departed);
  const running = async (release: string) => ({
    tasks: await corner.runningTasks(`${release}_web`),
    service: (await corner.docker.getService(`${release}_web`).inspect()).Version,
  });
  const now = async () => [await running(shop), await running(departed)];
  await eventually(async () => expect((await now()).flatMap(({ tasks }) => tasks)).toHaveLength(2), { timeoutMs: 60_000 });
  const before = await now();

  await using controller = await startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });
  await controller.declare([automated(shop, { source: { chart: { path: 'charts/web' } } })], chart('one'));
  const { releases } = await settled(controller, shop);
  expect(releases).toMatchObject([{ name: shop, chart: './charts/web', version: '1.0.0', revision: 1, action: 'unchanged' }]);
  const request = await held(controller, 'is new on this swarm');
  expect(request.releases).toEqual([departed]);
  expect(await now()).toEqual(before);

  await controller.post(`/prune/${request.id}/approve`);
  await swept(corner, controller, departed);
  await controller.apps.commit(chart('two'));
  expect((await controller.sync(shop)).error).toBeUndefined();
  await settled(controller, shop);
  const records = [1, 2].map((revision) => `swarmcli.release.${shop}.v${revision}`);
  expect(await standing(corner, shop)).toMatchObject({ services: [`${shop}_web`], records, intents: [] });
});
