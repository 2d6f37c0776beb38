import { aSpec, eventually } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { ControllerUnderTest } from '../testing/controller-under-test.ts';

const node = (id: string) => ({ ID: id, Description: { Hostname: id }, Spec: { Availability: 'active' }, Status: { State: 'ready' } });

it('remembers a node that came and left while no source answered', async () => {
  await using test = await ControllerUnderTest.start();
  test.engine.nodes = [node('n1')];
  test.source.declare(aSpec({ name: 'shop', syncPolicy: { automated: true } }), 'services: {web: {image: nginx, deploy: {replicas: 0}}}');
  await test.reconciler({ prune: true });
  await test.until('shop', ({ sync }) => sync.state === 'synced');
  const kept = () =>
    JSON.stringify(test.engine.objects('configs').find(({ Spec }) => Spec.Name.startsWith('hivekeep.lease.'))?.Spec.Labels);
  await eventually(() => expect(kept()).toContain('n1'));

  test.source.stale = true;
  test.engine.nodes = [node('n1'), node('n2')];
  await eventually(() => expect(kept()).toContain('n2'));
  test.engine.nodes = [node('n1')];
  await eventually(() => expect(kept()).toContain('left'));
});
