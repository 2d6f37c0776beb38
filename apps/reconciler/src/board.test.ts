import { type ErrorCode, HivekeepError, initialStatus, type Status } from '@hivekeep/contracts';
import { MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { aSpec } from '@hivekeep/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Board } from './board.ts';

function given() {
  const bus = new MemoryBus(new MemoryBroker(), silentLogger);
  onTestFinished(() => bus.close());
  const board = new Board(bus, 'home', silentLogger, () => new Date(0));
  const tell = (name: string, status: Partial<Status> = {}) =>
    board.application({ spec: aSpec({ name }), status: { ...initialStatus(), ...status } });
  const shown = async (): Promise<string[]> => {
    await board.settled();
    return (await bus.views.keys('home')).toSorted();
  };
  return { bus, board, tell, shown };
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
