import type { ContainerSpec, Mount, ServiceSpec, TaskSpec } from '@hivekeep/compose';
import { describe, expect, it } from 'vitest';
import { type SpecChangesContext, specChanges } from './spec-changes.ts';

const context: SpecChangesContext = {
  apiVersion: '1.41',
  networkNames: new Map([
    ['n1', 'shop_default'],
    ['n2', 'shop_back'],
  ]),
  configIds: new Map([['shop_site', 'c1']]),
  secretIds: new Map([['shop_key', 's1']]),
};

function service(container: ContainerSpec = {}, template: TaskSpec = {}, rest: Partial<ServiceSpec> = {}): ServiceSpec {
  return {
    Name: 'shop_web',
    Labels: { 'com.docker.stack.namespace': 'shop', 'com.docker.stack.image': 'nginx:1' },
    Mode: { Replicated: {} },
    EndpointSpec: {},
    ...rest,
    TaskTemplate: { Resources: {}, Placement: {}, ...template, ContainerSpec: { Image: 'nginx:1', ...container } },
  };
}

/** What an engine 20.10 gives back for `service()`. */
function stored(container: ContainerSpec = {}, template: TaskSpec = {}, rest: Partial<ServiceSpec> = {}): ServiceSpec {
  const spec = service(
    { Secrets: [], Configs: [], Ulimits: [], Isolation: 'default', Image: `nginx:1@sha256:${'a'.repeat(64)}`, ...container },
    { Resources: { Limits: null, Reservations: null }, ForceUpdate: 3, Runtime: 'container', ...template },
    { Mode: { Replicated: { Replicas: 1 } }, EndpointSpec: { Mode: 'vip' }, ...rest },
  );
  const labels = { ...spec.Labels, 'com.hivekeep.owner': 'cd/c/shop:release/shop', 'com.hivekeep.epoch': '7' };
  return { ...spec, Labels: rest.Labels ?? labels };
}

const mount = (options: Partial<Mount> = {}): Mount => ({ Type: 'volume', Source: 'shop_data', Target: '/data', ...options });
const file = { Name: 'x', UID: '0', GID: '0', Mode: 292 };

const kept: [string, ServiceSpec, ServiceSpec][] = [
  ['nothing but defaults', service(), stored()],
  ['an empty privileges struct', service({ Privileges: { CredentialSpec: null, NoNewPrivileges: false } }), stored({ Privileges: {} })],
  [
    'networks by name against ids',
    service({}, { Networks: [{ Target: 'shop_default', Aliases: ['web', 'w'] }, { Target: 'shop_back' }] }),
    stored({}, { Networks: [{ Target: 'n2' }, { Target: 'n1', Aliases: ['w', 'web'] }] }),
  ],
  ['the host network', service({}, { Networks: [{ Target: 'host' }] }), stored({}, { Networks: [{ Target: 'qk3' }] })],
  [
    'references by name against ids',
    service({ Configs: [{ File: file, ConfigID: 'shop_site', ConfigName: 'shop_site' }] }),
    stored({ Configs: [{ File: file, ConfigID: 'c1', ConfigName: 'shop_site' }] }),
  ],
  ['environment in another order', service({ Env: ['A=1', 'B=2'] }), stored({ Env: ['B=2', 'A=1'] })],
  [
    'a job without counts',
    service({}, {}, { Mode: { ReplicatedJob: {} } }),
    stored({}, {}, { Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } } }),
  ],
  [
    'update settings with defaults',
    service({}, {}, { UpdateConfig: { Parallelism: 1, MaxFailureRatio: 0.3 } }),
    stored({}, {}, { UpdateConfig: { Parallelism: 1, MaxFailureRatio: 0.30000001192092896, FailureAction: 'pause', Order: 'stop-first' } }),
  ],
  ['an empty restart condition', service({}, { RestartPolicy: {} }), stored({}, { RestartPolicy: { Condition: 'any', MaxAttempts: 0 } })],
  [
    'ports with defaults',
    service({}, {}, { EndpointSpec: { Ports: [{ TargetPort: 80 }] } }),
    stored({}, {}, { EndpointSpec: { Mode: 'vip', Ports: [{ TargetPort: 80, Protocol: 'tcp', PublishMode: 'ingress' }] } }),
  ],
  ['an isolation the daemon does not know', service({ Isolation: 'foo' }), stored()],
  [
    'ports in other words',
    service({}, {}, { EndpointSpec: { Ports: [{ TargetPort: 80, Protocol: 'UDP', PublishMode: 'foo' }] } }),
    stored({}, {}, { EndpointSpec: { Mode: 'vip', Ports: [{ TargetPort: 80, Protocol: 'udp', PublishMode: 'ingress' }] } }),
  ],
  ['empty bind options', service({ Mounts: [mount({ Type: 'bind', BindOptions: {} })] }), stored({ Mounts: [mount({ Type: 'bind' })] })],
  [
    'a bind without propagation',
    service({ Mounts: [mount({ Type: '', BindOptions: { NonRecursive: true } })] }),
    stored({ Mounts: [mount({ Type: 'bind', BindOptions: { Propagation: 'rprivate', NonRecursive: true } })] }),
  ],
  [
    'volume options of nothing',
    service({ Mounts: [mount({ VolumeOptions: { DriverConfig: { Name: '' } } })] }),
    stored({ Mounts: [mount()] }),
  ],
];

