import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import util from 'node:util';
import { tempDir } from '@hivekeep/testkit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeEngine } from '../testing/fake-engine.ts';
import type { DockerSwarm } from './docker-swarm.ts';
import { EngineHttp } from './engine-http.ts';

let engine: FakeEngine;
let swarm: DockerSwarm;
beforeEach(async () => {
  engine = await FakeEngine.start();
  swarm = engine.client();
});
afterEach(async () => {
  swarm.close();
  vi.unstubAllEnvs();
  await engine[Symbol.asyncDispose]();
});

const spec = { Name: 'web', TaskTemplate: { ContainerSpec: { Env: ['TOKEN=canary'] } }, Mode: { Replicated: { Replicas: 1 } } };

describe('calls to the daemon', () => {
  test('a read whose connection was reset is sent once more, a write never', async () => {
    let drops = 1;
    engine.behave = () => (drops-- > 0 ? 'drop' : 'pass');
    expect(await swarm.listServices()).toEqual([]);
    drops = 1;
    await expect(swarm.createService(spec)).rejects.toMatchObject({ code: 'swarm/unreachable' });
    expect(engine.objects('services')).toEqual([]);
    drops = 2;
    await expect(swarm.listServices()).rejects.toMatchObject({ code: 'swarm/unreachable' });
  });

  test('a read is answered although the daemon closes all connections that were kept', async () => {
    const seen = new WeakSet<Socket>();
    const daemon = createServer(({ socket }, response) => {
      if (seen.has(socket)) return void socket.destroy();
      seen.add(socket);
      response.end('[]');
    });
    await using dir = await tempDir();
    daemon.listen(join(dir.path, 'docker.sock'));
    await once(daemon, 'listening');
    const http = new EngineHttp({ endpoint: { kind: 'socket', path: join(dir.path, 'docker.sock') } });
    const read = () => http.call({ method: 'GET', path: '/services', action: 'read' });
    await Promise.all([read(), read(), read()]);
    expect(await read()).toEqual([]);
    http.close();
    daemon.close();
  });

  test('cost no look at sockets and signals: what docker-modem inspects of a request stays short', async () => {
    const inspect = vi.spyOn(util, 'inspect');
    const { signal } = new AbortController();
    await Promise.all([1, 2, 3, 4].map(() => swarm.listServices({ signal })));
    const texts = inspect.mock.results.map(({ value }) => String(value).length);
    inspect.mockRestore();
    expect(Math.max(0, ...texts)).toBeLessThan(500);
  });

  test('a spec travels in the body alone, the version in the query, credentials in the header', async () => {
    const { id } = await swarm.createService(spec, { registryAuth: 'Y3JlZHM' });
    const { version } = await swarm.inspectService(id);
    await swarm.updateService(id, version, spec);
    const [create, , update] = engine.calls;
    expect(create?.headers['x-registry-auth']).toBe('Y3JlZHM');
    expect(update?.url).toBe(`/services/${id}/update?version=${version}`);
    expect(JSON.parse(update?.body ?? '')).toEqual(spec);
    expect(engine.calls.map(({ url }) => url).join()).not.toContain('canary');
  });

  test('no answer in time is a timeout, and the process goes on', async () => {
    engine.behave = () => 'hang';
    await expect(swarm.ping({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'swarm/timeout' });
    engine.behave = () => 'pass';
    await swarm.ping();
  });

  test("the caller's signal ends a call, before and while it runs", async () => {
    engine.behave = () => 'hang';
    const cancel = new AbortController();
    const call = swarm.listServices({ signal: cancel.signal });
    setTimeout(() => cancel.abort(), 20);
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    const before = engine.calls.length;
    await expect(swarm.listServices({ signal: cancel.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(engine.calls.length).toBe(before);
  });

  test('a connection that breaks is unreachable', async () => {
    engine.behave = () => 'drop';
    await expect(swarm.ping()).rejects.toMatchObject({ code: 'swarm/unreachable' });
  });

  test("an error's message holds the daemon's words and no payload", async () => {
    engine.behave = () => ({ fail: 500, text: 'rpc error: code = Unknown desc = update out of sequence' });
    const error = await swarm.updateService('id1', 7, spec).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      code: 'swarm/conflict',
      message: 'update service web: the daemon answered 500: Unknown: update out of sequence',
    });
  });

  test('a list that is no list is an error, never empty', async () => {
    engine.behave = () => ({ fail: 200, text: 'I am a proxy' });
    await expect(swarm.listServices()).rejects.toMatchObject({ code: 'swarm/unreachable' });
  });

  test('removing what is gone is success', async () => {
    await swarm.removeService('nope');
    await swarm.removeConfig('nope');
    expect(await swarm.removeVolume('nope')).toBe(false);
  });

  test("this process's DOCKER_HOST does not leak into an endpoint that was given", async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1');
    const other = engine.client();
    await other.ping();
    other.close();
  });

  test('a config is hashed and its data left behind', async () => {
    engine.add('configs', { Name: 'c', Labels: null, Data: Buffer.from('hello').toString('base64') });
    const [config] = await swarm.listConfigs();
    expect(config).toMatchObject({ dataHash: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', size: 5, labels: {} });
    expect(JSON.stringify(config)).not.toContain('aGVsbG8');
  });
});
