import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { natsServer } from './nats-server.ts';

/** What the server says first on a new connection; undefined when it says nothing within half a second. */
function greeting(url: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const end = (said?: string) => {
      socket.destroy();
      resolve(said);
    };
    socket.setTimeout(500, end);
    socket.once('error', reject);
    socket.once('data', (chunk) => end(chunk.toString()));
  });
}

test('serves JetStream on the same address through kill, start, pause, resume and wipe', async () => {
  await using server = await natsServer();
  expect(await greeting(server.url)).toContain('"jetstream":true');

  await server.kill();
  await expect(greeting(server.url)).rejects.toThrow('ECONNREFUSED');
  await server.start();
  expect(await greeting(server.url)).toMatch(/^INFO /);

  for (let time = 0; time < 5; time += 1) {
    server.pause();
    expect(await greeting(server.url)).toBeUndefined(); // not even by what it was doing just then
    server.resume();
  }
  await eventually(async () => (await greeting(server.url)) !== undefined);

  await server.wipe();
  await server.start();
  expect(await greeting(server.url)).toMatch(/^INFO /);
});

test('says why it does not start', async () => {
  await expect(natsServer('no_such_setting {')).rejects.toThrow('nats-server does not start: nats-server: Parse error on line 4');
});
