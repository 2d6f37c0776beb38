import { Spec } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import {
  appStateName,
  checkRepoUrl,
  cleanPath,
  diffAppSet,
  effectivePolicy,
  intentName,
  isOwnedBy,
  leaseName,
  nearest,
  ownerId,
  ownerStamp,
  owningApplication,
  parseOwnerId,
  parseOwnerStamp,
  recordName,
  selectForSwarm,
} from './index.ts';

const spec = (name: string, more: Record<string, unknown> = {}): Spec =>
  Spec.parse({ name, source: { repoURL: 'https://x', revision: 'main', releaseFile: 'r' }, ...more });

describe('owner stamps', () => {
  const owner = { controllerId: 'c1', application: 'edge' };

  it('are written and read back', () => {
    expect(ownerId(owner)).toBe('cd/c1/edge');
    expect(ownerStamp(owner, 'web')).toBe('cd/c1/edge:release/web');
    expect(parseOwnerStamp('cd/c1/edge:release/web')).toEqual({ id: 'cd/c1/edge', kind: 'release', name: 'web' });
    expect(isOwnedBy('cd/c1/edge:release/web', owner, 'web')).toBe(true);
  });

  it.each(['cd/c2/edge', 'apply/edge', 'cd/edge', 'cd/c1/', 'cd/c1/a/b', ''])('%s is not mine', (id) => {
    expect(parseOwnerId(id, 'c1')).toBeUndefined();
    expect(owningApplication(`${id}:release/web`, 'web', 'c1')).toBeUndefined();
  });

  it.each([undefined, '', 'cd/c1/edge', 'cd/c1/edge:release/other', 'cd/c1/edge:stack/web', 'cd/c1/edge:release/'])(
    '%s does not say who owns web',
    (stamp) => {
      expect(owningApplication(stamp, 'web', 'c1')).toBeUndefined();
    },
  );
});

describe('names', () => {
  it('are as they say', () => {
    expect(leaseName('default')).toBe('hivekeep.lease.default');
    expect(intentName('web', 3)).toBe('hivekeep.intent.web.v3');
    expect(recordName('web', 3)).toBe('swarmcli.release.web.v3');
    expect(appStateName('c1', 'edge')).toBe('hivekeep.app.c1.edge');
  });

  it('stay apart when cut', () => {
    const [a, b] = [recordName('r'.repeat(80), 1), recordName('r'.repeat(80), 2)];
    expect(a).toHaveLength(64);
    expect(a).toMatch(/^swarmcli\.release\.r+-[0-9a-f]{12}$/);
    expect(a).not.toBe(b);
    expect(recordName('r'.repeat(44), 1)).toBe(`swarmcli.release.${'r'.repeat(44)}.v1`);
  });
});

describe('a policy', () => {
  it('has every answer', () => {
    expect(effectivePolicy(spec('a'))).toEqual({
      automated: false,
      interval: 180_000,
      wait: false,
      timeout: 300_000,
      historyMax: 10,
      prune: false,
      pruneVolumes: false,
      pruneResources: false,
      pruneFirst: false,
      driftDetection: 'manifest',
    });
  });

  it('tells no history limit from none given, and clamps the interval', () => {
    const policy = effectivePolicy(spec('a', { syncPolicy: { historyMax: 0, interval: '1ms', timeout: '90s' } }));
    expect(policy).toMatchObject({ historyMax: 0, interval: 10_000, timeout: 90_000 });
  });
});

describe('the difference between two sets', () => {
  it('removes first, then replaces, then adds', () => {
    const diff = diffAppSet([spec('a'), spec('b'), spec('c')], [spec('d'), spec('c', { strict: true }), spec('a')]);
    expect([diff.remove, diff.replace.map(({ name }) => name), diff.add.map(({ name }) => name)]).toEqual([['b'], ['c'], ['d']]);
  });

  it('is nothing for equal sets in another order of keys', () => {
    const declared = spec('a');
    const held = Object.fromEntries(Object.entries(declared).reverse()) as Spec;
    expect(diffAppSet([held], [declared])).toEqual({ remove: [], replace: [], add: [] });
  });
});

it('selects by destination, an empty one being the home swarm', () => {
  const all = [spec('here'), spec('edge', { destination: { swarm: 'edge' } }), spec('empty', { destination: { swarm: '' } })];
  expect(selectForSwarm(all, 'main', true).map(({ name }) => name)).toEqual(['here', 'empty']);
  expect(selectForSwarm(all, 'edge', false).map(({ name }) => name)).toEqual(['edge']);
});

describe('repository URLs', () => {
  const policy = { insecureHosts: ['git.lan', 'git.lan2:3000'], allowLocal: true };
  it.each([
    'https://h/r.git',
    'ssh://git@h:22/r',
    'git@h:org/r.git',
    'h:r',
    'http://localhost/r',
    'http://127.0.0.1:3000/r',
    'http://[::1]/r',
  ])('allows %s', (url) => expect(checkRepoUrl(url)).toBeUndefined());
  it.each(['http://git.lan/r', 'http://GIT.LAN:81/r', 'http://git.lan2:3000/r', '/srv/r'])('allows %s where the policy does', (url) => {
    expect(checkRepoUrl(url)).toBeDefined();
    expect(checkRepoUrl(url, policy)).toBeUndefined();
  });
  it.each([
    '',
    'http://127.0.0.1.evil.example/r',
    'http://git.lan2/r',
    'file:///srv/r',
    'git://h/r',
    'ext::sh -c id',
    '-oProxyCommand=x:r',
    'h:-x',
    'ssh://-oProxyCommand=x/r',
    'https://u@h/r',
    'https://h/r?x=1',
    'https://h/r\n',
    'relative/path',
    'C:\\r',
  ])('refuses %j', (url) => expect(checkRepoUrl(url, policy)).toBeDefined());
  it.each([
    ['', /^is required$/],
    [`https://h/${'x'.repeat(1024)}`, /at most 1024/],
    ['https://', /no valid URL/],
    ['git://h/r', /uses git:\/\//],
    ['https://u@h/r', /user name/],
    ['nothing', /no repository URL/],
  ])('says why it refuses %j', (url, reason) => expect(checkRepoUrl(url, policy)).toMatch(reason));
  it('never shows a password', () => {
    expect(checkRepoUrl('https://u:hunter2@h/r')).toMatch(/holds a password/);
    expect(checkRepoUrl('https://u:hunter2@h/r')).not.toMatch(/hunter2/);
  });
});

it.each([
  ['a/../b', 'b'],
  ['../../x', '../../x'],
  ['/a//b/./c/', '/a/b/c'],
  ['/..', '/'],
  ['a/..', '.'],
])('cleans %s', (path, clean) => expect(cleanPath(path)).toBe(clean));

it.each([
  ['automatd', 'automated'],
  ['Interval', 'interval'],
  ['foo', undefined],
  ['', undefined],
])('finds what %j was meant to be', (word, meant) => expect(nearest(word, ['automated', 'interval', 'prune'])).toBe(meant));
