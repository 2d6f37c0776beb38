import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DaemonCall, daemonProxy, type Lab } from '@hivekeep/testkit';

/** Everything that our services asked the daemons of a lab to write. */
export interface DaemonLog extends AsyncDisposable {
  /** Where a task finds the socket to mount, on whichever node it runs. */
  readonly socket: string;
  /** In the order of arrival. */
  writes(): DaemonCall[];
  forget(): void;
}

/** Puts a proxy before the socket of every node. */
export async function daemonLog(lab: Lab, folder: string): Promise<DaemonLog> {
  await using resources = new AsyncDisposableStack();
  const sockets = join(folder, 'sockets');
  await mkdir(sockets);
  const proxies = await Promise.all(lab.nodes.map(({ name, socket }) => daemonProxy(socket, join(sockets, `${name}.sock`))));
  for (const proxy of proxies) resources.use(proxy);
  const kept = resources.move();
  return {
    socket: join(sockets, '{{.Node.Hostname}}.sock'),
    writes: () => proxies.flatMap((proxy) => proxy.writes()).sort((a, b) => a.at - b.at),
    forget: () => {
      for (const proxy of proxies) proxy.forget();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
