import { reconcilerCalls as calls, HivekeepError, type View } from '@hivekeep/contracts';
import { aSpec, eventually } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { ControllerUnderTest } from '../testing/controller-under-test.ts';

const target = { swarm: 'test' };
const web = (image: string) => `services:\n  web:\n    image: ${image}\n`;
const withSecret = 'services:\n  web:\n    image: nginx:1\n    secrets: [key]\nsecrets:\n  key:\n    name: shop_key-0123456789ab\n';

it('writes nothing when it was paused after it was planned', async () => {
  await using test = await ControllerUnderTest.start();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  test.source.beforeSecrets = () => {
    ask();
    return answered;
  };
  const name = 'shop_key-0123456789ab';
  test.source.secrets.set(name, 'open sesame');
  test.source.declare(aSpec({ name: 'shop', syncPolicy: { automated: true } }), withSecret, { secrets: [{ name }] });
  await test.reconciler();
  await asked;
  await test.bus.call(calls.pause, target, { application: 'shop', actor: 'kim', reason: '' });
  answer();
  await eventually(() => test.events.includes('sync-failed shop'));
  expect(test.names('services')).toEqual([]);
  expect(test.names('configs').filter((each) => !each.startsWith('hivekeep.app.'))).toEqual([]);
  await test.bus.call(calls.resume, target, { application: 'shop', actor: 'kim' });
  await test.until('shop', ({ sync }) => sync.state === 'synced');
});

it('judges what was built by the declaration it was built for', async () => {
  await using test = await ControllerUnderTest.start();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  test.source.failBuild = () => released;
  test.source.declare(aSpec({ name: 'shop' }), web('nginx:1'));
  await test.reconciler();
  await eventually(() => test.source.builds === 1);
  test.source.failBuild = () => undefined;
  test.source.declare(aSpec({ name: 'shop', syncPolicy: { automated: true } }), web('nginx:2'));
  const { loads } = test.source;
  await eventually(() => test.source.loads >= loads + 2);
  release();
  await test.until('shop', ({ sync }) => sync.state === 'synced');
  expect(test.engine.objects('services').map(({ Spec }) => Spec)).toMatchObject([
    { TaskTemplate: { ContainerSpec: { Image: 'nginx:2' } } },
  ]);
  expect(test.names('configs')).toEqual(['swarmcli.release.shop.v1']);
});

it('tells a failed sync and its reason in one status', async () => {
  await using test = await ControllerUnderTest.start();
  const seen: { lastSync: boolean | undefined; code: string | undefined }[] = [];
  const watch = await test.bus.views.watch(
    ({ key, value }) => {
      const { status } = (value ?? {}) as Partial<View>;
      if (key.endsWith('.shop') && status) seen.push({ lastSync: status.sync.lastSync?.succeeded, code: status.code });
    },
    () => undefined,
  );
  test.source.beforeSecrets = () => Promise.reject(new HivekeepError('source/unreachable', 'gone'));
  const name = 'shop_key-0123456789ab';
  test.source.declare(aSpec({ name: 'shop', syncPolicy: { automated: true } }), withSecret, { secrets: [{ name }] });
  await test.reconciler();
  await test.until('shop', ({ code }) => code === 'source/unreachable');
  await watch.close();
  expect(seen.filter(({ lastSync }) => lastSync === false).map(({ code }) => code)).toEqual(expect.not.arrayContaining([undefined]));
  expect(seen).toContainEqual({ lastSync: false, code: 'source/unreachable' });
});

it('logs a failure with the release of an application that has only one', async () => {
  await using test = await ControllerUnderTest.start();
  test.source.declare(aSpec({ name: 'shop' }), web('nginx:1'));
  await test.reconciler();
  await test.until('shop', ({ releases }) => releases?.length === 1);
  test.source.failBuild = () => Promise.reject(new HivekeepError('source/invalid', 'no such file'));
  await test.bus.call(calls.refresh, target, { application: 'shop', actor: 'kim' });
  const failed = { message: 'a pass failed', application: 'shop', release: 'shop', code: 'source/invalid' };
  await eventually(() => expect(test.lines).toContainEqual(expect.objectContaining(failed)));
});

it('logs a rollback with its release where the application has several, and nothing else with one of them', async () => {
  await using test = await ControllerUnderTest.start();
  const declare = (image: string) => {
    const manifest = `${web(image)}    deploy: {replicas: 0}\n`;
    test.source.declare(aSpec({ name: 'shop', syncPolicy: { automated: true } }), manifest);
    test.source.releases.set('shop', [
      { name: 'front', manifest },
      { name: 'back', manifest },
    ]);
  };
  const deployed = (revision: number) =>
    test.until('shop', ({ releases, working }) => !working && releases?.map((each) => each.revision).join() === `${revision},${revision}`);
  declare('nginx:1');
  await test.reconciler();
  await deployed(1);
  declare('nginx:2');
  await test.bus.call(calls.sync, target, { application: 'shop', actor: 'kim' });
  await deployed(2);
  expect(test.lines.filter(({ application, release }) => application === 'shop' && release !== undefined)).toEqual([]);
  test.engine.behave = ({ path }) => (/^\/services\/.*update$/.test(path) ? 'drop' : 'pass');
  const before = test.lines.length;
  await test.bus.call(calls.rollback, target, { application: 'shop', actor: 'kim', release: 'front' });
  await eventually(() => expect(test.lines.at(-1)).toMatchObject({ message: 'a pass failed' }));
  const told = test.lines.slice(before).flatMap(({ event, message, release }) => (release ? [[event ?? message, release]] : []));
  expect(told).toEqual([
    ['sync-started', 'front'],
    ['application-rolled-back', 'front'],
    ['sync-failed', 'front'],
    ['a pass failed', 'front'],
  ]);
});
