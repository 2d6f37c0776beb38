import { consistently, cuttable, eventually, type LabCorner, labCorner, natsServer, useLab } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import { type AppDeclaration, appRepository } from './support/app-repository.ts';
import { startController } from './support/controller.ts';
import { type Services, startServices } from './support/services.ts';
import { automated, everywhere, held, idle, NOTHING, prune, SWEEPING, settled, standing, swept } from './support/sweeping.ts';

const lab = () => useLab({ nodes: 3 });

/** Longer than a new holder of the lease waits before its first deletion. */
const UNTIL_DELETIONS_MS = 20_000;

const sweeping = (corner: LabCorner) => startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });

describe.concurrent('held until a person approves', () => {
  test('a bad merge that cuts 40 applications to 3: some are approved, once, then the rest', async () => {
    await using corner = labCorner(await lab());
    await using controller = await sweeping(corner);
    const names = Array.from({ length: 40 }, (_, index) => corner.name(`a${index}`));
    const all = names.map((name) => automated(name, { files: ['idle.yaml'] }));
    await controller.declare(all, { 'idle.yaml': idle() });
    const services = async () => (await corner.docker.listServices()).filter(({ Spec }) => Spec?.Name?.startsWith(corner.prefix)).length;
    await eventually(async () => expect(await services()).toBe(40), { timeoutMs: 120_000 });
    await eventually(async () => expect((await controller.views()).every(({ status }) => status.sync.state === 'synced')).toBe(true), {
      timeoutMs: 120_000,
    });

    await controller.declare(all.slice(0, 3));
    const { id, releases } = await held(controller, '37 of 40 applications');
    expect(releases).toEqual(names.slice(3).sort());
    await consistently(async () => expect(await services()).toBe(40), controller.untilDeletionsMs(), 1_000);
    expect(controller.events.filter(({ type }) => type === 'prune-held')).toHaveLength(1);

    const some = names.slice(10, 12);
    await controller.post(`/prune/${id}/approve`, { releases: some });
    for (const name of some) await swept(corner, controller, name);
    await consistently(async () => expect(await services()).toBe(38), 2_000, 500);
    await controller.post(`/prune/${id}/approve`);
    await eventually(async () => expect(await services()).toBe(3), { timeoutMs: 120_000 });
    await eventually(async () => expect((await prune(controller)).approvals).toEqual([]), { timeoutMs: 120_000 });
  });

  test('a set that is empty for this swarm', async () => {
    await using corner = labCorner(await lab());
    await using controller = await sweeping(corner);
    const shop = corner.name('shop');
    await controller.declare([automated(shop)], { [`${shop}.yaml`]: everywhere(), 'page.txt': 'hello' });
    await settled(controller, shop);
    const before = await standing(corner, shop);
    await controller.declare([automated(corner.name('elsewhere'), { destination: { swarm: 'another' } })]);
    const { id } = await held(controller, 'names no application');
    await consistently(async () => expect(await standing(corner, shop)).toEqual(before), controller.untilDeletionsMs(), 1_000);
    await controller.post(`/prune/${id}/approve`);
    await swept(corner, controller, shop);
  });

  test('a rewritten history that removes something, by whoever is active', async () => {
    await using corner = labCorner(await lab());
    await using controller = await sweeping(corner);
    const [shop, stays] = [corner.name('shop'), corner.name('stays')];
    const base = await controller.apps.repo.head();
    const files = { [`${shop}.yaml`]: idle(), [`${stays}.yaml`]: idle() };
    await controller.declare([automated(shop), automated(stays)], files);
    await settled(controller, shop);
    const before = await standing(corner, shop);
    await controller.apps.repo.commit(
      { ...files, [controller.apps.appSetPath]: controller.apps.appSetOf([automated(stays)]) },
      { onto: base },
    );
    await held(controller, 'history');
    await eventually(async () => expect((await prune(controller)).items).toMatchObject([{ release: shop, state: 'held' }]));

    await controller.process.kill();
    await controller.start();
    await settled(controller, stays);
    const { id } = await held(controller, 'history');
    await consistently(async () => expect(await standing(corner, shop)).toEqual(before), controller.untilDeletionsMs(), 1_000);
    await controller.post(`/prune/${id}/approve`);
    await swept(corner, controller, shop);
    await controller.declare([automated(shop), automated(stays)]);
    await settled(controller, shop);
  });

  test('a first contact with records of before', async () => {
    await using corner = labCorner(await lab());
    await using controller = await sweeping(corner);
    const [shop, stays] = [corner.name('shop'), corner.name('stays')];
    await controller.declare([automated(shop), automated(stays)], { [`${shop}.yaml`]: idle(), [`${stays}.yaml`]: idle() });
    await settled(controller, shop);
    const before = await standing(corner, shop);
    await controller.process.kill();
    const [lease] = await corner.docker.listConfigs({ filters: { name: [`hivekeep.lease.${controller.controllerId}`] } });
    await corner.docker.getConfig(lease?.ID ?? '').remove();
    await controller.apps.declare([automated(stays)]);
    await controller.start();
    const { id } = await held(controller, 'is new on this swarm');
    await consistently(async () => expect(await standing(corner, shop)).toEqual(before), controller.untilDeletionsMs(), 1_000);
    await controller.post(`/prune/${id}/approve`);
    await swept(corner, controller, shop);
  });
});

