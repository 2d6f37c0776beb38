import type { ContainerSpec, ServiceSpec, TaskSpec } from '@hivekeep/compose';
import type { ReleaseDrift } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { liveService, spec } from '../testing/builders.ts';
import { compareDrift, isCorrectable, type ReleaseDriftContext, rollupDrift, servicesAsDeclared, unknownDrift } from './compare-drift.ts';

const context: ReleaseDriftContext = {
  minor: 51,
  configNames: new Map([['c1', 'shop_cred']]),
  networkNames: new Map([
    ['n1', 'shop_default'],
    ['n2', 'shop_back'],
  ]),
};
const of = (container: ContainerSpec, template: TaskSpec = {}, rest: Partial<ServiceSpec> = {}) =>
  spec('shop_web', container, { template, ...rest });
const drift = (desired: ServiceSpec, live: ServiceSpec, rest: Partial<ReleaseDriftContext> = {}) =>
  compareDrift([desired], [liveService(live)], { ...context, ...rest });
const rows = (desired: ServiceSpec, live: ServiceSpec) =>
  drift(desired, live).services.flatMap(({ fields }) => fields.map(({ field, desired: want, live: have }) => [field, want, have]));
const file = { Name: 'key', UID: '0', GID: '0', Mode: 292 };
const update = (rest: object) => ({ UpdateConfig: { Parallelism: 1, MaxFailureRatio: 0, ...rest } });

