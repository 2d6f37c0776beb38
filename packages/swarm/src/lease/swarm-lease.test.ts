import { consistently, eventually } from '@hivekeep/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeEngine } from '../testing/fake-engine.ts';
import type { SwarmLeaseOptions } from './lease-options.ts';
import { SwarmLease } from './swarm-lease.ts';

const NAME = 'hivekeep.lease.c1';
const binding = { controllerId: 'c1', swarm: 'here', home: true, appSet: 'git https://git.example/apps apps.yaml' };
/** The protocol's times, 25 times shorter. */
const times = { renewEveryMs: 200, ttlMs: 600, callTimeoutMs: 120, pollMs: 25 };
const soon = { timeoutMs: 5_000, intervalMs: 10 };

let engine: FakeEngine;
let leases: SwarmLease[];
let closing: (() => void)[];
beforeEach(async () => {
  engine = await FakeEngine.start();
  leases = [];
  closing = [];
});
afterEach(async () => {
  engine.behave = () => 'pass';
  await Promise.all(leases.map((lease) => lease.stop({ release: false })));
  for (const close of closing) close();
  await engine[Symbol.asyncDispose]();
});

function contender(options: Partial<SwarmLeaseOptions> = {}): SwarmLease {
  const swarm = engine.client();
  closing.push(() => swarm.close());
  const lease = new SwarmLease({ swarm, name: NAME, binding, times, ...options });
  leases.push(lease);
  lease.start();
  return lease;
}
const active = (lease: SwarmLease) => eventually(() => lease.state === 'active', soon);
const labels = () => engine.objects('configs').find(({ Spec }) => Spec.Name === NAME)?.Spec.Labels ?? {};

describe('who holds the lease', () => {
  test('it is made vacant and taken; the epoch is the index that the winning swap assumed', async () => {
    const lease = contender();
    await active(lease);
    const [made, taken] = engine.calls.filter(({ method }) => method === 'POST');
    expect(JSON.parse(made?.body ?? '').Labels['com.hivekeep.lease.holder']).toBe('');
    expect(taken?.url).toContain(`version=${lease.epoch}`);
    expect(labels()).toMatchObject({ 'com.hivekeep.lease.holder': lease.identity, 'com.hivekeep.lease.epoch': String(lease.epoch) });
  });

  test('of several contenders one wins, and renewals keep it', async () => {
    const contenders = [contender(), contender(), contender()];
    await eventually(() => contenders.some(({ state }) => state === 'active'), soon);
    const first = engine.calls.length;
    await consistently(() => contenders.filter(({ state }) => state === 'active').length < 2, 1_000, 10);
    expect(engine.calls.slice(first).filter(({ method }) => method === 'POST').length).toBeGreaterThan(2);
  });

  test('a standby follows at once when the holder releases, with a higher epoch', async () => {
    const first = contender();
    await active(first);
    const second = contender();
    const { epoch } = first;
    engine.relabel('configs', NAME, (before) => ({ ...before, 'example.note': 'mine' }));
    await first.update((state) => ({ ...state, commit: 'c0ffee' }));
    await first.stop({ release: true });
    await active(second);
    expect(second.lastKnown?.state.commit).toBe('c0ffee');
    expect(labels()['example.note']).toBe('mine');
    expect(second.epoch).toBeGreaterThan(epoch);
    expect(() => first.assertActive()).toThrow(expect.objectContaining({ code: 'lease/deposed' }));
  });

  test('one that was let go is left to the younger of two standbys; where there is none, the older takes it, too', async () => {
    const first = contender();
    await active(first);
    const old = contender({ times: { ...times, youngMs: 0, yieldMs: 500 } });
    await eventually(() => old.lastKnown !== undefined, soon);
    const young = contender();
    await first.stop({ release: true });
    await active(young);
    expect(old.state).toBe('standby');
    await young.stop({ release: true });
    await active(old);
  });

  test('a holder that is cut off stops before a standby begins', async () => {
    const first = contender();
    await active(first);
    const second = contender();
    await eventually(() => second.lastKnown !== undefined, soon);
    const overlaps: string[] = [];
    second.onChange(() => second.state === 'active' && first.state === 'active' && overlaps.push('both'));
    const own = first.identity;
    engine.behave = ({ body, method }) => (method === 'POST' && body.includes(own) ? 'hang' : 'pass');
    await active(second);
    expect(overlaps).toEqual([]);
    expect(() => first.assertActive()).toThrow(/lease|hold/);
  });

  test.each([
    ['hangs', 'hang' as const],
    ['fails', { fail: 500, text: 'The swarm does not have a leader.' }],
  ])('a holder knows that its time is over though every call %s, and a timer fires early', async (_, behaviour) => {
    // a timer of Node may fire a moment before its time by the clock, so here every one does
    const lease = contender({ monotonicNow: () => performance.now() * 0.98 });
    await active(lease);
    engine.behave = () => behaviour;
    await eventually(() => lease.state !== 'active', { timeoutMs: 2 * times.ttlMs, intervalMs: 10 });
    expect(() => lease.assertActive()).toThrow(/hold/);
  });

  test('an unread swarm makes nobody active', async () => {
    engine.behave = () => ({ fail: 500, text: 'The swarm does not have a leader.' });
    const lease = contender();
    await eventually(() => lease.error?.code === 'swarm/no-leader', soon);
    expect(lease.state).toBe('standby');
  });
});

