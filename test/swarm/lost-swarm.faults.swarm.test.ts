import { cp, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventually, type LabNode, labCorner, tempDir, testImage, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { appRepository } from './support/app-repository.ts';
import { type Controller, startController } from './support/controller.ts';
import { automated, SWEEPING, standing, swept } from './support/sweeping.ts';

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
  'the only manager comes back from a backup of its swarm on an empty disk: what was recorded goes on untouched, what changed or left since is as Git says again',
  async () => {
    await useLab();
    const lab = await useLab({ nodes: 2, managers: 1, beside: true });
    try {
      await using corner = labCorner(lab);
      await using dir = await tempDir();
      await using repository = await appRepository();
      const manager = lab.node(1);
      const [shop, blog, left] = [corner.name('shop'), corner.name('blog'), corner.name('left')];
      const backup = join(dir.path, 'swarm');
      const controlled = () =>
        startController(corner, { repository, flags: [...SWEEPING, '--reconcile-interval', '2s'], nodes: lab.nodes.slice(1) });
      const declare = async (controller: Controller, names: string[], blogs: string) => {
        const files = { [shop]: onWorker('one'), [blog]: onWorker(blogs), [left]: onWorker('one') };
        const entries = Object.fromEntries(names.map((name) => [`${name}.yaml`, files[name] ?? '']));
        return controller.declare(
          names.map((name) => automated(name)),
          entries,
        );
      };
      const isAt = (controller: Controller, name: string, commit: string) =>
        controller.waitFor(name, ({ sync, health }) => sync.revision === commit && sync.state === 'synced' && health.state === 'healthy', {
          timeoutMs: 90_000,
        });
      const ofShop = async () => ({ tasks: await corner.runningTasks(`${shop}_web`), records: (await standing(corner, shop)).records });
      const ofBlog = async () => (await corner.docker.getService(`${blog}_web`).inspect()).Spec?.TaskTemplate;

      const lost = async () => {
        await using controller = await controlled();
        const first = await declare(controller, [shop, blog, left], 'one');
        for (const name of [shop, blog, left]) await isAt(controller, name, first);
        await manager.crash();
        await cp(join(dataOf(manager), 'swarm'), backup, { recursive: true });
        await manager.start();
        const commit = await declare(controller, [shop, blog], 'two');
        for (const name of [shop, blog]) await isAt(controller, name, commit);
        await swept(corner, controller, left);
        return { commit, before: await ofShop() };
      };
      const { commit, before } = await lost();
      expect(before.tasks).toHaveLength(1);

      await manager.kill();
      await rm(dataOf(manager), { recursive: true, force: true });
      await mkdir(dataOf(manager));
      await cp(backup, join(dataOf(manager), 'swarm'), { recursive: true });
      await manager.start();
      await manager.docker.swarmInit({ ForceNewCluster: true, ListenAddr: '0.0.0.0:2377', AdvertiseAddr: `${manager.address}:2377` });
      expect(await eventually(ofBlog, { timeoutMs: 30_000 })).toMatchObject({ ContainerSpec: { Env: ['TEXT=one'] } });
      expect((await standing(corner, left)).services).toEqual([`${left}_web`]);

      await using controller = await controlled();
      for (const name of [shop, blog]) await isAt(controller, name, commit);
      expect(await ofBlog()).toMatchObject({ ContainerSpec: { Env: ['TEXT=two'] } });
      await swept(corner, controller, left);
      expect(await ofShop()).toEqual(before);
      expect(JSON.stringify(controller.objectWrites())).not.toContain(shop);
      expect(await corner.volumes()).toMatchObject({ node2: [`${blog}_data`, `${shop}_data`] });
    } finally {
      await lab.down();
    }
  },
);