describe('fields of live drift', () => {
  it.each<[string, ServiceSpec, ServiceSpec, [string, string, string][]]>([
    ['image', of({ Image: 'app:1' }), of({ Image: 'app:2@sha256:x' }), [['image', 'app:1', 'app:2@sha256:x']]],
    [
      'D04 mode without counts',
      of({}, {}, { Mode: { Replicated: { Replicas: 3 } } }),
      of({}, {}, { Mode: { Global: {} } }),
      [['mode', 'replicated', 'global']],
    ],
    ['replicas', of({}, {}, { Mode: { Replicated: {} } }), of({}, {}, { Mode: { Replicated: { Replicas: 4 } } }), [['replicas', '1', '4']]],
    [
      'D03 job counts',
      of({}, {}, { Mode: { ReplicatedJob: {} } }),
      of({}, {}, { Mode: { ReplicatedJob: { MaxConcurrent: 4, TotalCompletions: 9 } } }),
      [
        ['maxConcurrent', '1', '4'],
        ['totalCompletions', '1', '9'],
      ],
    ],
    ['limits', of({}, { Resources: { Limits: { NanoCPUs: 5e8 } } }), of({}), [['resources.limits.nanoCPUs', '500000000', '0']]],
    [
      'generic resources',
      of({}, { Resources: { Reservations: { GenericResources: [{ NamedResourceSpec: { Kind: 'gpu', Value: 'a' } }] } } }),
      of({}),
      [['resources.reservations.genericResources', 'gpu=a', '']],
    ],
    [
      'D05 environment without values',
      of({ Env: ['A=canary1', 'B', 'C=1'] }),
      of({ Env: ['A=canary2', 'B=', 'D=canary3'] }),
      [
        ['env[A]', 'set', 'changed'],
        ['env[C]', 'set', 'absent'],
        ['env[D]', 'absent', 'set'],
      ],
    ],
    ['constraints', of({}, { Placement: { Constraints: ['b', 'a'] } }), of({}), [['constraints', 'a, b', '']]],
    ['labels', of({}), of({}, {}, { Labels: { ...spec('shop_web').Labels, tier: 'x' } }), [['labels[tier]', '(absent)', 'x']]],
    ['ports', of({}, {}, { EndpointSpec: { Ports: [{ TargetPort: 80 }] } }), of({}), [['ports[dynamic:80/tcp/ingress]', 'set', 'absent']]],
    ['endpoint mode', of({}, {}, { EndpointSpec: { Mode: 'dnsrr' } }), of({}), [['endpointMode', 'dnsrr', 'vip']]],
    [
      'networks',
      of({}, { Networks: [{ Target: 'shop_default' }] }),
      of({}, { Networks: [{ Target: 'n2' }] }),
      [['networks', 'shop_default', 'shop_back']],
    ],
    [
      'mounts',
      of({ Mounts: [{ Target: '/a', Source: '/x', ReadOnly: true }] }),
      of({ Mounts: [{ Target: '/b', Type: 'volume' }] }),
      [
        ['mounts[/a]', 'bind:/x (read-only)', '(absent)'],
        ['mounts[/b]', '(absent)', 'volume:(anonymous)'],
      ],
    ],
    [
      'secrets',
      of({
        Secrets: [
          { SecretID: 's', SecretName: 's', File: file },
          { SecretID: 's', SecretName: 's', File: { ...file, Name: 'a' } },
        ],
      }),
      of({}),
      [['secrets[s]', 'a, key', '(absent)']],
    ],
    ['configs', of({}), of({ Configs: [{ ConfigID: 'c1', ConfigName: 'c', Runtime: {} }] }), [['configs[c]', '(absent)', '(runtime)']]],
    ['a healthcheck once', of({ Healthcheck: { Test: ['CMD', 'x'], Retries: 3 } }), of({}), [['healthcheck', 'set', 'absent']]],
    [
      'parts of a healthcheck',
      of({ Healthcheck: { Test: ['CMD', 'a b'], Interval: 90e9 } }),
      of({ Healthcheck: { Test: ['CMD', 'c'], Interval: 5e8, StartInterval: 1e9 } }),
      [
        ['healthcheck.test', 'CMD a b', 'CMD c'],
        ['healthcheck.interval', '1m30s', '500ms'],
        ['healthcheck.startInterval', '0s', '1s'],
      ],
    ],
    [
      'an update config',
      of({}, {}, update({ MaxFailureRatio: 0.3 })),
      of({}, {}, update({ FailureAction: 'rollback', Order: 'start-first', MaxFailureRatio: 0.20000000298023224 })),
      [
        ['updateConfig.failureAction', 'pause', 'rollback'],
        ['updateConfig.maxFailureRatio', '0.3', '0.2'],
        ['updateConfig.order', 'stop-first', 'start-first'],
      ],
    ],
    [
      'a restart policy',
      of({}, { RestartPolicy: { Condition: 'none' } }),
      of({}, { RestartPolicy: { Delay: 5e9 } }),
      [
        ['restartPolicy.condition', 'none', 'any'],
        ['restartPolicy.delay', '0s', '5s'],
      ],
    ],
    [
      'preferences in order',
      of({}, { Placement: { Preferences: [{ Spread: { SpreadDescriptor: 'b' } }, { Spread: { SpreadDescriptor: 'a' } }] } }),
      of({}),
      [['placement.preferences', 'b, a', '']],
    ],
    ['init', of({}), of({ Init: false }), [['init', '(unset)', 'false']]],
    ['ulimits', of({ Ulimits: [{ Name: 'nofile', Soft: 1, Hard: 2 }] }), of({}), [['ulimits[nofile]', '1:2', '(absent)']]],
    [
      'dns',
      of({ DNSConfig: { Nameservers: ['1.1.1.1'] } }),
      of({ DNSConfig: { Nameservers: ['8.8.8.8'] } }),
      [['dns.nameservers', '1.1.1.1', '8.8.8.8']],
    ],
    [
      'a log driver',
      of({}, { LogDriver: { Name: 'a', Options: { x: '1' } } }),
      of({}, { LogDriver: { Name: 'b' } }),
      [
        ['logDriver.name', 'a', 'b'],
        ['logDriver.options[x]', '1', '(absent)'],
      ],
    ],
    [
      'privileges',
      of({ Privileges: { CredentialSpec: { Config: 'shop_cred' }, NoNewPrivileges: true } }),
      of({
        Privileges: {
          CredentialSpec: { Config: 'other' },
          Seccomp: { Mode: 'custom', Profile: 'canary4' },
          SELinuxContext: { Disable: true },
        },
      }),
      [
        ['privileges.credentialSpec', 'config=shop_cred', 'config=other'],
        ['privileges.noNewPrivileges', 'true', 'false'],
        ['privileges.seccomp', '', 'custom (custom profile)'],
        ['privileges.selinux', '', 'disabled'],
      ],
    ],
  ])('%s', (_, desired, live, expected) => {
    expect(rows(desired, live)).toEqual(expected);
    expect(rows(live, live)).toEqual([]);
    expect(JSON.stringify(drift(desired, live))).not.toMatch(/canary/);
  });

  it('D06 tells 20 fields and counts the rest', () => {
    const env = Array.from({ length: 30 }, (_, index) => `V${index}=x`);
    const [service] = drift(of({ Env: env }), of({})).services;
    expect([service?.fields.length, service?.truncated]).toEqual([20, 10]);
  });
  it('D07 does not compare attachments it cannot name', () => {
    const [desired, live] = [of({}, { Networks: [{ Target: 'shop_default' }] }), of({}, { Networks: [{ Target: 'gone' }] })];
    expect(drift(desired, live).state).toBe('none');
    expect(drift(desired, of({}), { networkNames: undefined }).state).toBe('none');
    expect(drift(desired, of({}, {}, { Networks: [{ Target: 'n2' }] })).state).toBe('none');
  });
  it('leaves out what an old daemon drops', () => {
    const late = of({ OomScoreAdj: 5, Healthcheck: { StartInterval: 9 }, Privileges: { NoNewPrivileges: true } });
    expect(drift(late, of({ Healthcheck: {} }), { minor: 41 }).state).toBe('none');
    expect(drift(late, of({ Healthcheck: {} })).services[0]?.fields).toHaveLength(3);
  });
});

