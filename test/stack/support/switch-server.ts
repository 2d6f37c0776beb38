// Runs in the network of a lab's switch: serves Git repositories to the lab's containers, and gives this machine, whose own
// network the lab does not touch, a unix socket for each place in the lab that a test talks to.
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { gitBackend } from '@hivekeep/testkit';

export interface SwitchServerOptions {
  readonly repositories: string;
  readonly gitPort: number;
  /** Path of a unix socket for each `host:port`. */
  readonly forwards: Readonly<Record<string, string>>;
}

const { repositories, gitPort, forwards } = JSON.parse(process.argv[2] ?? '{}') as SwitchServerOptions; // its one caller is the test

const serve = gitBackend(repositories);
createHttpServer((request, response) => {
  void serve(request, response, Number.POSITIVE_INFINITY).catch(() => response.destroy());
}).listen(gitPort, '0.0.0.0');

for (const [target, path] of Object.entries(forwards)) {
  const [host = '', port = ''] = target.split(':');
  createServer((client) => {
    const server = connect({ host, port: Number(port), timeout: 30_000 });
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    client.pipe(server).pipe(client);
  }).listen(path);
}
