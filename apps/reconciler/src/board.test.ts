import { type ErrorCode, HivekeepError, initialStatus, type ReleaseStatus, type Status } from '@hivekeep/contracts';
import { createLogger, MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { aSpec } from '@hivekeep/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Board } from './board.ts';
import { reconcilerMetrics } from './reconciler-metrics.ts';

function given() {
  const bus = new MemoryBus(new MemoryBroker(), silentLogger);
  onTestFinished(() => bus.close());
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ format: 'json', write: (line) => lines.push(JSON.parse(line)) });
  const board = new Board(bus, 'home', logger, () => new Date(0));
  const tell = (name: string, status: Partial<Status> = {}) =>
    board.application({ spec: aSpec({ name }), status: { ...initialStatus(), ...status } });
  const shown = async (): Promise<string[]> => {
    await board.settled();
    return (await bus.views.keys('home')).toSorted();
  };
  return { bus, board, lines, tell, shown };
}

it('removes the view of an application that left', async () => {
  const { board, tell, shown } = given();
  tell('shop');
  tell('blog');
  expect(await shown()).toEqual(['home.application.blog', 'home.application.shop']);
  board.removeApplication('shop');
  expect(await shown()).toEqual(['home.application.blog']);
});

it('does not keep views of a term that is over: what left meanwhile is gone in the next one', async () => {
  const { board, tell, shown } = given();
  tell('shop');
  tell('blog');
  await shown();
  board.forget();
  board.begin();
  tell('blog');
  await board.adopt();
  tell('blog', { error: 'x' });
  expect(await shown()).toEqual(['home.application.blog']);
});

it('puts a view again after a term, whatever another holder has put in its place', async () => {
  const { bus, board, tell, shown } = given();
  tell('shop', { error: 'ours' });
  await shown();
  await bus.views.put('home.application.shop', 'of another holder');
  board.forget();
  board.begin();
  tell('shop', { error: 'ours' });
  await shown();
  const values: unknown[] = [];
  const watch = await bus.views.watch(
    ({ value }) => void values.push(value),
    () => undefined,
  );
  onTestFinished(() => watch.close());
  await expect.poll(() => values.at(-1)).toMatchObject({ status: { error: 'ours' } });
});

it('tells nothing of a term that is over and still stops, and takes no view of the next holder away', async () => {
  const { bus, board, tell, shown } = given();
  tell('shop', { error: 'ours' });
  await shown();
  const adopting = board.adopt();
  board.forget();
  await bus.views.put('home.application.shop', 'of the next holder');
  await bus.views.put('home.application.wiki', 'of the next holder');
  await adopting;
  tell('shop', { error: 'the last pass failed' });
  board.removeApplication('wiki');
  await board.adopt();
  board.event('lease-lost');
  await board.check();
  expect(await shown()).toEqual(['home.application.shop', 'home.application.wiki']);
  expect(await bus.views.get('home.application.shop')).toBe('of the next holder');
  board.begin();
  await board.adopt();
  await board.check();
  expect(await shown()).toEqual([]);
});

it('lets neither an event nor a view that is too large keep others back', async () => {
  const { bus, board, tell, shown } = given();
  const refuse = (code: ErrorCode) => Promise.reject(new HivekeepError(code, 'refused'));
  const { publish } = bus.events;
  const { put } = bus.views;
  vi.spyOn(bus.events, 'publish').mockImplementation((event) =>
    event.type === 'sync-failed' ? refuse('bus/too-large') : publish.call(bus.events, event),
  );
  vi.spyOn(bus.views, 'put').mockImplementation((key, value) =>
    JSON.stringify(value).includes('"releases"') ? refuse('bus/too-large') : put.call(bus.views, key, value),
  );
  const told: string[] = [];
  const events = await bus.events.subscribe(undefined, (stored) => void ('event' in stored && told.push(stored.event.type)));
  onTestFinished(() => events.close());
  tell('large', { releases: [] });
  tell('shop');
  board.event('sync-failed', { application: 'large', message: 'x'.repeat(100_000) });
  board.event('sync-succeeded', { application: 'shop' });
  expect(await shown()).toEqual(['home.application.large', 'home.application.shop']);
  await expect.poll(() => told).toEqual(['sync-succeeded']);
});

