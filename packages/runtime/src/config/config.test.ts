import type { HivekeepError } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeConfig } from './describe-config.ts';
import { parseFlags } from './parse-flags.ts';

const Config = z
  .object({
    swarm: z
      .string()
      .regex(/^[a-z]+$/, 'expected lower-case letters')
      .describe('Name of the swarm.'),
    home: z.boolean().default(false),
    reconcileIntervalMs: z.number().int().positive().default(180_000).describe('Time between passes.'),
    appSetIntervalMs: z.number().positive().default(60_000).meta({ flag: 'appset-interval' }),
    maxStreams: z.number().int().max(100).default(10),
    logFormat: z.enum(['json', 'text']).default('text'),
    allowInsecureGit: z.array(z.string()).default([]),
    tlsCert: z.string().optional(),
    adminToken: z.string().min(8).optional(),
    adminTokenFile: z.string().optional(),
  })
  .refine(({ home, tlsCert }) => !(home && tlsCert), { message: 'tls-cert does not go with home', path: ['tlsCert'] });

const parse = (argv: string[], env: Record<string, string> = {}) => parseFlags(Config, { argv, env });
const problems = (argv: string[], env: Record<string, string> = {}) => {
  try {
    parse(argv, env);
    return [];
  } catch (error) {
    return (error as HivekeepError).message.split('\n');
  }
};

describe('parseFlags', () => {
  it('fills in defaults', () => {
    expect(parse(['--swarm', 'east'])).toEqual({
      swarm: 'east',
      home: false,
      reconcileIntervalMs: 180_000,
      appSetIntervalMs: 60_000,
      maxStreams: 10,
      logFormat: 'text',
      allowInsecureGit: [],
    });
  });

  it.each<[string, string[], Record<string, string>, object]>([
    ['a flag with =', ['--swarm=east'], {}, { swarm: 'east' }],
    ['a value that holds =', ['--swarm', 'east', '--tls-cert=a=b'], {}, { tlsCert: 'a=b' }],
    ['a boolean flag', ['--swarm', 'east', '--home'], {}, { home: true }],
    ['a boolean flag set off', ['--swarm', 'east', '--home=false'], { HIVEKEEP_HOME: '1' }, { home: false }],
    ['durations without their unit in the name', ['--swarm', 'east', '--reconcile-interval', '1m30s'], {}, { reconcileIntervalMs: 90_000 }],
    ['a flag with a name of its own', ['--swarm', 'east', '--appset-interval', '2h'], {}, { appSetIntervalMs: 7_200_000 }],
    [
      'a repeated flag',
      ['--swarm', 'east', '--allow-insecure-git', 'a', '--allow-insecure-git', 'b'],
      {},
      { allowInsecureGit: ['a', 'b'] },
    ],
    [
      'the environment',
      [],
      { HIVEKEEP_SWARM: 'east', HIVEKEEP_ALLOW_INSECURE_GIT: 'a, b' },
      { swarm: 'east', allowInsecureGit: ['a', 'b'] },
    ],
    ['the alias', [], { SWARMCLI_CD_SWARM: 'east', SWARMCLI_CD_APPSET_INTERVAL: '5s' }, { swarm: 'east', appSetIntervalMs: 5_000 }],
    [
      'the flag over the environment over the alias',
      ['--max-streams', '3'],
      { HIVEKEEP_SWARM: 'east', SWARMCLI_CD_SWARM: 'west', HIVEKEEP_MAX_STREAMS: '4' },
      { swarm: 'east', maxStreams: 3 },
    ],
    ['an empty variable as none', ['--swarm', 'east'], { HIVEKEEP_LOG_FORMAT: '' }, { logFormat: 'text' }],
    ['a secret from the environment', ['--swarm', 'east'], { HIVEKEEP_ADMIN_TOKEN: 'canary-1234' }, { adminToken: 'canary-1234' }],
  ])('reads %s', (_case, argv, env, expected) => {
    expect(parse(argv, env)).toMatchObject(expected);
  });

  it.each<[string, string[], Record<string, string>, string[]]>([
    ['a missing value', [], {}, ['--swarm: expected string, found nothing']],
    ['an unknown flag', ['--swarm', 'east', '--colour'], {}, ['unknown flag --colour']],
    ['an argument', ['--swarm', 'east', 'more'], {}, ['unexpected argument "more"']],
    ['a flag without its value', ['--swarm', '--home'], {}, ['--swarm: expected a value, found nothing']],
    ['a flag given twice', ['--swarm', 'east', '--swarm', 'west'], {}, ['--swarm: expected once, found twice']],
    [
      'a bad duration',
      ['--swarm', 'east', '--reconcile-interval', '3 minutes'],
      {},
      ['--reconcile-interval: expected a duration such as 90s or 1h30m, found "3 minutes"'],
    ],
    [
      'a bad variable by its name',
      ['--swarm', 'east'],
      { HIVEKEEP_MAX_STREAMS: 'many' },
      ['HIVEKEEP_MAX_STREAMS: expected a number, found "many"'],
    ],
    [
      'a rule over two flags',
      ['--swarm', 'east', '--home', '--tls-cert', 'x'],
      {},
      ['--tls-cert: tls-cert does not go with home, found "x"'],
    ],
    [
      'everything at once',
      ['--swarm', 'EAST', '--home=perhaps'],
      { HIVEKEEP_LOG_FORMAT: 'xml' },
      [
        '--home: expected true or false, found "perhaps"',
        '--swarm: expected lower-case letters, found "EAST"',
        'HIVEKEEP_LOG_FORMAT: Invalid option: expected one of "json"|"text", found "xml"',
      ],
    ],
    [
      'a secret as an argument',
      ['--swarm', 'east', '--admin-token=canary-1234'],
      {},
      ['--admin-token: a secret is no argument: use --admin-token-file, or HIVEKEEP_ADMIN_TOKEN in the environment'],
    ],
  ])('refuses %s', (_case, argv, env, expected) => {
    expect(problems(argv, env)).toEqual(expected);
  });

  it('never shows the value of a secret', () => {
    expect(problems(['--swarm', 'east'], { HIVEKEEP_ADMIN_TOKEN: 'canary' }).join()).toMatch(/^HIVEKEEP_ADMIN_TOKEN: (?!.*canary)/);
    expect(problems(['--swarm', 'east', '--admin-token', 'canary-1234']).join()).toMatch(/^--admin-token: a secret (?!.*canary)/);
    expect(problems(['--swarm', 'east', '--password', 'canary-1234'])).toEqual(['unknown flag --password']);
  });
});

describe('describeConfig', () => {
  it('names flag, variables, type, default and meaning', () => {
    const rows = describeConfig(Config);
    expect(rows[0]).toEqual({
      flag: '--swarm',
      variable: 'HIVEKEEP_SWARM',
      alias: 'SWARMCLI_CD_SWARM',
      type: 'text',
      default: '',
      required: true,
      description: 'Name of the swarm.',
    });
    expect(rows[2]).toMatchObject({ flag: '--reconcile-interval', type: 'duration', default: '3m0s', required: false });
    expect(rows.find(({ variable }) => variable === 'HIVEKEEP_ADMIN_TOKEN')?.flag).toBe('');
  });
});
