import { engineContract } from '@hivekeep/swarm/testing';
import { aSpec } from '@hivekeep/testkit';
import { wantsWrite } from './passes/application-plan.ts';
import { departedRelease, engineUnderTest, wantedApplication } from './testing/engine-under-test.ts';

engineContract('SwarmEngine', async () => {
  const test = await engineUnderTest();
  const { engine, daemon, lease } = test;
  daemon.volumes = [{ Name: 'shop_data', Labels: { 'com.docker.stack.namespace': 'shop' } }];
  return {
    engine,
    release: 'shop',
    wanted: (version) =>
      wantedApplication(
        aSpec({ name: 'shop' }),
        `services: {web: {image: "nginx:${version}", volumes: ["data:/data"]}}\nvolumes: {data: {}}\n`,
      ),
    wantsWrite,
    numberOf: ({ record }) => record.revision,
    departed: (release, { removeVolumes }) => departedRelease(release, removeVolumes),
    writes: () => daemon.calls.filter(({ method, body }) => method !== 'GET' && !body.includes('hivekeep.lease.')).length,
    services: () => daemon.objects('services').map(({ Spec }) => Spec.Name),
    volumes: () => daemon.volumes.map(({ Name }) => Name),
    breakSwarm: () => {
      daemon.behave = () => ({ fail: 503, text: 'This node is not a swarm manager.' });
    },
    depose: () => lease.depose('another process has written'),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
});
