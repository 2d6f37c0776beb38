import { reconcilerCalls as calls } from '@hivekeep/contracts';
import { aSpec } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { ControllerUnderTest } from '../testing/controller-under-test.ts';

const target = { swarm: 'test' };
const service = (replicas: number, wave: number): string =>
  `{image: nginx:1, deploy: {replicas: ${replicas}, labels: {com.hivekeep.wave: "${wave}"}}}`;
const manifest = (replicas: number): string => `services:\n  db: ${service(replicas, -1)}\n  web: ${service(0, 0)}\n`;

it('a wave that does not converge holds the next one in later syncs, too: what an unfinished revision wrote is waited for', async () => {
  await using test = await ControllerUnderTest.start();
  const spec = aSpec({ name: 'shop', syncPolicy: { automated: false, timeout: '1s' } });
  test.source.declare(spec, manifest(1)); // the engine of this test has no tasks
  await test.reconciler();
  await test.until('shop', ({ sync }) => sync.state === 'out-of-sync');
  let finished = '';
  for (let sync = 1; sync <= 2; sync += 1) {
    await test.bus.call(calls.sync, target, { application: 'shop' });
    const failed = await test.until(
      'shop',
      ({ sync: { lastSync }, working }) => !working && (lastSync?.finishedAt ?? finished) !== finished,
    );
    finished = failed.sync.lastSync?.finishedAt ?? '';
    expect(failed.code).toBe('rollout/timeout');
    expect(failed.error).toContain('shop_db');
    expect(test.names('services')).toEqual(['shop_db']);
    expect(test.names('configs').filter((name) => name.startsWith('swarmcli.'))).toEqual([]);
  }
  test.source.declare(spec, manifest(0));
  await test.bus.call(calls.sync, target, { application: 'shop' });
  await test.until('shop', ({ sync }) => sync.state === 'synced');
  expect(test.names('services')).toEqual(['shop_db', 'shop_web']);
});
