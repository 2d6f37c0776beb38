import { cp, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventually, type LabNode, labCorner, tempDir, testImage, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { appRepository } from './support/app-repository.ts';
import { startController } from './support/controller.ts';
import { automated, settled } from './support/sweeping.ts';

/** A service on the worker, with a volume. */
const onWorker = (text: string): string =>
  JSON.stringify({
    services: {
      web: {
        image: testImage,
        command: ['sleep', '100000'],
        init: true,
        stop_grace_period: '1s',
        environment: { TEXT: text },
        volumes: ['data:/data'],
        deploy: { placement: { constraints: ['node.role == worker'] } },
      },
    },
    volumes: { data: {} },
  });

const dataOf = (node: LabNode): string => join(dirname(node.socket), 'data');

test.runIf(process.env.HIVEKEEP_TEST_LONG)(
  'the only manager comes back from a backup of its swarm on an empty disk: what was recorded goes on untouched, what changed since is deployed again',
  async () => {
    await useLab();
    const lab = await useLab({ nodes: 2, managers: 1, beside: true });
    try {
      await using corner = labCorner(lab);
      await using dir = await tempDir();
      await using repository = await appRepository();
      const manager = lab.node(1);
      const [shop, blog] = [corner.name('shop'), corner.name('blog')];
      const apps = [shop, blog].map((name) => automated(name));
      const backup = join(dir.path, 'swarm');
      const recorded = async () => ({
        tasks: await corner.runningTasks(`${shop}_web`),
        records: (await corner.docker.listConfigs({ filters: { name: [`swarmcli.release.${shop}.`] } })).map(({ Spec }) => Spec?.Name),
      });
      const flags = ['--reconcile-interval', '2s'];
      const lost = async () => {
        await using controller = await startController(corner, { repository, flags });
        await controller.declare(apps, { [`${shop}.yaml`]: onWorker('one'), [`${blog}.yaml`]: onWorker('one') });
        for (const name of [shop, blog]) await settled(controller, name);
        await manager.crash();
        await cp(join(dataOf(manager), 'swarm'), backup, { recursive: true, preserveTimestamps: true });
        await manager.start();
        const commit = await controller.declare(apps, { [`${shop}.yaml`]: onWorker('one'), [`${blog}.yaml`]: onWorker('two') });
        await controller.waitFor(
          blog,
          ({ sync, health }) => sync.revision === commit && sync.state === 'synced' && health.state === 'healthy',
          {
            timeoutMs: 60_000,
          },
        );
        return { commit, before: await recorded() };
      };
      const { commit, before } = await lost();
      expect(before.tasks).toHaveLength(1);

      await manager.kill();
      await rm(dataOf(manager), { recursive: true, force: true });
      await mkdir(dataOf(manager));
      await cp(backup, join(dataOf(manager), 'swarm'), { recursive: true });
      await manager.start();
      await manager.docker.swarmInit({ ForceNewCluster: true, ListenAddr: '0.0.0.0:2377', AdvertiseAddr: `${manager.address}:2377` });
      const old = async () => (await corner.docker.getService(`${blog}_web`).inspect()).Spec?.TaskTemplate;
      expect(await eventually(old, { timeoutMs: 30_000 })).toMatchObject({ ContainerSpec: { Env: ['TEXT=one'] } });

      await using controller = await startController(corner, { repository, flags });
      for (const name of [shop, blog])
        await controller.waitFor(
          name,
          ({ sync, health }) => sync.revision === commit && sync.state === 'synced' && health.state === 'healthy',
          {
            timeoutMs: 90_000,
          },
        );
      expect(await old()).toMatchObject({ ContainerSpec: { Env: ['TEXT=two'] } });
      expect(await recorded()).toEqual(before);
      expect(JSON.stringify(controller.objectWrites())).not.toContain(shop);
      expect(await corner.volumes()).toMatchObject({ node2: [`${blog}_data`, `${shop}_data`] });
    } finally {
      await lab.down();
    }
  },
);
