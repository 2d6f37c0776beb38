import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { checkout } from '../checkout.ts';
import { configReference } from './config-reference.ts';
import { readSettings } from './read-settings.ts';
import { refusedCombinations } from './refused-combinations.ts';
import { settings } from './shapes.ts';

describe('readSettings', () => {
  it('takes a flag before a variable before a default, and the family prefix last', () => {
    const env = {
      HIVEKEEP_SWARM: 'from-env',
      SWARMCLI_CD_SWARM: 'from-family',
      SWARMCLI_CD_RECONCILE_INTERVAL: '1m',
      HIVEKEEP_PRUNE: 'true',
    };
    expect(readSettings(settings.up, { swarm: 'from-flag' }, env).swarm).toBe('from-flag');
    const read = readSettings(settings.up, {}, env);
    expect(read).toMatchObject({ swarm: 'from-env', reconcileInterval: 60_000, appsetInterval: 180_000, prune: true, home: true });
  });

  it('reads lists from commas', () => {
    const env = { HIVEKEEP_NODE: 'a=unix:///a.sock, b=tcp://10.0.0.2:2375' };
    expect(readSettings(settings.up, {}, env).node).toEqual(['a=unix:///a.sock', 'b=tcp://10.0.0.2:2375']);
  });

  it('tells every problem at once, by the name a person typed', () => {
    const env = { HIVEKEEP_PRUNE: 'maybe' };
    const flags = { reconcileInterval: '0s', appsetInterval: '5', controllerId: 'a/b', swarm: 'x.y', logLevel: 'loud', pruneVolumes: true };
    const thrown = (() => {
      try {
        readSettings(settings.up, flags, env);
      } catch (error) {
        return HivekeepError.from(error);
      }
      return undefined;
    })();
    expect(thrown?.code).toBe('usage/invalid');
    const named = thrown?.issues?.map((issue) => issue.path);
    expect(named).toEqual(
      expect.arrayContaining([
        '--reconcile-interval',
        '--appset-interval',
        '--controller-id',
        '--swarm',
        '--log-level',
        'HIVEKEEP_PRUNE',
        '',
      ]),
    );
  });

  it('needs a bus for a single service, without a password in its address', () => {
    expect(() => readSettings(settings.source, {}, {})).toThrow(/1 problem/);
    expect(() => readSettings(settings.source, { nats: ['nats://user:canary@host:4222'] }, {})).toThrow(/1 problem/);
    expect(readSettings(settings.source, { nats: ['nats://host:4222'] }, {}).nats).toEqual(['nats://host:4222']);
  });

  it('keeps tokens out of the flags', () => {
    expect(readSettings(settings.up, {}, { HIVEKEEP_ADMIN_TOKEN: 'x' }).adminToken).toBe('x');
    expect(configReference()).not.toMatch(/`--(admin-token|git-token)[ `]/);
  });
});

describe('refusedCombinations', () => {
  const repo = { appsetRepo: 'https://git.example/set.git', appsetRevision: 'main', appsetPath: 'apps.yaml' };
  it.each<[string, Record<string, unknown>, RegExp | undefined]>([
    ['nothing given', {}, undefined],
    ['Git whole', repo, undefined],
    ['Git and directory', { ...repo, appsetDir: '/set' }, /give one app set/],
    ['file and Git', { ...repo, config: 'a.yaml' }, /give one app set/],
    ['file and directory', { appsetDir: '/set', config: 'a.yaml' }, /give one app set/],
    ['Git without revision', { ...repo, appsetRevision: undefined }, /needs --appset-revision/],
    ['Git without path', { ...repo, appsetPath: undefined }, /needs --appset-path/],
    ['revision alone', { appsetRevision: 'main' }, /needs --appset-repo/],
    ['path alone', { appsetPath: 'a.yaml' }, /needs --appset-repo or --appset-dir/],
    ['volumes without prune', { pruneVolumes: true }, /needs --prune/],
    ['half a TLS pair', { tlsKey: 'k.pem' }, /together/],
    ['two nodes of one name', { node: ['a=unix:///a', 'a=unix:///b'] }, /given twice/],
    ['a node without an address', { node: ['a'] }, /expected NAME=/],
  ])('%s', (_title, given, refusal) => {
    const refused = refusedCombinations(given);
    if (refusal === undefined) expect(refused).toEqual([]);
    else expect(refused).toEqual([expect.stringMatching(refusal)]);
  });
});

it('the configuration reference is what the schemas say', () => {
  expect(readFileSync(join(checkout, 'docs/reference/configuration.md'), 'utf8')).toBe(configReference());
});