describe('specChanges', () => {
  it.each(kept)('sees no change in %s', (_, desired, live) => {
    expect(specChanges(desired, live, context)).toEqual({ fields: [], restarts: false, unsupported: [] });
  });

  const container: [string, ContainerSpec][] = [
    ['image', { Image: 'nginx:2' }],
    ['containerLabels', { Labels: { a: 'b' } }],
    ['command', { Command: ['a b'] }],
    ['args', { Args: ['x'] }],
    ['hostname', { Hostname: 'h' }],
    ['env', { Env: ['A='] }],
    ['workingDir', { Dir: '/x' }],
    ['user', { User: '1' }],
    ['groups', { Groups: ['2'] }],
    ['privileges.credentialSpec', { Privileges: { CredentialSpec: { Config: 'shop_site' } } }],
    ['privileges.selinux', { Privileges: { SELinuxContext: { Disable: true } } }],
    ['init', { Init: false }],
    ['stopSignal', { StopSignal: 'SIGINT' }],
    ['tty', { TTY: true }],
    ['openStdin', { OpenStdin: true }],
    ['readOnly', { ReadOnly: true }],
    ['mounts', { Mounts: [mount()] }],
    ['stopGracePeriod', { StopGracePeriod: 0 }],
    ['healthcheck', { Healthcheck: { Test: ['NONE'] } }],
    ['hosts', { Hosts: ['1.2.3.4 x'] }],
    ['dns', { DNSConfig: { Nameservers: ['1.1.1.1'] } }],
    ['secrets', { Secrets: [{ File: file, SecretID: 'shop_key', SecretName: 'shop_key' }] }],
    ['configs', { Configs: [{ Runtime: {}, ConfigID: 'shop_site', ConfigName: 'shop_site' }] }],
    ['isolation', { Isolation: 'hyperv' }],
    ['sysctls', { Sysctls: { 'net.core.somaxconn': '1' } }],
    ['capabilityAdd', { CapabilityAdd: ['CAP_NET_ADMIN'] }],
    ['capabilityDrop', { CapabilityDrop: ['ALL'] }],
    ['ulimits', { Ulimits: [{ Name: 'nofile', Soft: 1, Hard: 2 }] }],
  ];
  const template: [string, TaskSpec][] = [
    ['resources.limits', { Resources: { Limits: { Pids: 5 } } }],
    ['resources.reservations', { Resources: { Reservations: { MemoryBytes: 1 } } }],
    [
      'resources.genericResources',
      { Resources: { Reservations: { GenericResources: [{ DiscreteResourceSpec: { Kind: 'gpu', Value: 1 } }] } } },
    ],
    ['restartPolicy', { RestartPolicy: { Condition: 'none' } }],
    ['placement.constraints', { Placement: { Constraints: ['node.role == worker'] } }],
    ['placement.preferences', { Placement: { Preferences: [{ Spread: { SpreadDescriptor: 'node.labels.z' } }] } }],
    ['placement.maxReplicas', { Placement: { MaxReplicas: 1 } }],
    ['networks', { Networks: [{ Target: 'shop_default' }] }],
    ['logDriver', { LogDriver: { Name: 'json-file', Options: { 'max-size': '1m' } } }],
  ];
  it.each(container)('names %s of a container alone, added or removed, and restarts for it', (field, change) => {
    expect(specChanges(service(change), stored(), context)).toMatchObject({ fields: [field], restarts: true });
    const live = stored({ ...change, ...(change.Image && { Image: 'nginx:2' }) });
    expect(specChanges(service(), live, context)).toMatchObject({ fields: [field], restarts: true });
  });
  it.each(template)('names %s of a template alone, and restarts for it', (field, change) => {
    expect(specChanges(service({}, change), stored(), context)).toMatchObject({ fields: [field], restarts: true });
    expect(specChanges(service(), stored({}, change), context)).toMatchObject({ fields: [field], restarts: true });
  });
  it.each<[string, boolean, Partial<ServiceSpec>]>([
    ['ports', true, { EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: 8080 }] } }],
    ['endpointMode', true, { EndpointSpec: { Mode: 'dnsrr' } }],
    ['labels', false, { Labels: { 'com.docker.stack.namespace': 'shop', 'com.docker.stack.image': 'nginx:1', tier: 'x' } }],
    ['mode', false, { Mode: { Replicated: { Replicas: 0 } } }],
    ['updateConfig', false, { UpdateConfig: { Parallelism: 1, MaxFailureRatio: 0 } }],
    ['rollbackConfig', false, { RollbackConfig: { Parallelism: 0, MaxFailureRatio: 0 } }],
  ])('names %s of a service alone (restarts: %s)', (field, restarts, change) => {
    expect(specChanges(service({}, {}, change), stored(), context)).toMatchObject({ fields: [field], restarts });
    expect(specChanges(service(), stored({}, {}, change), context)).toMatchObject({ fields: [field], restarts });
  });

  it.each<[string, Mount, Mount]>([
    ['no-copy', mount({ VolumeOptions: { NoCopy: true } }), mount()],
    ['volume labels', mount({ VolumeOptions: { Labels: { a: '' } } }), mount({ VolumeOptions: {} })],
    [
      'driver options',
      mount({ VolumeOptions: { DriverConfig: { Name: 'local', Options: { o: 'x' } } } }),
      mount({ VolumeOptions: { DriverConfig: { Name: 'local' } } }),
    ],
    ['propagation', mount({ Type: 'bind', BindOptions: { Propagation: 'shared' } }), mount({ Type: 'bind' })],
    ['tmpfs size', mount({ Type: 'tmpfs', Source: '', TmpfsOptions: { SizeBytes: 1 } }), mount({ Type: 'tmpfs', Source: '' })],
    ['read-only', mount({ ReadOnly: true }), mount()],
  ])('writes a mount whose %s changed', (_, want, have) => {
    expect(specChanges(service({ Mounts: [want] }), stored({ Mounts: [have] }), context).fields).toEqual(['mounts']);
  });

  it('writes a mode of a secret, an alias, and a config made again under its name', () => {
    const secret = (mode: number) => ({ Secrets: [{ File: { ...file, Mode: mode }, SecretID: 's1', SecretName: 'shop_key' }] });
    expect(specChanges(service(secret(256)), stored(secret(292)), context).fields).toEqual(['secrets']);
    const net = (alias: string, target: string): TaskSpec => ({ Networks: [{ Target: target, Aliases: [alias] }] });
    expect(specChanges(service({}, net('a', 'shop_default')), stored({}, net('b', 'n1')), context).fields).toEqual(['networks']);
    const config = (id: string) => ({ Configs: [{ File: file, ConfigID: id, ConfigName: 'shop_site' }] });
    expect(specChanges(service(config('shop_site')), stored(config('old')), context).fields).toEqual(['configs']);
  });

  it('leaves out what the daemon is too old to keep, and says so', () => {
    const late = service({
      OomScoreAdj: 5,
      Healthcheck: { Test: ['CMD', 'x'], StartInterval: 9 },
      Privileges: { NoNewPrivileges: true },
      Mounts: [mount({ Consistency: 'cached', VolumeOptions: { Subpath: 'x' } })],
    });
    const live = stored({ Healthcheck: { Test: ['CMD', 'x'] }, Privileges: {}, Mounts: [mount({ VolumeOptions: {} })] });
    expect(specChanges(late, live, context)).toEqual({
      fields: [],
      restarts: false,
      unsupported: [
        'healthcheck.startInterval',
        'oomScoreAdj',
        'privileges.noNewPrivileges',
        'mounts.consistency',
        'mounts.volume.subpath',
      ],
    });
    expect(specChanges(late, live, { ...context, apiVersion: '1.51' })).toMatchObject({
      fields: ['privileges.noNewPrivileges', 'mounts', 'healthcheck', 'oomScoreAdj'],
      unsupported: ['mounts.consistency'],
    });
  });

  it('leaves out what no swarm keeps', () => {
    const bind = (BindOptions: object) => mount({ Type: 'bind', Source: '/a', BindOptions: { Propagation: 'rprivate', ...BindOptions } });
    const wanted = service({ Mounts: [bind({ CreateMountpoint: true, ReadOnlyForceRecursive: true })] });
    expect(specChanges(wanted, stored({ Mounts: [bind({})] }), { ...context, apiVersion: '1.51' })).toEqual({
      fields: [],
      restarts: false,
      unsupported: ['mounts.bind.createMountpoint', 'mounts.bind.readOnlyForceRecursive'],
    });
  });

  it('writes a service that has no container', () => {
    const plugin: ServiceSpec = { Name: 'shop_web', Mode: {}, TaskTemplate: { Runtime: 'plugin' } };
    expect(specChanges(service(), plugin, context).fields).toContain('container');
  });
});
