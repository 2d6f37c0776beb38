import { encodeRecord } from '@hivekeep/charts';
import { aSpec, eventually } from '@hivekeep/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { ControllerUnderTest } from '../testing/controller-under-test.ts';

const web = 'services:\n  web:\n    image: nginx:1\n    deploy: {replicas: 0}\n';
const automated = (name: string) => aSpec({ name, syncPolicy: { automated: true } });

afterEach(() => void vi.useRealTimers());

// Nothing is deleted in the first 15 seconds of a term. The wall clock stands still, and is set back meanwhile.
it('sweeps what left, and holds a release of which a record cannot be read', { timeout: 60_000 }, async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await using test = await ControllerUnderTest.start();
  for (const name of ['shop', 'blog', 'kept']) test.source.declare(automated(name), web);
  await test.reconciler({ prune: true });
  for (const name of ['shop', 'blog', 'kept']) await test.until(name, ({ sync }) => sync.state === 'synced');
  const record = {
    release: 'blog',
    status: 'deployed',
    chart: { name: 'compose', version: '0.0.0' },
    values: {},
    manifest: '',
    created: '',
  };
  const { name, labels } = encodeRecord({ ...record, revision: 9 });
  test.engine.add('configs', { Name: name, Labels: labels, Data: Buffer.from('damaged').toString('base64') });
  test.source.withdraw('shop');
  test.source.withdraw('blog');

  await eventually(() => test.events.includes('application-orphaned shop'));
  vi.setSystemTime(Date.now() - 600_000);
  await eventually(() => test.events.includes('resources-pruned shop'), { timeoutMs: 40_000 });
  expect(test.names('services')).toEqual(['blog_web', 'kept_web']);
  const records = test.names('configs').filter((each) => each.startsWith('swarmcli.release.'));
  expect(records).toEqual(['swarmcli.release.blog.v1', name, 'swarmcli.release.kept.v1']);
  const isHeld = () => test.swarmView()?.prune.items.some(({ release, reason }) => release === 'blog' && reason?.includes(name));
  await eventually(() => isHeld() === true);
});
