import { labels } from '@hivekeep/application';
import { consistently, eventually, type LabCorner, labCorner, testImage, useLab, type Verdict } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import { appRepository } from './support/app-repository.ts';
import { type Controller, startController } from './support/controller.ts';
import { preload } from './support/program.ts';
import { automated, everywhere, idle, prune, SWEEPING, settled, standing, swarmEntry, swept } from './support/sweeping.ts';

const lab = () => useLab({ nodes: 3 });

/** Twice the same controller, before the proxies of two managers; the first is the active one. */
async function pair(
  corner: LabCorner,
  stack: AsyncDisposableStack,
  env: Record<string, string> = {},
): Promise<{ first: Controller; second: Controller }> {
  const { nodes } = corner.lab;
  const first = stack.use(await startController(corner, { flags: SWEEPING, nodes: nodes.slice(1), env }));
  await isActive(first);
  const others = nodes.filter(({ index }) => index !== 2);
  const second = stack.use(await startController(corner, { flags: SWEEPING, node: 2, nodes: others, repository: first.apps }));
  return { first, second };
}

function isActive(controller: Controller, timeoutMs = 90_000): Promise<true> {
  return eventually(async () => (await swarmEntry(controller)).view?.active === true, { timeoutMs });
}

/** A compose file of several services. */
function services(names: readonly string[], text = '1'): string {
  const one = { image: testImage, command: ['sleep', '1000'], init: true, stop_grace_period: '1s', environment: { TEXT: text } };
  return JSON.stringify({ services: Object.fromEntries(names.map((name) => [name, one])) });
}

/** What a sweep removes first, and in long runs what nothing brings back. */
const sweepStops = process.env.HIVEKEEP_TEST_LONG ? ['services', 'volumes'] : ['services'];

/** More than are written at a time. */
const nine = [...'abcdefghi'];

/** Stops the process when the daemon has answered the first call that `is` one and the process does not know, or before it is passed on. */
function stopAt(
  controller: Controller,
  is: (method: string, path: string) => boolean,
  moment: 'before' | 'after' = 'after',
): { stopped: Promise<void>; release: () => void } {
  const stopped = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  controller.proxy.intercept(async ({ method, path }, when): Promise<Verdict> => {
    if (when !== moment || !is(method, path)) return 'pass';
    controller.proxy.intercept(undefined);
    controller.process.pause();
    stopped.resolve();
    await released.promise;
    return 'pass';
  });
  return { stopped: stopped.promise, release: () => released.resolve() };
}

/** Goes on after a stop that was longer than the lease: it writes nothing any more. */
async function resumesIdle(controller: Controller, release: () => void): Promise<void> {
  controller.proxy.forget();
  release();
  controller.process.resume();
  await eventually(async () => expect(await controller.log()).toContain('lost hivekeep.lease.'), { timeoutMs: 90_000 });
  await consistently(() => expect(controller.proxy.writes()).toEqual([]), 5_000);
}

describe.concurrent('two controllers for one swarm', () => {
  test('one is active; the other takes over when it is killed, and soon when it is stopped', async () => {
    await using corner = labCorner(await lab());
    await using stack = new AsyncDisposableStack();
    const { first, second } = await pair(corner, stack);
    const shop = corner.name('shop');
    await first.declare([automated(shop)], { [`${shop}.yaml`]: idle() });
    await settled(first, shop);
    expect(second.proxy.writes()).toEqual([]);

    const killedAt = performance.now();
    await first.process.kill();
    await isActive(second);
    expect(performance.now() - killedAt).toBeGreaterThan(8_000); // what may still be under way has ended by then
    await settled(second, shop);
    expect(second.objectWrites()).toEqual([]);

    await first.start();
    const stoppedAt = performance.now();
    process.kill(second.process.pid, 'SIGTERM');
    await isActive(first);
    expect(performance.now() - stoppedAt).toBeLessThan(8_000);
    await eventually(() => second.process.exitCode === 0);
  });

  test('stopped in the middle of an apply and resumed: it writes nothing more', async () => {
    await using corner = labCorner(await lab());
    await using stack = new AsyncDisposableStack();
    const { first, second } = await pair(corner, stack);
    const shop = corner.name('shop');
    const { stopped, release } = stopAt(first, (method, path) => method === 'POST' && path === '/services/create');
    await first.apps.declare([automated(shop)], { [`${shop}.yaml`]: services(nine) });
    await stopped;
    await isActive(second);
    await settled(second, shop);
    const before = await standing(corner, shop);
    expect(before.services).toHaveLength(9);
    await resumesIdle(first, release);
    expect(await standing(corner, shop)).toEqual(before);
  });

  test('T2 suspended in the middle of an apply and resumed with its clock unmoved: it overwrites nothing of its successor', async () => {
    await using corner = labCorner(await lab());
    await using stack = new AsyncDisposableStack();
    const { first, second } = await pair(corner, stack, preload('suspended-clock'));
    const shop = corner.name('shop');
    const file = (text: string) => ({ [`${shop}.yaml`]: services(nine, text) });
    await first.declare([automated(shop)], file('1'));
    await settled(first, shop);
    const { stopped, release } = stopAt(first, (method, path) => method === 'POST' && path.endsWith('/update'), 'before');
    await first.apps.commit(file('2'));
    void first.post(`/applications/${shop}/refresh`).catch(() => undefined); // its answer may never come
    await stopped;
    await first.apps.commit(file('3'));
    await isActive(second);
    await settled(second, shop);
    const written = async () => {
      const found = await corner.docker.listServices({ filters: { label: [`${labels.stack}=${shop}`] } });
      return found.map(({ ID, Version, Spec }) => ({ id: ID, version: Version?.Index, spec: Spec }));
    };
    const before = await written();
    const text = (spec: object | undefined) => /"TEXT=."/.exec(JSON.stringify(spec))?.[0];
    expect(before.map(({ spec }) => text(spec))).toEqual(nine.map(() => '"TEXT=3"'));

    // Nobody tells it of its successor: what it meets is the conflict of the write in hand alone.
    const inHand = first.proxy.writes().find(({ path, status }) => path.endsWith('/update') && status === undefined);
    first.proxy.intercept(({ path }) => (path.startsWith('/configs') ? 'hang' : 'pass'));
    release();
    await eventually(() => expect(inHand?.status).toBeGreaterThanOrEqual(400));
    first.process.resume();
    await consistently(async () => expect(await written()).toEqual(before), 5_000);

    first.proxy.intercept(undefined);
    await eventually(async () => expect(await first.log()).toContain('lost hivekeep.lease.'), { timeoutMs: 60_000 });
    expect(await written()).toEqual(before);
    expect((await swarmEntry(second)).view?.active).toBe(true);
  });

  test.each(sweepStops)(
    'T3 stopped in the middle of a sweep, at %s, and resumed: it deletes nothing more, and later brings nothing back',
    async (at) => {
      await using corner = labCorner(await lab());
      await using stack = new AsyncDisposableStack();
      const { first, second } = await pair(corner, stack);
      const [shop, stays] = [corner.name('shop'), corner.name('stays')];
      const files = { [`${shop}.yaml`]: everywhere(), [`${stays}.yaml`]: idle(), 'page.txt': 'hello' };
      await first.declare([automated(shop), automated(stays)], files);
      await settled(first, shop);
      const { stopped, release } = stopAt(first, (method, path) => method === 'DELETE' && path.startsWith(`/${at}/`));
      await first.apps.declare([automated(stays)]);
      await stopped;
      await isActive(second);
      await swept(corner, second, shop);
      await resumesIdle(first, release);

      await second.process.kill();
      await isActive(first);
      await settled(first, stays);
      await consistently(async () => expect((await standing(corner, shop)).services).toEqual([]), 3_000, 500);
    },
  );
});