describe('what a holder does about', () => {
  test('a clock that stood still while others took over: labels decide (a suspended machine)', async () => {
    let now = 1_000;
    const lease = contender({ monotonicNow: () => now });
    await active(lease);
    const calls = engine.calls.length;
    now = 1_001;
    engine.relabel('configs', NAME, (before) => ({
      ...before,
      'com.hivekeep.lease.holder': 'successor',
      'com.hivekeep.lease.epoch': '999',
    }));
    await eventually(() => lease.state !== 'active', soon);
    expect(engine.calls.slice(calls).filter(({ method }) => method === 'POST')).toEqual([]);
    expect(labels()['com.hivekeep.lease.holder']).toBe('successor');
  });

  test('time that passed while it stood still: the next assert notices before a write', async () => {
    let now = 1_000;
    const lease = contender({ monotonicNow: () => now, times: { ...times, renewEveryMs: 10_000 } });
    await active(lease);
    lease.assertActive();
    now += times.ttlMs - times.callTimeoutMs - 1;
    lease.assertActive();
    now += 1;
    expect(() => lease.assertActive()).toThrow(expect.objectContaining({ code: 'lease/deposed' }));
    expect(lease.state).toBe('lost');
    expect(lease.epoch).toBe(0);
  });

  test("somebody's label in between: it goes on and keeps the label", async () => {
    const lease = contender();
    await active(lease);
    engine.relabel('configs', NAME, (before) => ({ ...before, 'example.note': 'mine' }));
    await lease.renewNow();
    await lease.update((state) => ({ ...state, commit: 'c0ffee' }));
    expect(lease.state).toBe('active');
    expect(labels()).toMatchObject({ 'example.note': 'mine', 'com.hivekeep.state.commit': '"c0ffee"' });
  });

  test('a stale read: the swap fails, and it reads again', async () => {
    const lease = contender({ times: { ...times, renewEveryMs: 10_000 } });
    await active(lease);
    engine.freeze();
    await lease.renewNow();
    let stale = 2;
    engine.behave = ({ method }) => (method === 'GET' && stale-- > 0 ? 'stale' : 'pass');
    await lease.renewNow();
    expect(lease.state).toBe('active');
    expect(stale).toBeLessThan(0);
  });

  test('a swap that lands late: it extends nothing, and the lease goes on from what is read', async () => {
    const lease = contender({ times: { ...times, renewEveryMs: 10_000 } });
    await active(lease);
    const { validUntil } = lease;
    engine.behave = ({ method }) => (method === 'POST' ? { land: 250 } : 'pass');
    await expect(lease.renewNow()).rejects.toMatchObject({ code: 'swarm/timeout' });
    expect(lease.validUntil).toBe(validUntil);
    engine.behave = () => 'pass';
    await lease.renewNow();
    expect(lease.validUntil).toBeGreaterThan(validUntil);
  });

  test('its own taking that landed late: it takes again, under a new epoch', async () => {
    let late = 1;
    engine.behave = ({ method, path }) => (method === 'POST' && path.endsWith('/update') && late-- > 0 ? { land: 250 } : 'pass');
    const lease = contender({ times: { ...times, ttlMs: 60_000 } });
    await active(lease);
    expect(Number(labels()['com.hivekeep.lease.epoch'])).toBe(lease.epoch);
    expect(labels()['com.hivekeep.lease.holder']).toBe(lease.identity);
  });

  test('a lease deleted by hand: it stops, and the next epoch is higher', async () => {
    const lease = contender();
    await active(lease);
    const { epoch } = lease;
    const phases: string[] = [];
    lease.onChange(() => phases.push(lease.state));
    for (const { ID, Spec } of engine.objects('configs')) if (Spec.Name === NAME) engine.remove('configs', ID);
    await eventually(() => lease.state === 'active' && lease.epoch > epoch, soon);
    expect(phases).toContain('lost');
  });

  test('what a term learned is not kept when it is over', async () => {
    const first = contender();
    await active(first);
    const { epoch } = first;
    await first.update((state) => ({ ...state, commit: 'c0ffee' }), { epoch });
    first.depose('somebody wrote later');
    const late = first.update((state) => ({ ...state, commit: '01d' }), { epoch });
    await expect(late).rejects.toMatchObject({ code: 'lease/deposed' });
    expect((await first.read()).state.commit).toBe('c0ffee');
  });

  test('a renewal whose term ends while the lease is read writes nothing: it would prolong the life of its successor', async () => {
    const lease = contender();
    await active(lease);
    const { epoch } = lease;
    const renewal = lease.renewNow();
    const seen = engine.calls.length;
    lease.depose('somebody wrote later');
    await expect(renewal).rejects.toMatchObject({ code: 'lease/deposed' });
    await active(lease);
    const epochs = engine.calls.slice(seen).flatMap(({ method, body }) => {
      return method === 'POST' ? [JSON.parse(body).Labels['com.hivekeep.lease.epoch']] : [];
    });
    expect(epochs).not.toContain(String(epoch));
  });

  test('a freeze: writes stop, renewals go on', async () => {
    const lease = contender();
    await active(lease);
    const other = contender();
    await other.update((state) => ({ ...state, freeze: { id: 'f1', by: 'ann', at: '2026-01-01T00:00:00Z', reason: '' } }));
    await lease.renewNow();
    lease.assertActive();
    expect(() => lease.assertMayWrite()).toThrow(expect.objectContaining({ code: 'swarm/frozen' }));
    await lease.update((state) => ({ ...state, freezeAck: 'f1' }));
    expect((await other.read()).state.freezeAck).toBe('f1');
  });

  test('a state that outgrows the labels: refused, nothing written', async () => {
    const lease = contender();
    await active(lease);
    const before = labels();
    await expect(lease.update((state) => ({ ...state, commit: 'x'.repeat(300_000) }))).rejects.toMatchObject({ code: 'state/too-large' });
    expect(labels()).toEqual(before);
  });
});

