import { initialStatus, type Status } from '@hivekeep/contracts';
import { MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { aSpec } from '@hivekeep/testkit';
import { expect, it, onTestFinished } from 'vitest';
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
