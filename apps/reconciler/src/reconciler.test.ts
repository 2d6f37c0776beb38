import { randomBytes } from 'node:crypto';
import { encodeRecord } from '@hivekeep/charts';
import { reconcilerCalls as calls, HivekeepError, type Spec } from '@hivekeep/contracts';
import { aSpec, eventually } from '@hivekeep/testkit';
import { describe, expect, it, vi } from 'vitest';
import { ControllerUnderTest } from './testing/controller-under-test.ts';

const web = (image: string): string => `services:\n  web:\n    image: ${image}\n    deploy: {replicas: 0}\n`;
const automated = (name: string, more: Partial<Spec> = {}): Spec => aSpec({ name, syncPolicy: { automated: true }, ...more });
const target = { swarm: 'test' };

describe('an automated application', () => {
  it('is installed in the order intent, network, service, record, and then left alone', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop'), web('nginx:1'));
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced' && sync.lastSync?.succeeded === true);

    expect(test.writes()).toEqual([
      'POST /configs/create hivekeep.intent.shop.v1',
      'POST /networks/create shop_default',
      'POST /services/create shop_web',
      'POST /configs/create swarmcli.release.shop.v1',
      'DELETE /configs/ID',
    ]);
    expect(test.names('configs')).toEqual(['swarmcli.release.shop.v1']);

    const before = test.writes().length;
    await test.bus.call(calls.refresh, target, { application: 'shop' });
    await eventually(() => test.source.builds >= 2);
    await test.bus.call(calls.history, target, { application: 'shop' });
    expect(test.writes().slice(before)).toEqual([]);
    expect(test.events).toEqual(['lease-taken', 'drift-detected shop', 'sync-started shop', 'sync-succeeded shop']);
  });

  it('takes a left-over intent back at the next pass, although nothing is to be written', async () => {
    await using test = await ControllerUnderTest.start();
    let lost = 0;
    test.engine.behave = ({ method }) => (method === 'DELETE' && lost++ === 0 ? 'drop' : 'pass');
    test.source.declare(automated('shop'), web('nginx:1'));
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.lastSync?.succeeded === false);
    expect(test.names('configs')).toContain('hivekeep.intent.shop.v1');
    await test.bus.call(calls.refresh, target, { application: 'shop' });
    await eventually(() => !test.names('configs').some((name) => name.startsWith('hivekeep.intent')));
  });

  it('is built by another source at once when the one that was asked is behind', async () => {
    await using test = await ControllerUnderTest.start();
    let behind = 3;
    test.source.failBuild = () => {
      if (behind-- > 0) throw new HivekeepError('source/behind', 'the newest app set can not be loaded');
    };
    test.source.declare(automated('shop'), web('nginx:1'));
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced');
    expect(test.source.builds).toBe(4);
  });

  it('gets only the service that changed written', async () => {
    await using test = await ControllerUnderTest.start();
    const two = (image: string): string => `${web('nginx:1')}  api:\n    image: ${image}\n    deploy: {replicas: 0}\n`;
    test.source.declare(automated('shop'), two('api:1'));
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced');
    const before = test.writes().length;
    test.source.declare(automated('shop'), two('api:2'));
    await test.bus.call(calls.refresh, target, { application: 'shop' });
    await test.until('shop', ({ releases }) => releases?.[0]?.revision === 2);
    expect(test.writes().slice(before)).toEqual([
      'POST /configs/create hivekeep.intent.shop.v2',
      'POST /services/ID/update shop_api',
      'POST /configs/create swarmcli.release.shop.v2',
      'DELETE /configs/ID',
    ]);
  });

  it.each(['intent', 'network', 'service', 'record', 'removal of the intent'])('goes on where a write of the %s was lost', async (step) => {
    await using test = await ControllerUnderTest.start();
    const lost =
      {
        intent: 'hivekeep.intent',
        network: '/networks/create',
        service: '/services/create',
        record: 'swarmcli.release',
        'removal of the intent': 'DELETE',
      }[step] ?? '';
    let losses = 0;
    test.engine.behave = ({ method, path, body }) => {
      if (method === 'GET' || body.includes('hivekeep.lease') || !`${method} ${path} ${body}`.includes(lost) || losses > 0) return 'pass';
      losses += 1;
      return 'drop';
    };
    test.source.declare(automated('shop'), web('nginx:1'));
    await test.reconciler();
    await test.until('shop', ({ sync, error }) => error !== undefined || sync.lastSync?.succeeded === false || sync.state === 'synced');
    await test.bus.call(calls.sync, target, { application: 'shop', actor: 'test' });
    await test.until('shop', ({ sync, working }) => sync.state === 'synced' && sync.lastSync?.succeeded === true && !working);
    await eventually(() => !test.names('configs').some((name) => name.startsWith('hivekeep.')));
    expect(losses).toBe(1);
    expect(test.names('services')).toEqual(['shop_web']);
    expect(test.names('configs').every((name) => name.startsWith('swarmcli.release.shop.'))).toBe(true);
  });
});

