import { reconcilerCalls as calls, type Spec } from '@hivekeep/contracts';
import { aSpec, eventually } from '@hivekeep/testkit';
import { describe, expect, it } from 'vitest';
import { ControllerUnderTest } from '../testing/controller-under-test.ts';

const target = { swarm: 'test' };
const kim = { application: 'shop', actor: 'kim' };
const automated = (more: Partial<Spec> = {}): Spec => aSpec({ name: 'shop', syncPolicy: { automated: true }, ...more });
const commit = (digit: string): string => digit.repeat(40);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A manifest with a config and a secret whose names follow their content, and an image of the same number. */
const manifest = (n: number): string => `services:
  web:
    image: nginx:${n}
    deploy: {replicas: 0}
    configs: [conf]
    secrets: [key]
configs:
  conf: {name: shop_conf-00000000000${n}}
secrets:
  key: {name: shop_key-00000000000${n}}
`;

function push(test: ControllerUnderTest, n: number, more: Partial<Spec> = {}): void {
  test.source.commit = commit(String(n));
  test.source.secrets.set(`shop_key-00000000000${n}`, `secret ${n}`);
  test.source.declare(automated(more), manifest(n), {
    files: { [`shop_conf-00000000000${n}`]: base64(`conf ${n}`) },
    secrets: [{ name: `shop_key-00000000000${n}`, digest: `digest-${n}` }],
  });
}

/** Revisions 1 to `count`, each deployed from a commit of its own. */
async function deployed(count: number, more: Partial<Spec> = {}) {
  const test = await ControllerUnderTest.start();
  push(test, 1, more);
  const first = await test.reconciler();
  await test.until('shop', ({ releases }) => releases?.[0]?.revision === 1);
  for (let n = 2; n <= count; n += 1) {
    push(test, n, more);
    await test.bus.call(calls.sync, target, kim);
    await test.until('shop', ({ releases, working }) => releases?.[0]?.revision === n && !working);
  }
  await settled(test);
  return Object.assign(test, { stop: () => first.close() });
}

/** Nothing that was accepted is left to be done: of the application's state there is its hold, or nothing. */
const settled = (test: ControllerUnderTest) =>
  eventually(() => {
    const states = test.engine.objects('configs').filter(({ Spec }) => Spec.Name.startsWith('hivekeep.app.'));
    return states.every(
      ({ Spec: { Labels } }) =>
        Object.keys(Labels ?? {})
          .join()
          .match(/state\.\w+/g)
          ?.join() === 'state.hold',
    );
  });
const image = (test: ControllerUnderTest): unknown =>
  (test.engine.objects('services')[0]?.Spec as { TaskTemplate?: { ContainerSpec?: { Image?: string } } } | undefined)?.TaskTemplate
    ?.ContainerSpec?.Image;
const revisions = async (test: ControllerUnderTest): Promise<number[]> =>
  (await test.bus.call(calls.history, target, { application: 'shop' })).releases.flatMap((release) =>
    release.revisions.map(({ revision }) => revision),
  );

async function rolledBack(test: ControllerUnderTest, asked: { to?: number; release?: string } = {}) {
  const answer = await test.bus.call(calls.rollback, target, { ...kim, ...asked });
  const status = await test.until('shop', ({ hold, working }) => hold?.revision === answer.revision && !working);
  await settled(test);
  return { answer, status };
}

/** A pass that was begun after this call has ended: the build of the next one waits for it. */
async function refreshed(test: ControllerUnderTest): Promise<void> {
  for (let pass = 1; pass <= 2; pass += 1) {
    const { builds } = test.source;
    await test.bus.call(calls.refresh, target, kim);
    await eventually(() => test.source.builds > builds);
  }
}

/** As somebody else's removal, which the daemon tells: gone for the next plan, too. */
async function removeObject(test: ControllerUnderTest, kind: 'configs' | 'secrets', name: string): Promise<void> {
  const found = test.engine.objects(kind).find(({ Spec }) => Spec.Name === name);
  const id = found?.ID ?? '';
  test.engine.remove(kind, id);
  test.engine.emit(`${JSON.stringify({ Type: kind.slice(0, -1), Action: 'remove', Actor: { ID: id, Attributes: { name } } })}\n`);
  const before = test.engine.calls.length;
  const looked = kind === 'configs' ? `/configs/${id}` : '/secrets';
  await eventually(() => test.engine.calls.slice(before).some(({ path }) => path === looked));
}

