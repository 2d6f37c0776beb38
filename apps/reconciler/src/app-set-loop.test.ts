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

it('has a new commit of its repository looked at at once by all that build from it, and by nobody else', async () => {
  await using test = await ControllerUnderTest.start();
  const { source } = test;
  source.declare(
    aSpec({ name: 'shop', source: { repoURL: source.repoURL, revision: 'main', compose: { files: ['compose.yaml'] } } }),
    manifest,
  );
  source.declare(aSpec({ name: 'blog' }), manifest);
  await test.reconciler();
  for (const name of ['shop', 'blog']) await test.until(name, ({ sync }) => sync.revision === source.commit);

  const earlier = source.commit;
  source.commit = 'd'.repeat(40);
  await test.until('shop', ({ sync }) => sync.revision === source.commit);
  const { builds, loads } = source;
  await eventually(() => expect(source.loads).toBeGreaterThan(loads + 2));
  expect(source.builds).toBe(builds); // a commit that was seen is no news
  expect(test.status('blog')?.sync.revision).toBe(earlier);
});

it('looks once at what a commit adds or declares otherwise', async () => {
  await using test = await ControllerUnderTest.start();
  const { source } = test;
  const of = { repoURL: source.repoURL, revision: 'main', compose: { files: ['compose.yaml'] } };
  source.declare(aSpec({ name: 'shop', source: of }), manifest);
  await test.reconciler();
  await test.until('shop', ({ sync }) => sync.revision === source.commit);
  const builds = () => source.builtOf.length;
  const before = builds();
  source.commit = 'd'.repeat(40);
  source.declare(aSpec({ name: 'shop', source: { ...of, revision: 'next' } }), manifest);
  source.declare(aSpec({ name: 'blog', source: of }), manifest);
  for (const name of ['shop', 'blog']) await test.until(name, ({ sync }) => sync.revision === source.commit);
  const { loads } = source;
  await eventually(() => expect(source.loads).toBeGreaterThan(loads + 2));
  expect(source.builtOf.slice(before).sort()).toEqual(['blog', 'shop']);
});
