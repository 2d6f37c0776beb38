import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort, logTail, type ServerProcess, startServer } from './server-process.ts';
import { tempDir } from './temp-dir.ts';

/** A real nats-server with JetStream on loopback; its port stays the same over restarts. */
export interface NatsServer extends AsyncDisposable {
  /** `nats://127.0.0.1:PORT` */
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
  /** Connections stay open, nothing answers. */
  pause(): void;
  resume(): void;
  /** Starts it after `kill`, with what JetStream had stored. */
  start(): Promise<void>;
  /** `kill` and `start`. */
  restart(): Promise<void>;
  /** `kill`, then deletes all that JetStream had stored; `start` begins with an empty server. */
  wipe(): Promise<void>;
}

/**
 * Starts a server of its own for a test. `config` is added to its configuration file (users, permissions, `max_payload`).
 * @throws when nats-server is not installed (Debian: `nats-server`) or does not start within 10 s.
 */
export async function natsServer(config = ''): Promise<NatsServer> {
  const dir = await tempDir();
  const port = await freePort();
  const configFile = join(dir.path, 'nats.conf');
  const store = join(dir.path, 'jetstream');
  const log = join(dir.path, 'nats.log');
  await writeFile(configFile, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${store}" }\n${config}\n`);

  let server: ServerProcess;
  const start = async () => {
    server = await startServer('nats-server', ['-c', configFile], log);
    await eventually(() => greeted(port), { intervalMs: 20, failFast: () => server.ended }).catch(async (thrown: unknown) => {
      await server.kill();
      throw new Error(`nats-server does not start: ${await logTail(log)}`, { cause: thrown });
    });
  };
  const wipe = async () => {
    await server.kill();
    await rm(store, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (thrown) {
    await dir[Symbol.asyncDispose]();
    throw thrown;
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return server.pid;
    },
    kill: () => server.kill(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    start,
    wipe,
    restart: async () => {
      await server.kill();
      await start();
    },
    [Symbol.asyncDispose]: async () => {
      await server.kill();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** Whether a NATS server says its INFO on this port. */
function greeted(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(1000, () => socket.destroy(new Error('no greeting within 1 s')));
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString().startsWith('INFO '));
    });
  });
}