describe('two sources at different commits, one of them cut from Git', () => {
  async function sourcesApart(
    corner: LabCorner,
    stack: AsyncDisposableStack,
    newer: (declare: (applications: readonly AppDeclaration[]) => Promise<string>, services: Services) => Promise<unknown>,
  ): Promise<{ services: Services; shop: string; stays: string; heal: () => void }> {
    const nats = stack.use(await natsServer());
    const apps = stack.use(await appRepository());
    const way = stack.use(await cuttable(apps.url));
    // The lease is bound to the URL that the first answer names: until the reconciler has it, there is one source alone.
    const sources = { old: way.url, new: apps.url };
    const services = stack.use(await startServices(corner, { nats, flags: SWEEPING, repository: apps, sources, later: ['new'] }));
    const [shop, stays] = [corner.name('shop'), corner.name('stays')];
    const files = { [`${shop}.yaml`]: everywhere(), [`${stays}.yaml`]: idle(), 'page.txt': 'hello' };
    await apps.declare([automated(shop), automated(stays)], files);
    await settled(services.api, shop);
    await settled(services.api, stays);

    await services.kill('reconciler');
    const without = await apps.declare([automated(stays)]);
    const seen = async () => ((await services.api.get('/status')) as { appSet: { revision: string } }).appSet.revision;
    await eventually(async () => expect(await seen()).toBe(without), { timeoutMs: 90_000 });
    way.cut();
    await newer((applications) => apps.declare(applications), services);
    const { view } = await services.api.swarm(services.swarm);
    await services.start('reconciler');
    const epoch = async () => (await services.api.swarm(services.swarm)).view?.epoch ?? 0;
    await eventually(async () => expect(await epoch()).toBeGreaterThan(view?.epoch ?? 0), { timeoutMs: 90_000 });
    await services.start('new');
    return { services, shop, stays, heal: () => way.heal() };
  }

  test('T4 an application that the older commit lacks is not swept', async () => {
    await using corner = labCorner(await lab());
    await using stack = new AsyncDisposableStack();
    const [shop, stays] = [corner.name('shop'), corner.name('stays')];
    const { services, heal } = await sourcesApart(corner, stack, (declare) => declare([automated(shop), automated(stays)]));
    const before = await standing(corner, shop);
    await settled(services.api, shop);
    await consistently(async () => expect(await standing(corner, shop)).toEqual(before), UNTIL_DELETIONS_MS, 500);
    heal();
    await services.apps.declare([automated(stays)]);
    await eventually(async () => expect(await standing(corner, shop)).toEqual(NOTHING), { timeoutMs: 120_000 });
  });

  test('T5 nor when the newest commit is broken', async () => {
    await using corner = labCorner(await lab());
    await using stack = new AsyncDisposableStack();
    const { services, shop } = await sourcesApart(corner, stack, async (declare, { apps }) => {
      await declare([automated(corner.name('shop')), automated(corner.name('stays'))]);
      await apps.commit({ [apps.appSetPath]: 'applications: [{' });
    });
    const before = await standing(corner, shop);
    await consistently(async () => expect(await standing(corner, shop)).toEqual(before), UNTIL_DELETIONS_MS, 500);
    await eventually(async () => expect((await services.api.swarm(services.swarm)).view?.appSet.error).toContain('applications.yaml'), {
      timeoutMs: 90_000,
    });
    await consistently(async () => expect(await standing(corner, shop)).toEqual(before), 3_000, 500);
  });
});