describe('a lease bound to something else', () => {
  const vacate = async (other: Partial<typeof binding>) => {
    const first = contender({ binding: { ...binding, ...other } });
    await active(first);
    await first.stop({ release: true });
  };

  test.each([{ swarm: 'elsewhere' }, { home: false }, { appSet: 'static /apps.yaml' }])(
    '%j: refused, and it stays refused',
    async (other) => {
      await vacate(other);
      const lease = contender();
      await eventually(() => lease.state === 'refused', soon);
      expect(lease.error).toMatchObject({ code: 'lease/mismatch', message: expect.stringContaining(Object.keys(other)[0] ?? '') });
      await consistently(() => lease.state === 'refused', 100, 10);
    },
  );

  test('with take-over it is taken and bound anew', async () => {
    await vacate({ swarm: 'elsewhere' });
    await active(contender({ takeOver: true }));
    expect(labels()['com.hivekeep.lease.swarm']).toBe('here');
  });

  test('another controller that lives with the same app set refuses the second; a dead one does not', async () => {
    const options = { name: 'hivekeep.lease.c2', binding: { ...binding, controllerId: 'c2' } };
    const first = contender(options);
    await active(first);
    const second = contender();
    await eventually(() => second.state === 'refused', soon);
    expect(second.error?.message).toContain('c2');
    await first.stop({ release: false });
    await active(contender());
  });

  test('two controllers with different app sets share a swarm', async () => {
    await active(contender({ name: 'hivekeep.lease.c2', binding: { ...binding, controllerId: 'c2', appSet: 'other' } }));
    await active(contender());
  });
});
