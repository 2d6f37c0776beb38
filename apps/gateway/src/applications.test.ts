import { HivekeepError, httpApi, Problem, type View } from '@hivekeep/contracts';
import { describe, expect, it, vi } from 'vitest';
import { gatewayFixture, healthyView } from './testing/gateway-fixture.ts';

const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 5_000, interval: 20 });
const appSet = (others: { name: string; swarm: string }[]) => ({
  'source.app-set': () => ({
    mode: 'git',
    source: 'https://git.example/set.git apps.yaml@main',
    identity: 'x',
    revision: 'c'.repeat(40),
    digest: '',
    complete: true,
    applications: [],
    others: others.map((other) => ({ ...other, releases: [] })),
  }),
});

type Fixture = Awaited<ReturnType<typeof gatewayFixture>>;
const list = async (fixture: Fixture): Promise<View[]> => (await fixture.read(httpApi.applications)).applications;
const states = async (fixture: Fixture) =>
  (await list(fixture)).map(({ spec, status }) => [spec.name, status.sync.state, status.health.state]);

describe('applications', () => {
  it('lists views without releases in the order of the app set, and shows one alone with them', async () => {
    await using fixture = await gatewayFixture({
      answers: appSet([
        { name: 'web', swarm: '' },
        { name: 'api', swarm: '' },
      ]),
    });
    await fixture.serve('home', [healthyView('api'), healthyView('web'), healthyView('gone-from-set')]);
    await until(async () => expect((await list(fixture)).map((view) => view.spec.name)).toEqual(['web', 'api', 'gone-from-set']));
    expect((await list(fixture))[0]?.status).not.toHaveProperty('releases');
    expect((await fixture.read(httpApi.application, '/api/v1/applications/web')).status.releases).toEqual([]);
    expect(Problem.parse(await (await fixture.get('/api/v1/applications/nope')).json()).code).toBe('application/unknown');
  });

  it('asks for the app set again beside a source that never answers: it may have been killed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const answers = appSet([{ name: 'web', swarm: '' }]);
      let asked = 0;
      const silentOnce = () => {
        asked += 1;
        return asked === 1 ? new Promise<never>(() => undefined) : answers['source.app-set']();
      };
      await using fixture = await gatewayFixture({ answers: { 'source.app-set': silentOnce } });
      await until(async () => expect(asked).toBe(1));
      vi.advanceTimersByTime(8_000);
      await until(async () => expect((await list(fixture)).map((view) => view.spec.name)).toEqual(['web']));
    } finally {
      vi.useRealTimers();
    }
  });

  it('drops the view of a removed application', async () => {
    await using fixture = await gatewayFixture();
    await fixture.serve('home', [healthyView('web')]);
    await until(async () => expect(await states(fixture)).toEqual([['web', 'synced', 'healthy']]));
    await fixture.bus.views.remove('home.application.web');
    await until(async () => expect(await states(fixture)).toEqual([]));
  });

  it('does not go on showing as healthy what a newer reconciler says in a way unknown here', async () => {
    await using fixture = await gatewayFixture({ answers: appSet([{ name: 'web', swarm: '' }]) });
    await fixture.serve('home', [healthyView('web')]);
    await until(async () => expect(await states(fixture)).toEqual([['web', 'synced', 'healthy']]));
    await fixture.bus.views.put('home.application.web', { ...healthyView('web'), status: { state: 'new' } });
    await until(async () => expect(await states(fixture)).toEqual([['web', 'unknown', 'unknown']]));
  });

  it('shows an application whose swarm nobody serves', async () => {
    await using fixture = await gatewayFixture({ answers: appSet([{ name: 'far', swarm: 'berlin' }]) });
    await until(async () => expect(await states(fixture)).toEqual([['far', 'unknown', 'unknown']]));
    const [view] = await list(fixture);
    expect(view?.status).toMatchObject({ error: expect.stringContaining("no reconciler serves swarm 'berlin'") });
    const { swarms } = await fixture.read(httpApi.swarms);
    expect(swarms).toMatchObject([{ name: 'berlin', state: 'unserved' }]);
    expect((await fixture.post('/api/v1/applications/far/sync')).status).toBe(503);
  });

  it('shows a silent swarm as silent, never as healthy, and refuses a sync to it', async () => {
    await using fixture = await gatewayFixture({ answers: { 'reconciler.sync': () => ({ application: 'web', accepted: true }) } });
    const leave = await fixture.serve('home', [healthyView('web')]);
    await until(async () => expect(await states(fixture)).toEqual([['web', 'synced', 'healthy']]));
    await leave();
    await until(async () => expect(await states(fixture)).toEqual([['web', 'unknown', 'unknown']]));
    const { swarms } = await fixture.read(httpApi.swarms);
    expect(swarms).toMatchObject([{ name: 'home', state: 'silent', lastHeardAt: expect.stringMatching(/^\d{4}-.*Z$/) }]);
    const sync = await fixture.post('/api/v1/applications/web/sync');
    expect([sync.status, Problem.parse(await sync.json()).code]).toEqual([503, 'swarm/unreachable']);
    expect((await fixture.get('/api/v1/applications/web/diff')).status).toBe(503);
  });

  it('takes a view that is too old for silence although the process is there', async () => {
    await using fixture = await gatewayFixture({ config: { silentAfterMs: 200 } });
    await fixture.serve('home', [healthyView('web')]);
    await until(async () =>
      expect((await fixture.read(httpApi.swarms)).swarms).toMatchObject([{ message: expect.stringContaining('reported nothing since') }]),
    );
    expect(await states(fixture)).toEqual([['web', 'unknown', 'unknown']]);
  });

  it('tells apart applications of one name on two swarms', async () => {
    await using fixture = await gatewayFixture();
    await fixture.serve('home', [healthyView('web')]);
    await fixture.serve('berlin', [healthyView('web', 'berlin')]);
    await until(async () => expect(await states(fixture)).toHaveLength(2));
    expect((await fixture.read(httpApi.application, '/api/v1/applications/web?swarm=berlin')).spec.destination).toEqual({
      swarm: 'berlin',
    });
  });
});

