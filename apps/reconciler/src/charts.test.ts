import { decodeRecord } from '@hivekeep/charts';
import { reconcilerCalls as calls, type Spec } from '@hivekeep/contracts';
import { aSpec, eventually } from '@hivekeep/testkit';
import { describe, expect, it } from 'vitest';
import { ControllerUnderTest } from './testing/controller-under-test.ts';

const target = { swarm: 'test' };
const automated = (more: Partial<Spec> = {}): Spec => aSpec({ name: 'shop', syncPolicy: { automated: true }, ...more });
const chart = {
  chart: { name: 'web', version: '1.0.0', ref: 'main/web', repo: 'main', repoURL: 'https://charts.example' },
  values: { tag: '1' },
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const manifest = (image: string): string => `configs:
  site:
    file: files/site.conf
networks:
  edge:
    external: true
services:
  web:
    configs:
      - site
    deploy:
      replicas: 0
    env_file: files/app.env
    environment:
      PRICE: 5$$
    image: ${image}
    networks:
      - edge
`;
const files = { 'files/site.conf': base64('server {}\n'), 'files/app.env': base64('A=$1\nPRICE=none\n') };
const allow = { networks: ['edge'] };

function records(test: ControllerUnderTest) {
  const configs = test.engine.objects('configs').filter(({ Spec: { Name } }) => Name.startsWith('swarmcli.release.'));
  return configs.map(({ Spec: { Name, Data } }) => decodeRecord({ name: Name, data: Buffer.from(String(Data), 'base64') }));
}

describe('a release of a chart', () => {
  it('is deployed with its files, has its network made, and is recorded as its engine would', async () => {
    await using test = await ControllerUnderTest.start();
    const values = { tag: '1', big: 9007199254740993n };
    test.source.declare(automated({ allow }), manifest('nginx:1'), { ...chart, values, files });
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced' && sync.lastSync?.succeeded === true);

    const [service] = test.engine.objects('services');
    expect(service).toMatchObject({
      Spec: { TaskTemplate: { ContainerSpec: { Env: ['A=$1', 'PRICE=5$'], Configs: [{ ConfigName: 'shop_site' }] } } },
    });
    const site = test.engine.objects('configs').find(({ Spec: { Name } }) => Name === 'shop_site');
    expect(site?.Spec.Data).toBe(files['files/site.conf']);
    const network = test.engine.objects('networks').find(({ Spec: { Name } }) => Name === 'edge');
    expect(network?.Spec.Labels).not.toHaveProperty('com.docker.stack.namespace');
    expect(records(test)).toMatchObject([{ chart: { name: 'web', version: '1.0.0' }, values, managedNetworks: ['edge'], files }]);
  });

  it('keeps the network it had made among its own in later revisions', async () => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated({ allow }), manifest('nginx:1'), { ...chart, files });
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced' && sync.lastSync?.succeeded === true);
    test.source.declare(automated({ allow }), manifest('nginx:2'), { ...chart, files });
    await test.bus.call(calls.refresh, target, { application: 'shop' });
    await test.until('shop', ({ releases }) => releases?.[0]?.revision === 2);
    expect(records(test).map(({ managedNetworks }) => managedNetworks)).toEqual([['edge'], ['edge']]);
  });

  it('of 200 applications is not written again while they stay as they are', async () => {
    await using test = await ControllerUnderTest.start();
    const names = Array.from({ length: 200 }, (_, index) => `app${index}`);
    const stack = 'services:\n  web:\n    image: nginx:1\n    deploy:\n      replicas: 0\n';
    for (const name of names) test.source.declare(automated({ name }), stack, chart);
    await test.reconciler();
    for (const name of names) await test.until(name, ({ sync }) => sync.state === 'synced' && sync.lastSync?.succeeded === true);
    const [writes, records] = [test.writes(), test.names('configs')];
    for (let look = 0; look < 2; look++) {
      // the second begins when the first has ended
      const built = new Set<string>();
      test.source.failBuild = (name) => void built.add(name);
      await Promise.all(names.map((application) => test.bus.call(calls.refresh, target, { application })));
      await eventually(() => built.size === names.length, { timeoutMs: 10_000 });
    }
    expect(test.writes()).toEqual(writes);
    expect([records.length, test.names('configs')]).toEqual([200, records]);
  });

  it.each([
    [
      'a network it may not make',
      { requirements: { networks: [{ name: 'edge', driver: 'overlay', attachable: true, autoCreate: false }], secrets: [], configs: [] } },
      /external network edge does not exist/,
    ],
    ['an engine that is newer', { chart: { ...chart.chart, swarmcliVersion: '>= 99' } }, /asks for an engine >= 99/],
  ])('is refused before the first write for %s', async (_name, more, message) => {
    await using test = await ControllerUnderTest.start();
    test.source.declare(automated({ allow }), manifest('nginx:1'), { ...chart, files, ...more });
    await test.reconciler();
    expect((await test.until('shop', ({ error }) => error !== undefined)).error).toMatch(message);
    expect(test.writes()).toEqual([]);
  });
});

