import { aSpec, consistently, eventually } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { ControllerUnderTest } from './testing/controller-under-test.ts';

const manifest = 'services: {web: {image: nginx, deploy: {replicas: 0}}}';

it('looks after what the last good set names when it starts while the newest cannot be read, and takes nothing for departed', async () => {
  await using test = await ControllerUnderTest.start();
  for (const name of ['shop', 'blog']) test.source.declare(aSpec({ name, syncPolicy: { automated: true } }), manifest);
  const first = await test.reconciler({ prune: true });
  for (const name of ['shop', 'blog']) await test.until(name, ({ sync }) => sync.state === 'synced');
  await first.close();

  test.source.stale = true;
  test.source.withdraw('blog');
  const before = test.names('services');
  for (const { ID, Spec } of test.engine.objects('services')) if (Spec.Name === 'shop_web') test.engine.remove('services', ID);
  await test.reconciler({ prune: true });
  await eventually(() => expect(test.names('services')).toEqual(before));
  await test.until('shop', ({ sync }) => sync.state === 'synced');
  await eventually(() => expect(test.swarmView()?.appSet).toMatchObject({ stale: true }));
  await consistently(() => expect(test.names('services')).toEqual(before), 1_000);
  expect(test.events).not.toContain('application-orphaned blog');
});