describe.concurrent('a lease that is bound to something else', () => {
  async function refused(controller: Controller, reason: RegExp): Promise<void> {
    await controller.start().catch(() => undefined); // it may end before its API answers
    await eventually(() => controller.process.ended, { timeoutMs: 90_000 });
    expect(controller.process.exitCode).toBe(1);
    expect(await controller.log()).toMatch(reason);
    expect(controller.objectWrites()).toEqual([]);
  }

  test('wrong swarm, other app set, second controller of one set: refuses to start', async () => {
    await using corner = labCorner(await lab());
    await using first = await startController(corner);
    await isActive(first);
    const twin = { start: false, repository: first.apps };
    await using other = await startController(corner, { ...twin, controllerId: corner.name('other') });
    await refused(other, /controller t\w+ is alive on this swarm with the same app set; stop one of the two/);
    await first.process.kill();
    await using renamed = await startController(corner, { ...twin, swarm: corner.name('elsewhere') });
    await refused(renamed, /is bound to something else \(swarm: .*start with --take-over/);
    await using elsewhere = await startController(corner, { start: false });
    await refused(elsewhere, /is bound to something else \(appSet: .*start with --take-over/);
  });

  test('--take-over takes it, and what the other app set had is held', async () => {
    await using corner = labCorner(await lab());
    await using first = await startController(corner);
    const [shop, other] = [corner.name('shop'), corner.name('other')];
    await first.declare([automated(shop)], { [`${shop}.yaml`]: idle() });
    await settled(first, shop);
    await first.process.kill();

    await using apps = await appRepository();
    await apps.declare([automated(other)], { [`${other}.yaml`]: idle() });
    await using second = await startController(corner, { flags: [...SWEEPING, '--take-over'], repository: apps });
    await isActive(second);
    await settled(second, other);
    await eventually(async () => expect((await prune(second)).approvals).toMatchObject([{ items: [{ release: shop }] }]));
    await consistently(async () => expect((await standing(corner, shop)).services).toHaveLength(1), second.untilDeletionsMs(), 500);
  });

  test('T1 deleted by hand: taken anew under a higher epoch, and everything goes on', async () => {
    await using corner = labCorner(await lab());
    await using controller = await startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });
    const [shop, stays] = [corner.name('shop'), corner.name('stays')];
    const files = { [`${shop}.yaml`]: everywhere(), [`${stays}.yaml`]: idle(), 'page.txt': 'hello' };
    await controller.declare([automated(shop), automated(stays)], files);
    await settled(controller, shop);
    const { view: before } = await swarmEntry(controller);

    const name = `hivekeep.lease.${controller.controllerId}`;
    const [lease] = await corner.docker.listConfigs({ filters: { name: [name] } });
    await corner.docker.getConfig(lease?.ID ?? '').remove();
    await eventually(async () => expect((await swarmEntry(controller)).view?.epoch).toBeGreaterThan(before?.epoch ?? 0), {
      timeoutMs: 90_000,
    });
    await controller.declare([automated(shop), automated(stays)], { 'page.txt': 'changed' });
    await controller.sync(shop);
    await settled(controller, shop);
    await controller.declare([automated(stays)]);
    await swept(corner, controller, shop);
  });
});
