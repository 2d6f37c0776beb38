import { initialStatus } from '@hivekeep/contracts';
import { connectNatsBus, silentLogger } from '@hivekeep/runtime';
import { aSpec, cuttable, eventually, natsServer } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { Board } from './board.ts';

async function holder(url: string, name: string) {
  const bus = await connectNatsBus({ servers: [url], name });
  const board = new Board(bus, 'home', silentLogger, () => new Date(0));
  return {
    board,
    bus,
    tell: (error: string) => board.application({ spec: aSpec({ name: 'shop' }), status: { ...initialStatus(), error } }),
    [Symbol.asyncDispose]: () => bus.close(),
  };
}

it('a view that hung on its way over the loss of the lease takes no place of the next holder’s', async () => {
  await using server = await natsServer();
  await using way = await cuttable(server.url);
  await using first = await holder(way.url, 'first');
  await using next = await holder(server.url, 'next');
  const shown = async () => (await next.bus.views.get('home.application.shop')) as { status: { error: string } } | undefined;
  first.tell('before');
  await first.board.settled();
  way.hang();
  first.tell('hung');
  await next.board.recall();
  first.board.forget();
  next.tell('of the next holder');
  await next.board.settled();
  way.heal();
  await first.board.settled();
  first.board.event('lease-lost');
  await first.board.settled();
  expect((await shown())?.status.error).toBe('of the next holder');

  first.board.begin();
  first.tell('again');
  await eventually(async () => expect((await shown())?.status.error).toBe('again'));
});