describe('reasons and rollups', () => {
  const web = of({});
  const changed = of({ User: '1' });
  const updated = (state: string, live = changed) =>
    compareDrift([web], [liveService(live, { updateStatus: { state, message: 'daemon words' } })], context);
  it('D08 D09 D10 tells a rollback only where specs differ', () => {
    for (const state of ['rollback_started', 'rollback_paused', 'rollback_completed']) {
      expect(updated(state).services).toMatchObject([{ reason: 'rolled-back', message: 'daemon words', fields: [{ field: 'user' }] }]);
      expect(isCorrectable(updated(state))).toBe(false);
      expect(updated(state, web).state).toBe('none');
    }
    for (const state of ['paused', 'updating', 'completed']) expect(updated(state).services).toMatchObject([{ reason: 'modified' }]);
  });
  it('D11 tells missing and unexpected services; the latter alone is never corrected', () => {
    const missing = compareDrift([web], [], context);
    expect(missing.services).toEqual([{ name: 'shop_web', reason: 'missing', fields: [] }]);
    expect(isCorrectable(missing)).toBe(true);
    const unexpected = compareDrift([web], [liveService(web), liveService(spec('shop_old'))], {
      ...context,
      orphanedServices: new Set(['shop_old']),
    });
    expect(unexpected.services).toEqual([{ name: 'shop_old', reason: 'unexpected', fields: [], orphaned: true }]);
    expect(isCorrectable(unexpected)).toBe(false);
  });
  it('D08 lets one rolled-back service veto its siblings', () => {
    const db = spec('shop_db');
    const both = compareDrift([web, db], [liveService(changed, { updateStatus: { state: 'rollback_completed', message: '' } })], context);
    expect(both.services.map(({ reason }) => reason)).toEqual(['missing', 'rolled-back']);
    expect(isCorrectable(both)).toBe(false);
    expect(servicesAsDeclared([web, db], both)).toEqual(new Set());
    expect(servicesAsDeclared([web], compareDrift([web], [liveService(web)], context))).toEqual(new Set(['shop_web']));
  });
  it('D13 rolls detected over unknown over none, and is null when nothing was compared', () => {
    const none: ReleaseDrift = { state: 'none', services: [], resources: [] };
    const detected = compareDrift([web], [liveService(changed)], context);
    expect(rollupDrift(new Map())).toBeNull();
    expect(rollupDrift(new Map([['a', none]]))).toEqual({ state: 'none', services: 0 });
    expect(
      rollupDrift(
        new Map([
          ['a', none],
          ['b', unknownDrift('no answer')],
        ]),
      ),
    ).toEqual({ state: 'unknown', services: 0, message: 'b: no answer' });
    expect(
      rollupDrift(
        new Map([
          ['b', unknownDrift('x')],
          ['shop', detected],
        ]),
      ),
    ).toEqual({ state: 'detected', services: 1, message: 'shop: 1 service changed' });
    expect(unknownDrift('x', [{ kind: 'config', name: 'c' }])).toMatchObject({ state: 'detected', message: 'x' });
  });
});