it('leaves room for other swarms: what does not fit is put without releases, until there is room again', async () => {
  const { bus, tell, shown, board } = given();
  const large = (text: string): Partial<Status> => ({ releases: [], error: text.repeat(4 * 1024 * 1024) });
  const whole = async (): Promise<string[]> => {
    const keys = await shown();
    const views = await Promise.all(keys.map(async (key) => [key, await bus.views.get(key)] as const));
    return views.flatMap(([key, view]) => ('releases' in (view as { status: Status }).status ? [key.split('.').at(-1) ?? ''] : []));
  };
  for (const name of ['a', 'b', 'c', 'd']) tell(name, large('x'));
  expect(await whole()).toHaveLength(3);
  board.removeApplication('a');
  await shown();
  tell('d', large('y'));
  tell('e', { releases: [] });
  expect(await whole()).toEqual(['b', 'c', 'd', 'e']);
});

it('stores views although events have to wait', async () => {
  const { bus, board, tell, shown } = given();
  vi.spyOn(bus.events, 'publish').mockRejectedValue(new HivekeepError('bus/unavailable', 'no log of events yet'));
  board.event('lease-taken');
  tell('shop');
  expect(await shown()).toEqual(['home.application.shop']);
});

it('logs an event with its release, where that is told or the application has only one, and keeps it out of the event', async () => {
  const { bus, board, lines, tell } = given();
  const release = (name: string): ReleaseStatus => ({
    ...{ name, chart: 'compose', version: '0.0.0', revision: 1, action: 'unchanged', sync: 'synced', services: [] },
    health: initialStatus().health,
  });
  const told: unknown[] = [];
  const events = await bus.events.subscribe(undefined, (stored) => void ('event' in stored && told.push(Object.keys(stored.event))));
  onTestFinished(() => events.close());
  tell('blog', { releases: [release('blog-web')] });
  tell('shop', { releases: [release('web'), release('db')] });
  board.event('sync-started', { application: 'blog' });
  board.event('sync-started', { application: 'shop' });
  board.event('prune-failed', { application: 'shop', release: 'old' });
  board.event('frozen');
  expect(lines.map(({ application, release }) => [application, release])).toEqual([
    ['blog', 'blog-web'],
    ['shop', undefined],
    ['shop', 'old'],
    ['', undefined],
  ]);
  await board.settled();
  await expect.poll(() => told).toHaveLength(4);
  expect(told.flat()).not.toContain('release');
});

it('warns once an outage of how many events were dropped, when the bus takes events again', async () => {
  const { bus, board, lines } = given();
  const publish = vi.spyOn(bus.events, 'publish');
  const count = async (): Promise<number> => (await reconcilerMetrics.eventsDropped.get()).values[0]?.value ?? 0;
  const before = await count();
  for (const dropped of [3, 5]) {
    publish.mockRejectedValue(new HivekeepError('bus/unavailable', 'no log of events yet'));
    for (let told = 0; told < 1_000 + dropped; told++) board.event('sync-started');
    await board.settled();
    publish.mockResolvedValue('a-1');
    await board.check();
    await board.settled();
  }
  board.event('sync-started');
  await board.settled();
  expect(lines.flatMap(({ level, dropped }) => (dropped === undefined ? [] : [[level, dropped]]))).toEqual([
    ['warn', 3],
    ['warn', 5],
  ]);
  expect((await count()) - before).toBe(8);
});

it('does not drop the event that is on its way to the log', async () => {
  const { bus, board } = given();
  const sent: (string | undefined)[] = [];
  const answer = Promise.withResolvers<string>();
  vi.spyOn(bus.events, 'publish').mockImplementation(async ({ message }) => {
    sent.push(message);
    return sent.length === 1 ? answer.promise : 'a-1';
  });
  board.event('sync-started', { message: '0' });
  await expect.poll(() => sent).toEqual(['0']);
  for (let told = 1; told <= 1_000; told++) board.event('sync-started', { message: `${told}` });
  answer.reject(new HivekeepError('bus/timeout', 'no answer'));
  await board.settled();
  await board.check();
  await board.settled();
  expect([sent.length, ...sent.slice(0, 3)]).toEqual([1_001, '0', '0', '2']);
});
