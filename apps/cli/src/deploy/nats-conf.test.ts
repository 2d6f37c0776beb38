import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connectNatsBus, inboxPrefix } from '@hivekeep/runtime';
import { eventually, freePort, startServer, tempDir } from '@hivekeep/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { initFolder } from './init-folder.ts';
import { natsCommand, natsConf, natsPaths } from './nats-conf.ts';

/** A server that runs on what `deploy init` made; only its paths and ports are this machine's. */
async function given() {
  const dir = await tempDir();
  const given = { image: 'hivekeep:1', appsetRepo: 'https://git.test/set.git', swarms: ['berlin'], hubNames: ['localhost'] };
  await initFolder({ path: dir.path, given, now: new Date() });
  const [port, monitor] = [await freePort(), await freePort()];
  const places: Record<string, string> = {
    [natsPaths.certificate]: join(dir.path, 'nats.crt'),
    [natsPaths.authority]: join(dir.path, 'ca.crt'),
    [natsPaths.key]: join(dir.path, 'secrets/nats-key'),
    [`"${natsPaths.data}"`]: `"${join(dir.path, 'data')}"`,
    '0.0.0.0:4222': `127.0.0.1:${port}`,
    '127.0.0.1:8222': `127.0.0.1:${monitor}`,
    $NATS_SERVER_NAME: 'one',
  };
  return { dir, places, port, monitor };
}

test('NATS of an installation takes nobody without TLS or a key, and has its limits', async () => {
  const { dir, places, port, monitor } = await given();
  const made = await readFile(join(dir.path, 'nats.conf'), 'utf8');
  const text = Object.entries(places).reduce((config, [from, to]) => config.replaceAll(from, to), made);
  await mkdir(join(dir.path, 'data'));
  await writeFile(join(dir.path, 'here.conf'), text);
  const server = await startServer('nats-server', ['-c', join(dir.path, 'here.conf')], join(dir.path, 'nats.log'));
  onTestFinished(async () => {
    await server.kill();
    await dir[Symbol.asyncDispose]();
  });
  const monitored = await eventually(async () => (await fetch(`http://127.0.0.1:${monitor}/varz`)).json());
  expect(monitored).toMatchObject({ tls_required: true, max_connections: 4096, max_payload: 8 * 1024 * 1024 });

  expect(await withoutTls(port)).not.toMatch(/PONG/);
  const options = {
    servers: [`tls://localhost:${port}`],
    name: 'gateway',
    inboxPrefix: inboxPrefix({ service: 'gateway' }),
    connectWithinMs: 5_000,
  };
  const credentials = { seedFile: join(dir.path, 'secrets/seed-gateway') };
  const tls = { caFile: join(dir.path, 'ca.crt') };
  await expect(connectNatsBus({ ...options, credentials })).rejects.toMatchObject({ code: 'bus/unavailable' });
  await expect(connectNatsBus({ ...options, tls })).rejects.toMatchObject({ code: 'auth/forbidden' });
  const bus = await connectNatsBus({ ...options, tls, credentials });
  onTestFinished(() => bus.close());
  expect(bus.wire.maxBytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  expect(await bus.events.logId()).not.toBe('');
});

test('a server waits for the end of another one that has its store', async () => {
  await using dir = await tempDir();
  const start = async (name: string) => {
    const config = join(dir.path, `${name}.conf`);
    await writeFile(config, `listen: "127.0.0.1:${await freePort()}"\njetstream { store_dir: "${dir.path}" }\n`);
    const [program = '', ...args] = natsCommand({ config, data: dir.path });
    const server = await startServer(program, args, join(dir.path, `${name}.log`));
    onTestFinished(() => server.kill());
    return { server, told: () => readFile(join(dir.path, `${name}.log`), 'utf8') };
  };
  const first = await start('first');
  await eventually(async () => expect(await first.told()).toContain('Server is ready'));
  const second = await start('second');
  await eventually(async () => expect(await second.told()).toContain('waiting for its end'));
  expect(await second.told()).not.toContain('Server is ready');
  process.kill(first.server.pid, 'SIGTERM');
  await eventually(async () => expect(await second.told()).toContain('Server is ready'));
});

test('the four stores are all there is room for, with every copy of them', () => {
  const gib = 1024 ** 3;
  expect(natsConf({ accounts: [], nodes: 1 })).toContain(`max_file: ${2 * gib}, max_streams: 4`);
  expect(natsConf({ accounts: [], nodes: 3 })).toContain(`max_file: ${6 * gib}, max_streams: 4`);
});

/** What the server answers to who does not begin with TLS. */
function withoutTls(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => socket.write('CONNECT {"verbose":false}\r\nPING\r\n'));
    socket.on('data', (data) => {
      text += data.toString();
    });
    socket.once('error', reject).once('close', () => resolve(text));
  });
}
