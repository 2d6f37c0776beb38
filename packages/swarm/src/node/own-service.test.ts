import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempDir } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { FakeEngine } from '../testing/fake-engine.ts';
import { OwnServiceFinder } from './own-service.ts';

async function given() {
  const [engine, dir] = [await FakeEngine.start(), await tempDir()];
  const swarm = engine.client(300);
  const finder = new OwnServiceFinder({ swarm, hostname: 'c0ffee', secretsDir: join(dir.path, 'secrets') });
  return {
    engine,
    finder,
    dir,
    [Symbol.asyncDispose]: async () => {
      swarm.close();
      await dir[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}

const spec = {
  Name: 'hk_reconciler',
  Labels: { 'com.docker.stack.namespace': 'hk' },
  TaskTemplate: {
    ContainerSpec: {
      Secrets: [{ SecretName: 'token' }],
      Configs: [{ ConfigName: 'apps' }],
      Mounts: [
        { Type: 'volume', Source: 'hk_data', Target: '/d' },
        { Type: 'bind', Source: '/var/run/docker.sock', Target: '/s' },
        { Type: 'volume', Target: '/anonymous' },
      ],
    },
    Networks: [{ Target: 'net1' }],
  },
};

test('what its service is given, and the files of mounted secrets, are its own', async () => {
  await using setup = await given();
  const { engine, finder, dir } = setup;
  await mkdir(join(dir.path, 'secrets'));
  await writeFile(join(dir.path, 'secrets', 'renamed'), '');
  const serviceId = engine.add('services', spec);
  engine.containers = { c0ffee: { 'com.docker.swarm.service.id': serviceId } };
  expect(await finder.find()).toEqual({
    serviceId,
    namespace: 'hk',
    secrets: new Set(['token', 'renamed']),
    configs: new Set(['apps']),
    volumes: new Set(['hk_data']),
    binds: new Set(['/var/run/docker.sock']),
    networks: new Set(['net1']),
  });
});

test('no container of that name, or one of no service, is an answer and is asked once', async () => {
  await using setup = await given();
  const { engine, finder } = setup;
  engine.containers = { c0ffee: {} };
  const none = { secrets: new Set(), configs: new Set(), volumes: new Set(), binds: new Set(), networks: new Set() };
  expect(await finder.find()).toEqual(none);
  await finder.find();
  expect(engine.calls).toHaveLength(1);
});

test('anything else fails, and is asked again', async () => {
  await using setup = await given();
  const { engine, finder } = setup;
  engine.behave = () => 'drop';
  await expect(finder.find()).rejects.toMatchObject({ code: 'swarm/unreachable' });
  engine.behave = () => 'pass';
  expect((await finder.find()).namespace).toBeUndefined();
});
