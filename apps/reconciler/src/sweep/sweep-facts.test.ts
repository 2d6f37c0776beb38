import { indexSnapshot } from '@hivekeep/planner';
import { aSpec } from '@hivekeep/testkit';
import { describe, expect, it } from 'vitest';
import { Registrations } from '../registrations.ts';
import { aWorld } from '../testing/a-world.ts';
import type { KeptRecord } from '../world.ts';
import { stampedReleases, unplannedApplications, unreadableRecord } from './sweep-evidence.ts';
import { volumeFacts } from './volume-facts.ts';

const OWNER_LABEL = 'com.hivekeep.owner';

function kept(release: string, revision: number, owner: string, volumes = ''): KeptRecord {
  const name = `swarmcli.release.${release}.v${revision}`;
  const config = { id: `${name}-id`, name, version: 1, labels: {}, createdAt: 0 };
  const chart = { name: 'compose', version: '0.0.0' };
  const manifest = `services: {web: {image: nginx, volumes: [data:/d]}}\nvolumes: {${volumes || 'data: {}'}}\n`;
  const record = { release, revision, status: 'deployed', chart, values: {}, manifest, created: '2026-01-02T03:04:05Z', owner };
  return { config, record };
}
const ours = (release: string, application = release) => `cd/default/${application}:release/${release}`;
const unreadable = [{ release: 'shop', message: "record swarmcli.release.shop.v2 can't be read: damaged" }];

describe('whose a release is', () => {
  it('is what its newest record says, whoever stamped older ones', () => {
    const records = new Map([
      ['shop', [kept('shop', 2, 'cd/other/shop:release/shop'), kept('shop', 1, ours('shop'))]],
      ['blog', [kept('blog', 1, ours('blog', 'site'))]],
      ['copied', [kept('copied', 1, ours('blog'))]],
    ]);
    expect(stampedReleases(aWorld({ records }), 'default', OWNER_LABEL)).toEqual([{ application: 'site', release: 'blog' }]);
  });

  it('is what the label of an object says where it has no record, no intent and no service', () => {
    const under = (stack: string, owner?: string) => ({ 'com.docker.stack.namespace': stack, ...(owner && { [OWNER_LABEL]: owner }) });
    const config = (name: string, labels: Record<string, string>) => ({ id: name, name, version: 1, labels, createdAt: 0 });
    const service = {
      id: 's',
      version: 1,
      createdAt: 0,
      updatedAt: 0,
      spec: { Name: 'wiki_web', Labels: under('wiki'), Mode: {}, TaskTemplate: {} },
    };
    const index = indexSnapshot({
      ...aWorld().index.snapshot,
      services: [service],
      configs: [
        config('shop_conf', under('shop', ours('shop'))),
        config('mail_conf', under('mail')),
        config('data_conf', under('data', 'cd/other/data:release/data')),
        config('blog_conf', under('blog', ours('blog'))),
        config('wiki_conf', under('wiki', ours('wiki'))),
      ],
    });
    const records = new Map([['blog', [kept('blog', 1, 'cd/other/blog:release/blog')]]]);
    expect(stampedReleases(aWorld({ index, records }), 'default', OWNER_LABEL)).toEqual([{ application: 'shop', release: 'shop' }]);
  });

  it('is still to be finished where only the mark of its sweep is left', () => {
    const mark = {
      application: 'site',
      release: 'blog',
      since: 0,
      commit: 'c',
      newestRecord: 'r',
      moved: false,
      phase: 'records',
      begun: true,
    } as const;
    const states = new Map([['site', { sweep: { blog: mark } }]]);
    expect(stampedReleases(aWorld({ states }), 'default', OWNER_LABEL)).toEqual([{ application: 'site', release: 'blog' }]);
  });

  it('is unknown while one of its records cannot be read', () => {
    expect(unreadableRecord(aWorld({ unreadable }), 'shop')).toContain('swarmcli.release.shop.v2');
    expect(unreadableRecord(aWorld({ unreadable }), 'blog')).toBeUndefined();
  });
});

describe('what is known of volumes', () => {
  const records = new Map([
    ['shop', [kept('shop', 1, ours('shop'))]],
    ['blog', [kept('blog', 1, ours('blog'), 'data: {external: true, name: shop_data}')]],
  ]);

  it('tells those of the release from those that others declare, external ones included', () => {
    const facts = volumeFacts('shop', aWorld({ records }), new Registrations());
    expect([...facts.namedByRelease]).toEqual(['shop_data']);
    expect([...facts.declaredByOthers]).toEqual([['shop_data', 'blog']]);
  });

  it('is never nothing: a record that cannot be read may declare any', () => {
    expect(() => volumeFacts('blog', aWorld({ records, unreadable }), new Registrations())).toThrow(/may declare volumes/);
  });
});

it('waits for every application that is not planned, but not for one that never will be', async () => {
  const registrations = new Registrations();
  const specs = [aSpec({ name: 'shop' }), aSpec({ name: 'pruning', syncPolicy: { automated: true, prune: true } })];
  await registrations.apply(specs);
  const shop = registrations.get('shop');
  if (shop) shop.status = { ...shop.status, code: 'compose/unsupported', error: 'its newest commit cannot be read' };
  const applications = [...specs, aSpec({ name: 'unseen' })].map(({ name }) => ({ name, releases: [name] }));
  const load = { complete: true, revision: 'c1', git: true, at: 0, applications, others: [] };
  expect(unplannedApplications(load, registrations)).toEqual(['shop', 'unseen']);
});