describe('a rollback', () => {
  it('deploys what was recorded as a new revision, and holds the application there', async () => {
    await using test = await deployed(2);
    const { answer } = await rolledBack(test);
    expect(answer).toEqual({ application: 'shop', release: 'shop', revision: 1, accepted: true });
    const status = await test.until('shop', ({ releases }) => releases?.[0]?.revision === 3);
    expect(image(test)).toBe('nginx:1');
    expect(status.hold).toMatchObject({ reason: 'rollback', by: 'kim', release: 'shop', revision: 1, commit: commit('2') });
    expect(status.sync).toMatchObject({
      state: 'out-of-sync',
      revision: commit('2'),
      lastSync: { succeeded: true, revision: commit('1') },
    });
    expect(test.events).toContain('application-rolled-back shop');

    const before = test.writes().length;
    await refreshed(test);
    expect(test.writes().slice(before)).toEqual([]);
  });

  it('goes on further back a second time, and to any revision that is named', async () => {
    await using test = await deployed(3);
    expect((await rolledBack(test)).answer.revision).toBe(2);
    expect((await rolledBack(test)).answer.revision).toBe(1);
    await expect(test.bus.call(calls.rollback, target, kim)).rejects.toMatchObject({ code: 'revision/unknown' });
    expect((await rolledBack(test, { to: 3 })).answer.revision).toBe(3);
    expect(image(test)).toBe('nginx:3');
    expect(await revisions(test)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('makes a config anew that is gone, and is refused for a secret that is', async () => {
    await using test = await deployed(2);
    await removeObject(test, 'configs', 'shop_conf-000000000001');
    await rolledBack(test);
    const conf = test.engine.objects('configs').find(({ Spec }) => Spec.Name === 'shop_conf-000000000001');
    expect(conf?.Spec.Data).toBe(base64('conf 1'));

    await removeObject(test, 'secrets', 'shop_key-000000000002');
    const before = test.writes().length;
    const refused = test.bus.call(calls.rollback, target, { ...kim, to: 2 });
    await expect(refused).rejects.toMatchObject({
      code: 'policy/refused',
      issues: [expect.objectContaining({ message: expect.stringContaining('secret shop_key-000000000002 does not exist') })],
    });
    expect(test.writes().slice(before)).toEqual([]);
  });

  it('is judged by what it went back to, while Git is shown as it differs', async () => {
    await using test = await deployed(2, { driftDetection: 'live' });
    const { status } = await rolledBack(test);
    expect(status.drift).toMatchObject({ state: 'none' });
    expect(status.releases).toMatchObject([{ action: 'upgrade', sync: 'out-of-sync', drift: { state: 'none' } }]);
    test.engine.relabel('services', 'shop_web', (labels) => ({ ...labels, by: 'hand' }));
    await refreshed(test);
    await test.until('shop', ({ drift }) => drift?.state === 'detected');
  });

  it('keeps its target from being trimmed as long as it holds', async () => {
    await using test = await deployed(3, { syncPolicy: { automated: true, historyMax: 2 } });
    expect(await revisions(test)).toEqual([3, 2]);
    await rolledBack(test, { to: 2 });
    expect(await revisions(test)).toEqual([4, 3, 2]);
    await test.bus.call(calls.sync, target, kim);
    await eventually(async () => expect(await revisions(test)).toEqual([5, 4]));
  });
});

describe('what a rollback holds', () => {
  it.each<[string, (test: ControllerUnderTest) => Promise<unknown>, number]>([
    ['app resume', (test) => test.bus.call(calls.resume, target, kim), 2],
    ['a sync', (test) => test.bus.call(calls.sync, target, kim), 2],
    [
      'a commit that changes what is built',
      async (test) => {
        push(test, 3);
        await refreshed(test);
      },
      3,
    ],
  ])('is let go by %s', async (_name, lift, n) => {
    await using test = await deployed(2);
    await rolledBack(test);
    await lift(test);
    await test.until('shop', ({ hold, sync }) => hold === undefined && sync.state === 'synced');
    expect(image(test)).toBe(`nginx:${n}`);
    expect(test.events).toContain('application-resumed shop');
    await eventually(() => !test.names('configs').some((name) => name.startsWith('hivekeep.app.')));
  });

  it.each<[string, (test: ControllerUnderTest) => void]>([
    ['a commit that touches nothing of the application', (test) => (test.source.commit = commit('3'))],
    [
      'other bytes of the same commit',
      (test) => {
        push(test, 3);
        test.source.commit = commit('2');
      },
    ],
    [
      'a commit that a guard refuses',
      (test) => {
        test.source.commit = commit('3');
        test.source.declare(automated(), `${manifest(1)}`.replace('nginx:1', 'nginx:3\n    volumes: ["/etc:/e"]'));
      },
    ],
  ])('stays for %s', async (_name, change) => {
    await using test = await deployed(2);
    await rolledBack(test);
    change(test);
    await refreshed(test);
    await test.until('shop', ({ hold }) => hold?.reason === 'rollback');
    expect(image(test)).toBe('nginx:1');
  });

  it('stays over a restart, with Git away, and learns late what Git had', async () => {
    await using test = await deployed(2);
    await test.stop();
    test.source.failBuild = () => {
      throw new Error('away');
    };
    await test.reconciler();
    await test.until('shop', ({ error }) => error !== undefined);
    await rolledBack(test);
    expect(image(test)).toBe('nginx:1');
    test.source.failBuild = () => undefined;
    await refreshed(test);
    await test.until('shop', ({ hold }) => hold?.commit === commit('2'));
    expect(image(test)).toBe('nginx:1');
    push(test, 3);
    await refreshed(test);
    await test.until('shop', ({ hold, sync }) => hold === undefined && sync.state === 'synced');
  });

  it('is less than a pause: that stays, and keeps what was rolled back', async () => {
    await using test = await deployed(2);
    await test.bus.call(calls.pause, target, { ...kim, reason: 'incident' });
    const { status } = await rolledBack(test);
    expect(status.hold).toMatchObject({ reason: 'pause', message: 'incident', release: 'shop', revision: 1 });
    push(test, 3);
    await refreshed(test);
    expect(image(test)).toBe('nginx:1');
    await test.bus.call(calls.sync, target, kim);
    const synced = await test.until('shop', ({ hold, sync }) => hold?.revision === undefined && sync.state === 'synced');
    expect(synced.hold).toMatchObject({ reason: 'pause' });
    expect(image(test)).toBe('nginx:3');
  });

  it('is kept by a pause that comes later', async () => {
    await using test = await deployed(2);
    await rolledBack(test);
    await test.bus.call(calls.pause, target, kim);
    expect(await test.until('shop', ({ hold }) => hold?.reason === 'pause')).toMatchObject({ hold: { release: 'shop', revision: 1 } });
  });
});

describe('a rollback that cannot be', () => {
  it.each<[string, { to?: number; release?: string }, string, RegExp]>([
    ['to what is deployed', { to: 2 }, 'revision/unfit', /revision 2 .* is what is deployed; /],
    ['to a revision that never was', { to: 9 }, 'revision/unknown', /no revision 9; kept are: 2, 1$/],
    ['of a release that it has not', { release: 'blog' }, 'release/unknown', /no release 'blog'; it has: shop/],
  ])('%s is refused at once', async (_name, asked, code, message) => {
    await using test = await deployed(2);
    const before = test.writes().length;
    await expect(test.bus.call(calls.rollback, target, { ...kim, ...asked })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(test.writes().slice(before)).toEqual([]);
  });

  it('is refused while the swarm is frozen, of an application that is not there, and of one that has several releases', async () => {
    await using test = await deployed(2);
    test.source.releases.set('shop', [
      { name: 'shop', manifest: manifest(1).replace(/configs:[\s\S]*/, '') },
      { name: 'other', manifest: 'services: {web: {image: nginx, deploy: {replicas: 0}}}' },
    ]);
    await test.bus.call(calls.sync, target, kim);
    await test.until('shop', ({ releases }) => releases?.length === 2);
    await expect(test.bus.call(calls.rollback, target, kim)).rejects.toMatchObject({ code: 'usage/invalid' });
    await expect(test.bus.call(calls.rollback, target, { ...kim, application: 'blog' })).rejects.toMatchObject({
      code: 'application/unknown',
    });
    await test.bus.call(calls.freeze, target, { actor: 'kim' });
    await expect(test.bus.call(calls.rollback, target, { ...kim, release: 'shop' })).rejects.toMatchObject({ code: 'swarm/frozen' });
  });

  it('joins the same one that is under way, and refuses another', async () => {
    await using test = await deployed(3);
    test.engine.behave = ({ method, path }) =>
      method === 'POST' && path.endsWith('/update') && path.startsWith('/services/') ? 'hang' : 'pass';
    await test.bus.call(calls.rollback, target, kim);
    expect(await test.bus.call(calls.rollback, target, kim)).toMatchObject({ revision: 2, coalesced: true });
    await expect(test.bus.call(calls.rollback, target, { ...kim, to: 1 })).rejects.toMatchObject({ code: 'rollback/pending' });
  });
});
