import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Another way to a server of this machine, which can be cut while the server itself goes on. */
export interface Cuttable extends AsyncDisposable {
  /** The server's URL with the port of this way. */
  readonly url: string;
  /** Ends every connection and takes none until `heal`. */
  cut(): void;
  /** Connections stay open, and what is sent on them arrives only after `heal`. */
  hang(): void;
  heal(): void;
}

export async function cuttable(url: string): Promise<Cuttable> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const way = new URL(url);
  way.port = String((server.address() as AddressInfo).port); // a TCP server's address is never a pipe's name
  const endAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: way.href,
    cut: () => {
      isCut = true;
      endAll();
    },
    hang: () => {
      for (const socket of open) socket.pause();
    },
    heal: () => {
      isCut = false;
      for (const socket of open) socket.resume();
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      endAll();
      await closed;
    },
  };
}