describe('commands', () => {
  it('passes a sync on with its actor: 202 and what the reconciler said', async () => {
    const asked: unknown[] = [];
    await using fixture = await gatewayFixture({
      answers: {
        'reconciler.sync': (request, swarm) => {
          asked.push({ request, swarm });
          return { application: 'web', coalesced: true };
        },
      },
    });
    await fixture.serve('home', [healthyView('web')]);
    await until(async () => {
      const answer = await fixture.post('/api/v1/applications/web/sync');
      expect([answer.status, await answer.json()]).toEqual([202, { application: 'web', coalesced: true }]);
    });
    expect(asked).toContainEqual({ request: { application: 'web', actor: 'admin' }, swarm: 'home' });
    expect((await fixture.post('/api/v1/applications/nope/sync')).status).toBe(404);
  });

  it('passes a rollback on, and refuses one that is not what it takes', async () => {
    const asked: unknown[] = [];
    await using fixture = await gatewayFixture({
      answers: {
        'reconciler.rollback': (request) => {
          asked.push(request);
          return { application: 'web', release: 'web', revision: 2, accepted: true };
        },
      },
    });
    await fixture.serve('home', [healthyView('web')]);
    const path = '/api/v1/applications/web/rollback';
    await until(async () => expect((await fixture.post(path, { to: 2 })).status).toBe(202));
    expect(asked.at(-1)).toEqual({ application: 'web', actor: 'admin', to: 2 });
    const before = asked.length;
    for (const to of ['2', 0, 1.5]) expect((await fixture.post(path, { to })).status, String(to)).toBe(400);
    expect(asked.length).toBe(before);
  });

  it('answers a failed call with the code and the status of its error', async () => {
    await using fixture = await gatewayFixture({
      answers: {
        'reconciler.history': () => {
          throw new HivekeepError('swarm/timeout', 'the manager did not answer within 10 s');
        },
        'reconciler.diff': () => ({ planned: false, releases: [] }),
      },
    });
    await fixture.serve('home', [healthyView('web')]);
    await until(async () => expect((await fixture.get('/api/v1/applications/web/history')).status).toBe(504));
    expect(await (await fixture.get('/api/v1/applications/web/diff')).json()).toEqual({ planned: false, releases: [] });
  });

  it('needs a swarm named when there are several', async () => {
    await using fixture = await gatewayFixture({ answers: { 'reconciler.freeze': (request) => ({ frozen: true, request }) } });
    await fixture.serve('home');
    await until(async () => expect((await fixture.post('/api/v1/freeze', { reason: 'upgrade' })).status).toBe(200));
    await fixture.serve('berlin');
    await until(async () => expect((await fixture.post('/api/v1/freeze')).status).toBe(400));
    await until(async () => expect((await fixture.post('/api/v1/freeze', { swarm: 'berlin' })).status).toBe(200));
    expect((await fixture.post('/api/v1/freeze?swarm=paris')).status).toBe(404);
  });
});