describe('what holds an application back', () => {
  it('reports and writes nothing without a policy, and applies on a sync', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(aSpec({ name: 'shop' }), web('nginx:1'));
    await test.reconciler();
    const status = await test.until('shop', ({ sync }) => sync.state === 'out-of-sync');
    expect(status.sync.summary).toMatchObject({ install: 1 });
    expect(test.writes()).toEqual([]);
    expect(await test.bus.call(calls.sync, target, { application: 'shop', actor: 'kim' })).toEqual({ application: 'shop', accepted: true });
    await test.until('shop', ({ sync }) => sync.state === 'synced');
  });

  it('refuses before the first write, naming every reason', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop'), `${web('nginx:1')}    volumes: ["/var/run/docker.sock:/s", "/etc:/e"]\n`);
    await test.reconciler();
    const status = await test.until('shop', ({ error }) => error !== undefined);
    expect(status.code).toBe('policy/refused');
    expect(status.error).toContain('/var/run/docker.sock');
    expect(status.error).toContain('/etc');
    expect(test.writes()).toEqual([]);
  });

  it('refuses a release whose record would be too large before the first write', async () => {
    await using test = await ControllerUnderTest.start();
    const files = { 'random.txt': randomBytes(600 * 1024).toString('base64') };
    test.source.declare(automated('shop'), web('nginx:1'), { files });
    await test.reconciler();
    expect((await test.until('shop', ({ error }) => error !== undefined)).code).toBe('record/too-large');
    expect(test.writes()).toEqual([]);
  });

  it('refuses a release that is another application’s already', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop'), web('nginx:1'));
    const compose = { files: ['compose.yml'], release: 'shop' };
    test.source.declare(automated('twin', { source: { repoURL: 'https://git.test/twin', revision: 'main', compose } }), web('nginx:2'), {
      name: 'shop',
    });
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced');
    const twin = await test.until('twin', ({ error }) => error !== undefined);
    expect(twin).toMatchObject({ code: 'policy/refused', error: expect.stringContaining("application 'shop' too") });
    expect(test.names('configs')).toEqual(['swarmcli.release.shop.v1']);
  });

  it('costs one application what is not built, and no other', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop', { syncPolicy: { automated: true, prune: true } }), web('nginx:1'));
    test.source.declare(automated('blog'), web('nginx:1'));
    await test.reconciler();
    expect((await test.until('shop', ({ error }) => error !== undefined)).code).toBe('prune/unsupported');
    await test.until('blog', ({ sync }) => sync.state === 'synced');
  });

  it('stands still while paused, over a restart too, and goes on when resumed', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop'), web('nginx:1'));
    const first = await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced');
    await test.bus.call(calls.pause, target, { application: 'shop', actor: 'kim', reason: 'window' });
    await first.close();
    test.source.declare(automated('shop'), web('nginx:2'));
    await test.reconciler();
    const held = await test.until('shop', ({ sync, hold }) => sync.state === 'out-of-sync' && hold !== undefined);
    expect(held.hold).toMatchObject({ reason: 'pause', by: 'kim', message: 'window' });
    expect(test.names('configs')).toContain('swarmcli.release.shop.v1');
    await test.bus.call(calls.resume, target, { application: 'shop', actor: 'kim' });
    await test.until('shop', ({ sync, hold }) => sync.state === 'synced' && hold === undefined);
  });

  it('writes nothing while frozen, and says who froze it', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop'), web('nginx:1'));
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced');
    await test.bus.call(calls.freeze, target, { actor: 'kim' });
    const before = test.writes().length;
    test.source.declare(automated('shop'), web('nginx:2'));
    await test.bus.call(calls.sync, target, { application: 'shop' });
    const status = await test.until('shop', ({ sync }) => sync.lastSync?.succeeded === false);
    expect(status.sync.lastSync?.error).toContain('kim');
    expect(
      test
        .writes()
        .slice(before)
        .filter((write) => !write.includes('hivekeep.app.') && !write.startsWith('DELETE')),
    ).toEqual([]);
    await test.bus.call(calls.unfreeze, target, { actor: 'kim' });
    await test.bus.call(calls.sync, target, { application: 'shop' });
    await test.until('shop', ({ sync }) => sync.state === 'synced');
  });
});