describe('a chart that renders differently each time', () => {
  it('is deployed once for each commit and held until the next one, or a sync', async () => {
    await using test = await ControllerUnderTest.start();
    const volatile = (image: string) => test.source.declare(automated({ allow }), manifest(image), { ...chart, files, volatile: true });
    volatile('nginx:1');
    await test.reconciler();
    await test.until('shop', ({ hold }) => hold?.reason === 'unstable');

    volatile('nginx:2');
    const builds = test.source.builds;
    await test.bus.call(calls.refresh, target, { application: 'shop' });
    await test.until('shop', ({ sync, hold }) => sync.state === 'out-of-sync' && hold?.reason === 'unstable');
    await eventually(() => test.source.builds > builds);
    expect(records(test).map(({ revision }) => revision)).toEqual([1]);

    test.source.commit = 'd'.repeat(40);
    await test.bus.call(calls.refresh, target, { application: 'shop' });
    await test.until('shop', ({ releases }) => releases?.[0]?.revision === 2);

    volatile('nginx:3');
    await test.bus.call(calls.sync, target, { application: 'shop', actor: 'ann' });
    await test.until('shop', ({ releases }) => releases?.[0]?.revision === 3);
  });
});

describe('releases of several waves', () => {
  const service = (replicas: number): string => `services:\n  web:\n    image: nginx:1\n    deploy:\n      replicas: ${replicas}\n`;
  const declare = (test: ControllerUnderTest, replicas: number): void => {
    const more: Partial<Spec> = { syncPolicy: { automated: true, timeout: '1s' } };
    test.source.declare(automated(more), '');
    const release = (name: string, wave: number, count: number) => ({ ...chart, name, wave, manifest: service(count) });
    test.source.releases.set('shop', [
      release('late', 2, 0),
      release('early', -1, 0),
      release('middle', 0, replicas),
      release('after', 2, 0),
    ]);
  };

  it('are written in their order, of one wave in that of the file', async () => {
    await using test = await ControllerUnderTest.start();
    declare(test, 0);
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.state === 'synced' && sync.lastSync?.succeeded === true);
    const created = test.writes().filter((write) => write.startsWith('POST /services/create'));
    expect(created.map((write) => write.split(' ').at(-1))).toEqual(['early_web', 'middle_web', 'late_web', 'after_web']);
  });

  it('stop at a wave that does not converge: of later ones there is nothing, of that one its record', async () => {
    await using test = await ControllerUnderTest.start();
    declare(test, 1);
    await test.reconciler();
    await test.until('shop', ({ sync }) => sync.lastSync?.succeeded === false);
    expect(test.names('services')).toEqual(['early_web', 'middle_web']);
    expect(records(test).map(({ release }) => release)).toEqual(['early', 'middle']);
  });
});
