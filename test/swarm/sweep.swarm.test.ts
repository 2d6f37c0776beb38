import { type DaemonCall, eventually, type LabCorner, labCorner, useLab, type Verdict } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import { type Controller, startController } from './support/controller.ts';
import { automated, everywhere, idle, marks, NOTHING, SWEEPING, settled, standing, swept } from './support/sweeping.ts';

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

  test('while the controller is killed as its volumes go: whoever starts next finishes it', async () => {
    await using corner = labCorner(await lab());
    await using controller = await sweeping(corner);
    const { shop, stays } = await install(corner, controller);
    const before = await standing(corner, stays);
    // before the call: the other nodes' volumes may all be gone by the time of its answer
    const killed = killAt(controller, (call) => call.method === 'DELETE' && call.path.startsWith('/volumes/'), 'before');
    await controller.apps.declare([automated(stays)]);
    await killed;
    const half = await standing(corner, shop);
    expect(half).toMatchObject({ services: [], records: [expect.stringContaining('v1'), expect.stringContaining('v2')] });
    expect(half.volumes).not.toEqual([]);
    await controller.start();
    await swept(corner, controller, shop);
    expect(await standing(corner, stays)).toEqual(before);
  });

  test('T10 before its first install had ended: its intent goes, and the next owner of the release name is not blocked', async () => {
    await using corner = labCorner(await lab());
    await using controller = await sweeping(corner);
    const [shop, stays, heir] = [corner.name('shop'), corner.name('stays'), corner.name('heir')];
    await controller.declare([automated(stays)], { [`${stays}.yaml`]: idle(), [`${shop}.yaml`]: idle() });
    await settled(controller, stays);
    const record = `swarmcli.release.${shop}.v1`;
    const killed = killAt(controller, ({ body }) => (body as { Name?: string } | undefined)?.Name === record, 'before');
    await controller.apps.declare([automated(shop), automated(stays)]);
    await killed;
    const intent = `hivekeep.intent.${shop}.v1`;
    expect(await standing(corner, shop)).toMatchObject({ services: [`${shop}_web`], records: [], intents: [intent] });
    await controller.apps.declare([automated(stays)]);
    await controller.start();
    await swept(corner, controller, shop);

    await controller.declare([automated(stays), automated(heir, { files: [`${shop}.yaml`], compose: { release: shop } })]);
    await settled(controller, heir);
    expect(await standing(corner, shop)).toMatchObject({ services: [`${shop}_web`], records: [record], intents: [] });
  });

  describe.each(Object.entries(phases))('and is declared again when its sweep is at: %s', (phase, isFirst) => {
    test.each(moments)('the controller is killed %s the call: installed anew', async (moment) => {
      await using corner = labCorner(await lab());
      await using controller = await sweeping(corner);
      const { shop, stays } = await install(corner, controller);
      const records = await recordIds(corner, shop);
      const killed = killAt(controller, (call) => isFirst(call, records), moment);
      await controller.apps.declare([automated(stays)]);
      await killed;
      await controller.apps.declare([automated(shop), automated(stays)]);
      await controller.start();
      await installedAnew(corner, controller, shop, phase);
    });

    test(`${phase === 'records' ? 'T7 ' : ''}the call hangs meanwhile: installed anew`, async () => {
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

/** Kills the controller at the first call that `is` one, before the daemon sees it or after its answer. Resolves then. */
function killAt(controller: Controller, is: (call: DaemonCall) => boolean, moment: 'before' | 'after'): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  controller.proxy.intercept(async (call, when): Promise<Verdict> => {
    if (when !== moment || !is(call)) return 'pass';
    controller.proxy.intercept(undefined);
    await controller.process.kill();
    resolve();
    return 'drop';
  });
  return promise;
}

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
