import { type DaemonCall, eventually, type LabCorner, labCorner, useLab, type Verdict } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import { type Controller, startController } from './support/controller.ts';
import { automated, everywhere, marks, NOTHING, SWEEPING, settled, standing, swept } from './support/sweeping.ts';

/** Before the call the mark stands as after the step before: those are for long runs. */
const moments = process.env.HIVEKEEP_TEST_LONG ? (['before', 'after'] as const) : (['after'] as const);

const lab = () => useLab({ nodes: 3 });

const sweeping = (corner: LabCorner) => startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });

/** An application in its second revision, and one that stays. */
async function install(corner: LabCorner, controller: Controller): Promise<{ shop: string; stays: string }> {
  const [shop, stays] = [corner.name('shop'), corner.name('stays')];
  const files = { [`${shop}.yaml`]: everywhere('one'), [`${stays}.yaml`]: everywhere(), 'page.txt': 'hello' };
  await controller.declare([automated(shop), automated(stays)], files);
  await settled(controller, shop);
  await controller.apps.commit({ [`${shop}.yaml`]: everywhere('two') });
  await controller.sync(shop);
  await settled(controller, shop);
  await settled(controller, stays);
  return { shop, stays };
}

describe.concurrent('an application that left', () => {
  test('goes: stack, volumes on every node, records; what stays is not touched', async () => {
    await using corner = labCorner(await lab());
    await using controller = await sweeping(corner);
    const { shop, stays } = await install(corner, controller);
    const before = await standing(corner, stays);
    const tasks = await corner.runningTasks(`${stays}_web`);
    const had = await standing(corner, shop);
    expect(had).toMatchObject({ records: [expect.stringContaining('v1'), expect.stringContaining('v2')], intents: [] });
    expect(had.volumes).toEqual(corner.lab.nodes.map((node) => `${node.name}/${shop}_data`));

    await controller.declare([automated(stays)]);
    await swept(corner, controller, shop);
    expect(await standing(corner, stays)).toEqual(before);
    expect(await corner.runningTasks(`${stays}_web`)).toEqual(tasks);
    await eventually(() => expect(controller.events.map((event) => event.type)).toContain('resources-pruned'));
  });

  /** The first call of each phase of a sweep. */
  const phases: Record<string, (call: DaemonCall, recordIds: ReadonlySet<string>) => boolean> = {
    marked: marks,
    stack: ({ method, path }) => method === 'DELETE' && path.startsWith('/services/'),
    volumes: ({ method, path }) => method === 'DELETE' && path.startsWith('/volumes/'),
    records: ({ method, path }, records) => method === 'DELETE' && records.has(path.replace('/configs/', '')),
  };

  describe.each(Object.entries(phases))('and is declared again when its sweep is at: %s', (phase, isFirst) => {
    test.each(moments)('the controller is killed %s the call: installed anew', async (moment) => {
      await using corner = labCorner(await lab());
      await using controller = await sweeping(corner);
      const { shop, stays } = await install(corner, controller);
      const records = await recordIds(corner, shop);
      const reached = Promise.withResolvers<void>();
      controller.proxy.intercept(async (call, when): Promise<Verdict> => {
        if (when !== moment || !isFirst(call, records)) return 'pass';
        controller.proxy.intercept(undefined);
        await controller.process.kill();
        reached.resolve();
        return 'drop';
      });
      await controller.apps.declare([automated(stays)]);
      await reached.promise;
      await controller.apps.declare([automated(shop), automated(stays)]);
      await controller.start();
      await installedAnew(corner, controller, shop, phase);
    });

    test('the call hangs meanwhile: installed anew', async () => {
      await using corner = labCorner(await lab());
      await using controller = await sweeping(corner);
      const { shop, stays } = await install(corner, controller);
      const records = await recordIds(corner, shop);
      const reached = Promise.withResolvers<void>();
      const declared = Promise.withResolvers<void>();
      controller.proxy.intercept(async (call, when): Promise<Verdict> => {
        if (when !== 'before' || !isFirst(call, records)) return 'pass';
        controller.proxy.intercept(undefined);
        reached.resolve();
        await declared.promise;
        return 'pass';
      });
      await controller.apps.declare([automated(stays)]);
      await reached.promise;
      await controller.apps.declare([automated(shop), automated(stays)]);
      declared.resolve();
      await installedAnew(corner, controller, shop, phase);
    });
  });
});

async function recordIds(corner: LabCorner, release: string): Promise<ReadonlySet<string>> {
  const { records } = await standing(corner, release);
  const configs = await corner.docker.listConfigs();
  return new Set(configs.filter((config) => records.includes(config.Spec?.Name ?? '')).map((config) => config.ID));
}

/** Runs as Git says under whole records: all that there were and one more, or none of them; and no mark or intent is left. */
async function installedAnew(corner: LabCorner, controller: Controller, release: string, phase: string): Promise<void> {
  const ready = async () => {
    const found = await standing(corner, release);
    const mark = await controller.keptState(release);
    expect({ mark, phase }).toEqual({ mark: {}, phase });
    expect(found).toMatchObject({ services: [`${release}_web`], intents: [] });
    expect(found.configs).toHaveLength(1);
    expect(found.volumes).toHaveLength(corner.lab.nodes.length);
  };
  await eventually(ready, { timeoutMs: 90_000, intervalMs: 250 });
  await settled(controller, release);
  const [history] = (await controller.history(release)).releases;
  const revisions = history?.revisions.map(({ revision }) => revision) ?? [];
  expect(revisions).toEqual(revisions.map((_, index) => revisions.length - index));
  expect(await standing(corner, release)).not.toEqual(NOTHING);
}
