import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface NatsServer extends AsyncDisposable {
  readonly url: string;
  /** Ends the process and waits for its end. */
  stop(): Promise<void>;
  /** Starts it again on the same port, on the same files or, after a lost volume, on none. */
  start(options?: { wiped?: boolean }): Promise<void>;
}

/** A real nats-server with JetStream on a free port, its files in a temporary folder. */
export async function natsServer(): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'hk-nats-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const start = async ({ wiped = false } = {}) => {
    if (wiped) await rm(join(folder, 'js'), { recursive: true, force: true });
    child = spawn('nats-server', ['-js', '-sd', join(folder, 'js'), '-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    await once(child, 'spawn');
    await listening(port);
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    stop,
    start,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address
  server.close();
  await once(server, 'close');
  return port;
}

async function listening(port: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const socket = dial(port, '127.0.0.1');
    const up = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`nats-server does not listen on port ${port} after 10 s`);
}