describe('old records that nobody can read', () => {
  it('stay, and what was deployed beside them is deployed', async () => {
    await using test = await ControllerUnderTest.start();
    const chart = { name: 'compose', version: '0.0.0' };
    const record = {
      release: 'shop',
      status: 'deployed',
      chart,
      values: {},
      created: '2026-01-02T03:04:05Z',
      owner: 'cd/default/shop:release/shop',
    };
    const { name, labels, data } = encodeRecord({ ...record, revision: 1, manifest: 'services: [' });
    test.engine.add('configs', { Name: name, Labels: labels, Data: Buffer.from(data).toString('base64') });
    test.source.declare(automated('shop', { syncPolicy: { automated: true, historyMax: 1 } }), web('nginx:1'));
    await test.reconciler();
    const { sync, error } = await test.until('shop', ({ sync }) => sync.lastSync !== undefined && sync.state === 'synced');
    expect({ succeeded: sync.lastSync?.succeeded, error }).toEqual({ succeeded: true });
    expect(test.names('configs')).toEqual(['swarmcli.release.shop.v1', 'swarmcli.release.shop.v2']);
  });
});

describe('a service that somebody else changes during an apply', () => {
  it('is reported, left as it is, and planned again', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop'), web('nginx:1'));
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced');
    test.source.declare(automated('shop'), web('nginx:2'));
    let changed = false;
    test.engine.behave = ({ method, path }) => {
      if (method === 'POST' && path.endsWith('/update') && path.startsWith('/services/') && !changed) {
        changed = true;
        test.engine.relabel('services', 'shop_web', (labels) => ({ ...labels, by: 'hand' }));
      }
      return 'pass';
    };
    await test.bus.call(calls.sync, target, { application: 'shop' });
    await test.until('shop', ({ error }) => error?.includes('changed by somebody else') ?? false);
    expect(test.events).toContain('out-of-band-write shop');
    expect(test.engine.objects('services')[0]?.Spec.Labels).toMatchObject({ by: 'hand' });
  });
});

it.each([
  ['a service', 'services', 'shop_web'],
  ["an application's state", 'configs', 'hivekeep.app.default.shop'],
] as const)('ends its term when %s was written in a later epoch', async (_, kind, name) => {
  await using test = await ControllerUnderTest.start();
  test.source.declare(automated('shop'), web('nginx:1'));
  await test.reconciler();
  await test.until('shop', ({ sync }) => sync.state === 'synced');
  await test.bus.call(calls.pause, target, { application: 'shop', actor: 'kim', reason: 'window' });
  const epoch = test.swarmView()?.epoch ?? 0;
  test.engine.relabel(kind, name, (labels) => ({ ...labels, 'com.hivekeep.epoch': String(epoch + 1) }));
  await eventually(() => (test.swarmView()?.epoch ?? 0) > epoch, { timeoutMs: 30_000 });
});

