import { indexSnapshot } from '@hivekeep/planner';
import { describe, expect, test } from 'vitest';
import { DockerBackend } from './docker-backend.ts';
import { capabilitiesOf, hasCapability } from './seams/capabilities.ts';
import { SingleSwarmRegistry } from './swarm-registry.ts';
import { backendContract } from './testing/backend-contract.ts';
import { FakeEngine } from './testing/fake-engine.ts';
import { registryContract } from './testing/registry-contract.ts';
import { SwarmWatcher } from './watch/swarm-watcher.ts';

async function subject() {
  const engine = await FakeEngine.start();
  const swarm = engine.client(300);
  const backend = new DockerBackend({ target: { swarm: 'here' }, swarm, watcher: new SwarmWatcher({ swarm }), beforeWrite: () => {} });
  const Labels = { 'com.docker.stack.namespace': 'st' };
  engine.add('services', { Name: 'st_web', Labels });
  engine.add('configs', { Name: 'st_cfg', Labels, Data: 'eA==' });
  engine.add('configs', { Name: 'other_cfg', Labels: {}, Data: 'eA==' });
  engine.add('services', { Name: 'other_web', Labels: {} });
  return {
    engine,
    swarm,
    backend,
    stack: 'st',
    breakSwarm: async () => {
      engine.behave = () => ({ fail: 503, text: 'This node is not a swarm manager.' });
    },
    [Symbol.asyncDispose]: async () => {
      swarm.close();
      await engine[Symbol.asyncDispose]();
    },
  };
}

backendContract('DockerBackend', subject);
registryContract('SingleSwarmRegistry', async () => {
  const backend = {
    target: { swarm: 'here' },
    snapshot: () => Promise.reject(new Error('not asked')),
  };
  return new SingleSwarmRegistry({ backend, home: true });
});

describe('DockerBackend', () => {
  test("lists a stack's own objects, and removes one of them when it may write", async () => {
    await using given = await subject();
    const { engine, backend, swarm } = given;
    const look = indexSnapshot(await backend.snapshot({ withTasks: false }));
    const [resource, ...others] = backend.resources({ look, stack: 'st' });
    expect([resource, others]).toEqual([{ kind: 'config', id: expect.any(String), name: 'st_cfg', created: false }, []]);
    if (!resource) return;
    const beforeWrite = () => {
      throw new Error('deposed');
    };
    const deposed = new DockerBackend({ target: { swarm: 'here' }, swarm, watcher: new SwarmWatcher({ swarm }), beforeWrite });
    await expect(deposed.removeResource({ resource })).rejects.toThrow('deposed');
    expect(engine.objects('configs')).toHaveLength(2);
    await backend.removeResource({ resource });
    expect(engine.objects('configs').map(({ Spec }) => Spec.Name)).toEqual(['other_cfg']);
  });

  test('has every ability; a bare backend has none, and each says what it costs', async () => {
    await using given = await subject();
    expect(capabilitiesOf(given.backend).every(({ present }) => present)).toBe(true);
    const bare = { target: { swarm: 'x' }, snapshot: given.backend.snapshot };
    expect(hasCapability(bare, 'SwarmSizer')).toBe(false);
    expect(capabilitiesOf(bare).every(({ present, costs }) => !present && costs)).toBe(true);
  });
});
