import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { DockerSwarm, SwarmWatcher } from '@hivekeep/swarm';
import { FakeEngine } from '@hivekeep/swarm/testing';
import { eventually, tempDir } from '@hivekeep/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { createAuthority, createServerCertificate, type KeyPair } from '../deploy/certificates.ts';
import { endpointOf } from './engine-endpoint.ts';

const addresses = ['127.0.0.1', '::1'];

afterEach(() => vi.unstubAllEnvs());

/** An engine behind TLS as dockerd's `--tlsverify`, and folders of client certificates: of its own authority, and of another one. */
async function behindTls(stack: AsyncDisposableStack, listen: string) {
  const engine = stack.use(await FakeEngine.start());
  const { path } = stack.use(await tempDir());
  const now = new Date();
  const [authority, other] = [await createAuthority(now), await createAuthority(now)];
  const server = await createServerCertificate(authority, addresses, now);
  const listener = createServer(
    { ca: authority.certificate, cert: server.certificate, key: server.key, requestCert: true, rejectUnauthorized: true },
    (socket) => socket.pipe(connect(engine.socket)).pipe(socket),
  );
  listener.listen(0, listen);
  await once(listener, 'listening');
  stack.defer(() => void listener.close());
  const folder = async (name: string, ca: KeyPair) => {
    const dir = join(path, name);
    await mkdir(dir);
    const client = await createServerCertificate(ca, ['client'], now);
    const files = { 'ca.pem': authority.certificate, 'cert.pem': client.certificate, 'key.pem': client.key };
    for (const [file, text] of Object.entries(files)) await writeFile(join(dir, file), text);
    return dir;
  };
  const port = (listener.address() as AddressInfo).port;
  return { engine, port, own: await folder('own', authority), foreign: await folder('foreign', other) };
}

test.each([
  ['127.0.0.1', 'tcp://127.0.0.1'],
  ['::1', 'tcp://[::1]'],
])('calls and events of an engine that listens with TLS on %s', async (listen, host) => {
  await using stack = new AsyncDisposableStack();
  const { engine, port, own, foreign } = await behindTls(stack, listen);
  const swarmWith = (certificates: string): DockerSwarm => {
    vi.stubEnv('DOCKER_CERT_PATH', certificates);
    return stack.adopt(new DockerSwarm({ endpoint: endpointOf(`${host}:${port}`) }), (swarm) => swarm.close());
  };
  const swarm = swarmWith(own);
  await swarm.createConfig({ Name: 'kept', Data: 'YQ==' });
  expect((await swarm.listConfigs({})).map(({ name }) => name)).toEqual(['kept']);
  const watcher = stack.adopt(new SwarmWatcher({ swarm }), (started) => started.stop());
  watcher.start();
  await eventually(() => watcher.connected);
  await expect(swarmWith(foreign).listConfigs({})).rejects.toMatchObject({ code: 'swarm/unreachable' });
  await expect(swarmWith('').listConfigs({})).rejects.toMatchObject({ code: 'swarm/unreachable' });
  expect(engine.objects('configs')).toHaveLength(1);
});