describe('a standby', () => {
  it('answers nothing, and takes over when the active one stops', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop'), web('nginx:1'));
    const first = await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced');
    const epoch = test.swarmView()?.epoch ?? 0;
    await test.reconciler();
    expect(test.events.filter((event) => event === 'lease-taken')).toHaveLength(1);
    await first.close();
    await eventually(() => test.events.filter((event) => event === 'lease-taken').length === 2, { timeoutMs: 5_000 });
    await eventually(() => (test.swarmView()?.epoch ?? 0) > epoch);
    await test.bus.call(calls.sync, target, { application: 'shop' });
    await test.until('shop', ({ sync }) => sync.state === 'synced');
  });

  it('is refused with another app set or swarm name under the same controller id', async () => {
    await using test = await ControllerUnderTest.start();
    const first = await test.reconciler();
    await eventually(() => test.events.includes('lease-taken'));
    const other = await test.reconciler({ home: false });
    const refused = await other.refused;
    expect(refused.code).toBe('lease/mismatch');
    expect(refused.message).toContain('home');
    await first.close();
  });
});

describe('a source that is absent for a moment', () => {
  it('costs a requested sync its time, not its outcome', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop'), web('nginx:1'));
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced');
    await test.stopSource();
    test.source.declare(automated('shop'), web('nginx:2'));
    await test.bus.call(calls.sync, target, { application: 'shop' });
    await test.startSource();
    const status = await test.until('shop', ({ releases }) => releases?.[0]?.revision === 2);
    expect(status.error).toBeUndefined();
  });
});

describe('a new process', () => {
  it('does not tell again what the one before told', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(aSpec({ name: 'shop' }), web('nginx:1'));
    const first = await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'out-of-sync');
    await first.close();
    await test.reconciler();
    await eventually(() => test.events.filter((event) => event === 'lease-taken').length === 2, { timeoutMs: 5_000 });
    await eventually(async () => (await test.bus.call(calls.diff, target, { application: 'shop' })).planned);
    test.source.declare(automated('blog'), web('nginx:1'));
    await test.until('blog', ({ sync }) => sync.state === 'synced');
    const told = test.events.filter((event) => event.startsWith('drift-detected'));
    expect(told).toEqual(['drift-detected shop', 'drift-detected blog']);
  });
});

describe('a process that stops while the bus stands still', () => {
  it('puts no view over one of the next holder', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated('shop'), web('nginx:1'));
    const first = await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced' && sync.lastSync?.succeeded === true);
    const put = test.bus.views.put.bind(test.bus.views);
    const goesOn = Promise.withResolvers<void>();
    const hanging: string[] = [];
    vi.spyOn(test.bus.views, 'put').mockImplementation(async (key, value, signal) => {
      hanging.push(key);
      await goesOn.promise;
      signal?.throwIfAborted(); // what a bus does before it tries again what it refused
      await put(key, value);
    });
    test.source.declare(automated('shop'), web('nginx:2'));
    await test.bus.call(calls.refresh, target, { application: 'shop' });
    await eventually(() => hanging.includes('test.application.shop'));
    const closed = first.close();
    const holder = () => {
      const lease = test.engine.objects('configs').find(({ Spec }) => Spec.Name.startsWith('hivekeep.lease.'));
      return lease?.Spec.Labels?.['com.hivekeep.lease.holder'];
    };
    await eventually(() => holder() === '', { timeoutMs: 10_000 });
    await put('test.application.shop', 'of the next holder');
    goesOn.resolve();
    await closed;
    expect(await test.bus.views.get('test.application.shop')).toBe('of the next holder');
  });
});

describe('a process that is told to stop in the middle of a write', () => {
  it('ends in time and leaves a note of it, by which the next one finishes what was begun', async () => {
    await using test = await ControllerUnderTest.start();
    const begun = ({ path }: { path: string }) => path.endsWith('/services/create');
    let held = false;
    test.engine.behave = (call) => {
      if (!begun(call) || held) return 'pass';
      held = true;
      return { land: 1_000 };
    };
    test.source.declare(automated('shop'), web('nginx:1'));
    const first = await test.reconciler();
    await eventually(() => test.engine.calls.some(begun));
    const started = performance.now();
    await first.close();
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(test.names('configs')).toEqual(['hivekeep.intent.shop.v1']);
    await eventually(() => test.names('services').length === 1);

    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced' && sync.lastSync?.succeeded === true);
    await eventually(() => expect(test.names('configs')).toEqual(['swarmcli.release.shop.v2']));
    expect(test.names('services')).toEqual(['shop_web']);
  });
});
