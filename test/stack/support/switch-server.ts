// Runs in the network of a lab's switch: serves Git repositories to the lab's containers, and gives this machine, whose own
// network the lab does not touch, a unix socket for each place in the lab that a test talks to.
import { existsSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { gitBackend } from '@hivekeep/testkit';

export interface SwitchServerOptions {
  readonly repositories: string;
  readonly gitPort: number;
  /** While this file is there, a pack that is sent stops half way; the first that did removes it. */
  readonly stall: string;
  /** Path of a unix socket for each `host:port`. */
  readonly forwards: Readonly<Record<string, string>>;
}

const { repositories, gitPort, stall, forwards } = JSON.parse(process.argv[2] ?? '{}') as SwitchServerOptions; // its one caller is the test

/** More than an answer about refs has, less than any pack. */
const BEFORE_A_PACK = 500;

const serve = gitBackend(repositories);
createHttpServer((request, response) => {
  const most = request.method === 'POST' && existsSync(stall) ? BEFORE_A_PACK : Number.POSITIVE_INFINITY;
  void serve(request, response, most, () => rmSync(stall, { force: true })).catch(() => response.destroy());
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
