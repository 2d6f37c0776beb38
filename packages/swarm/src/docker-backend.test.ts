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
  engine.volumes = [{ Name: 'st_data', Labels }];
  return {
    engine,
    swarm,
    backend,
    stack: 'st',
    volumes: async () => engine.volumes.map(({ Name }) => Name),
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
    removeStack: () => Promise.resolve(),
  };
  return new SingleSwarmRegistry({ backend, home: true });
});

describe('DockerBackend', () => {
  test("leaves other stacks' objects alone and writes nothing when it may not", async () => {
    await using given = await subject();
    const { engine, backend } = given;
    await backend.removeStack({ stack: 'st' });
    expect(engine.objects('configs').map(({ Spec }) => Spec.Name)).toEqual(['other_cfg']);
    const deposed = new DockerBackend({
      target: { swarm: 'here' },
      swarm: given.swarm,
      watcher: new SwarmWatcher({ swarm: given.swarm }),
      beforeWrite: () => {
        throw new Error('deposed');
      },
    });
    engine.add('services', { Name: 'st_web', Labels: { 'com.docker.stack.namespace': 'st' } });
    await expect(deposed.removeStack({ stack: 'st' })).rejects.toThrow('deposed');
    expect(engine.objects('services')).toHaveLength(1);
  });

  test('waits for what is still in use', async () => {
    await using given = await subject();
    let refusals = 1;
    given.engine.behave = ({ method, path }) =>
      method === 'DELETE' && path.startsWith('/configs/') && refusals-- > 0
        ? { fail: 400, text: "rpc error: code = InvalidArgument desc = config 'st_cfg' is in use by the following service: st_web" }
        : 'pass';
    await given.backend.removeStack({ stack: 'st' });
    expect(given.engine.objects('configs').map(({ Spec }) => Spec.Name)).toEqual(['other_cfg']);
  });

  test('has every ability; a bare backend has none, and each says what it costs', async () => {
    await using given = await subject();
    expect(capabilitiesOf(given.backend).every(({ present }) => present)).toBe(true);
    const bare = { target: { swarm: 'x' }, snapshot: given.backend.snapshot, removeStack: given.backend.removeStack };
    expect(hasCapability(bare, 'SwarmSizer')).toBe(false);
    expect(capabilitiesOf(bare).every(({ present, costs }) => !present && costs)).toBe(true);
  });
});
