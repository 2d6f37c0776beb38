import { isDeepStrictEqual } from 'node:util';
import { labels } from '@hivekeep/application';
import { labCorner, testImage, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { startController } from './support/controller.ts';
import { stackFile } from './support/stack-file.ts';

type Patch = { readonly [key: string]: unknown };
/** What changes in the compose file, where the daemon keeps it in the service's spec, and what must be there then. */
type Change = readonly [name: string, patch: Patch, path: string, kept: unknown];

const second = 1_000_000_000;
const container = 'TaskTemplate.ContainerSpec';
const deploy = (patch: Patch): Patch => ({ deploy: patch });

const changes: readonly Change[] = [
  ['image', { image: `${testImage}2` }, `${container}.Image`, `${testImage}2`],
  ['entrypoint', { entrypoint: ['/bin/env'] }, `${container}.Command`, ['/bin/env']],
  ['command', { command: ['sleep', '2'] }, `${container}.Args`, ['sleep', '2']],
  ['environment', { environment: { A: '2', B: '' } }, `${container}.Env`, ['A=2', 'B=']],
  ['hostname', { hostname: 'h{{.Task.Slot}}' }, `${container}.Hostname`, 'h{{.Task.Slot}}'],
  ['user', { user: '12:13' }, `${container}.User`, '12:13'],
  ['working_dir', { working_dir: '/tmp' }, `${container}.Dir`, '/tmp'],
  ['labels', { labels: { a: '2' } }, `${container}.Labels.a`, '2'],
  ['init', { init: false }, `${container}.Init`, false],
  ['stop_signal', { stop_signal: 'SIGINT' }, `${container}.StopSignal`, 'SIGINT'],
  ['stop_grace_period', { stop_grace_period: '7s' }, `${container}.StopGracePeriod`, 7 * second],
  ['tty', { tty: true }, `${container}.TTY`, true],
  ['stdin_open', { stdin_open: true }, `${container}.OpenStdin`, true],
  ['read_only', { read_only: true }, `${container}.ReadOnly`, true],
  ['dns', { dns: ['10.0.0.2'] }, `${container}.DNSConfig.Nameservers`, ['10.0.0.2']],
  ['dns_search', { dns_search: ['a.test'] }, `${container}.DNSConfig.Search`, ['a.test']],
  ['extra_hosts', { extra_hosts: ['a.test:10.0.0.25'] }, `${container}.Hosts`, ['10.0.0.25 a.test']],
  ['sysctls', { sysctls: { 'net.core.somaxconn': '512' } }, `${container}.Sysctls`, { 'net.core.somaxconn': '512' }],
  ['ulimits', { ulimits: { nofile: { soft: 5, hard: 9 } } }, `${container}.Ulimits`, [{ Name: 'nofile', Soft: 5, Hard: 9 }]],
  ['cap_add', { cap_add: ['NET_ADMIN'] }, `${container}.CapabilityAdd`, ['CAP_NET_ADMIN']],
  ['cap_drop', { cap_drop: ['CHOWN'] }, `${container}.CapabilityDrop`, ['CAP_CHOWN']],
  ['isolation', { isolation: 'process' }, `${container}.Isolation`, 'process'],
  ['healthcheck.test', { healthcheck: { test: ['CMD', 'true'] } }, `${container}.Healthcheck.Test`, ['CMD', 'true']],
  ['healthcheck.interval', { healthcheck: { interval: '9s' } }, `${container}.Healthcheck.Interval`, 9 * second],
  ['healthcheck.timeout', { healthcheck: { timeout: '8s' } }, `${container}.Healthcheck.Timeout`, 8 * second],
  ['healthcheck.retries', { healthcheck: { retries: 7 } }, `${container}.Healthcheck.Retries`, 7],
  ['healthcheck.start_period', { healthcheck: { start_period: '6s' } }, `${container}.Healthcheck.StartPeriod`, 6 * second],
  ['logging.driver', { logging: { driver: 'json-file' } }, 'TaskTemplate.LogDriver.Name', 'json-file'],
  ['logging.options', { logging: { options: { 'max-file': '3' } } }, 'TaskTemplate.LogDriver.Options', { 'max-file': '3' }],
  ['aliases', { networks: { back: { aliases: ['b'] } } }, 'TaskTemplate.Networks.0.Aliases.0', 'b'],
  ['config target', { configs: [{ ...reference('conf'), target: '/c2' }] }, `${container}.Configs.0.File.Name`, '/c2'],
  ['config uid', { configs: [{ ...reference('conf'), target: '/c2', uid: '5' }] }, `${container}.Configs.0.File.UID`, '5'],
  ['config gid', { configs: [{ ...reference('conf'), target: '/c2', gid: '6' }] }, `${container}.Configs.0.File.GID`, '6'],
  ['config mode', { configs: [{ ...reference('conf'), target: '/c2', mode: 0o440 }] }, `${container}.Configs.0.File.Mode`, 0o440],
  ['secret target', { secrets: [{ ...reference('key'), target: 'k2' }] }, `${container}.Secrets.0.File.Name`, 'k2'],
  ['secret uid', { secrets: [{ ...reference('key'), target: 'k2', uid: '5' }] }, `${container}.Secrets.0.File.UID`, '5'],
  ['secret gid', { secrets: [{ ...reference('key'), target: 'k2', gid: '6' }] }, `${container}.Secrets.0.File.GID`, '6'],
  ['secret mode', { secrets: [{ ...reference('key'), target: 'k2', mode: 0o400 }] }, `${container}.Secrets.0.File.Mode`, 0o400],
  ['volume read_only', { volumes: [volume({ read_only: true })] }, `${container}.Mounts.0.ReadOnly`, true],
  ['volume nocopy', { volumes: [volume({ volume: { nocopy: true } })] }, `${container}.Mounts.0.VolumeOptions.NoCopy`, true],
  ['volume target', { volumes: [volume({ target: '/other' })] }, `${container}.Mounts.0.Target`, '/other'],
  [
    'tmpfs size',
    { volumes: [volume(), { type: 'tmpfs', target: '/t', tmpfs: { size: 1024 } }] },
    `${container}.Mounts.1.TmpfsOptions.SizeBytes`,
    1024,
  ],
  [
    'bind propagation',
    { volumes: [volume(), { type: 'bind', source: '/srv/hk', target: '/b', bind: { propagation: 'rslave' } }] },
    `${container}.Mounts.1.BindOptions.Propagation`,
    'rslave',
  ],
  ['ports', { ports: [{ target: 80 }] }, 'EndpointSpec.Ports.0.TargetPort', 80],
  ['ports protocol', { ports: [{ target: 80, protocol: 'udp' }] }, 'EndpointSpec.Ports.0.Protocol', 'udp'],
  ['ports mode', { ports: [{ target: 80, mode: 'host' }] }, 'EndpointSpec.Ports.0.PublishMode', 'host'],
  ['ports published', { ports: [{ target: 80, published: 38080, mode: 'host' }] }, 'EndpointSpec.Ports.0.PublishedPort', 38080],
  ['deploy.labels', deploy({ labels: { b: '2' } }), 'Labels.b', '2'],
  ['endpoint_mode', deploy({ endpoint_mode: 'dnsrr' }), 'EndpointSpec.Mode', 'dnsrr'],
  ['limits.cpus', deploy({ resources: { limits: { cpus: '0.25' } } }), 'TaskTemplate.Resources.Limits.NanoCPUs', second / 4],
  ['limits.memory', deploy({ resources: { limits: { memory: '32M' } } }), 'TaskTemplate.Resources.Limits.MemoryBytes', 32 << 20],
  ['limits.pids', deploy({ resources: { limits: { pids: 44 } } }), 'TaskTemplate.Resources.Limits.Pids', 44],
  [
    'reservations.cpus',
    deploy({ resources: { reservations: { cpus: '0.1' } } }),
    'TaskTemplate.Resources.Reservations.NanoCPUs',
    second / 10,
  ],
  [
    'reservations.memory',
    deploy({ resources: { reservations: { memory: '16M' } } }),
    'TaskTemplate.Resources.Reservations.MemoryBytes',
    16 << 20,
  ],
  [
    'restart_policy.condition',
    deploy({ restart_policy: { condition: 'on-failure' } }),
    'TaskTemplate.RestartPolicy.Condition',
    'on-failure',
  ],
  ['restart_policy.delay', deploy({ restart_policy: { delay: '3s' } }), 'TaskTemplate.RestartPolicy.Delay', 3 * second],
  ['restart_policy.max_attempts', deploy({ restart_policy: { max_attempts: 4 } }), 'TaskTemplate.RestartPolicy.MaxAttempts', 4],
  ['restart_policy.window', deploy({ restart_policy: { window: '11s' } }), 'TaskTemplate.RestartPolicy.Window', 11 * second],
  [
    'placement.constraints',
    deploy({ placement: { constraints: ['node.role == manager'] } }),
    'TaskTemplate.Placement.Constraints',
    ['node.role == manager'],
  ],
  [
    'placement.preferences',
    deploy({ placement: { preferences: [{ spread: 'node.labels.rack' }] } }),
    'TaskTemplate.Placement.Preferences',
    [{ Spread: { SpreadDescriptor: 'node.labels.rack' } }],
  ],
  ['placement.max_replicas_per_node', deploy({ placement: { max_replicas_per_node: 2 } }), 'TaskTemplate.Placement.MaxReplicas', 2],
  ...updates('update_config', 'UpdateConfig'),
  ...updates('rollback_config', 'RollbackConfig'),
  ['replicas', deploy({ replicas: 1, placement: { constraints: ['node.labels.none == x'] } }), 'Mode.Replicated.Replicas', 1],
];

function reference(source: string) {
  return { source, target: source };
}

function volume(more: Patch = {}) {
  return { type: 'volume', source: 'data', target: '/data', ...more };
}

function updates(key: string, field: string): Change[] {
  const change = (patch: Patch) => deploy({ [key]: patch });
  return [
    [`${key}.parallelism`, change({ parallelism: 3 }), `${field}.Parallelism`, 3],
    [`${key}.delay`, change({ delay: '2s' }), `${field}.Delay`, 2 * second],
    [`${key}.failure_action`, change({ failure_action: 'continue' }), `${field}.FailureAction`, 'continue'],
    [`${key}.monitor`, change({ monitor: '4s' }), `${field}.Monitor`, 4 * second],
    [`${key}.max_failure_ratio`, change({ max_failure_ratio: 0.25 }), `${field}.MaxFailureRatio`, 0.25],
    [`${key}.order`, change({ order: 'start-first' }), `${field}.Order`, 'start-first'],
  ];
}

/** Sets what the patch has; mappings member by member, anything else whole. */
function patched(base: Patch, patch: Patch): Patch {
  const isMapping = (value: unknown): value is Patch => typeof value === 'object' && value !== null && !Array.isArray(value);
  const set = ([key, value]: [string, unknown]) => {
    const old = base[key];
    return [key, isMapping(old) && isMapping(value) ? patched(old, value) : value];
  };
  return { ...base, ...Object.fromEntries(Object.entries(patch).map(set)) };
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown> | null | undefined)?.[key], value);
}

/** A service for each change, which has had all changes before it: one apply writes every field. */
function rowsOf(base: Patch) {
  let web = base;
  return changes.map(([name, patch, path, kept], index) => {
    const before = web;
    web = patched(web, patch);
    return { name, service: `s${index}`, before, after: web, path, kept };
  });
}

test('each field of a service that changes is written once and stays as it was written', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const app = corner.name('app');
  const rows = rowsOf({
    image: testImage,
    networks: { back: {} },
    volumes: [volume()],
    configs: [reference('conf')],
    secrets: [reference('key')],
    deploy: { replicas: 0 },
  });
  expect(rows.filter(({ before, after }) => isDeepStrictEqual(before, after)).map(({ name }) => name)).toEqual([]);
  const definitions = {
    networks: { back: {} },
    volumes: { data: {} },
    configs: { conf: { file: './conf' } },
    secrets: { key: { file: './key' } },
  };
  const file = (of: 'before' | 'after') => ({
    [`${app}.yaml`]: stackFile(Object.fromEntries(rows.map((row) => [row.service, row[of]])), definitions),
  });
  const allow = { hostPaths: ['/srv/hk'] };
  await controller.declare([{ name: app, driftDetection: 'live', allow }], { ...file('before'), conf: 'c', key: 'k' });
  expect((await controller.sync(app)).error).toBeUndefined();

  await controller.apps.commit(file('after'));
  controller.proxy.forget();
  expect((await controller.sync(app)).error).toBeUndefined();
  const written = controller.objectWrites().flatMap(({ path }) => (/^\/(services|networks)\//.test(path) ? [path] : []));
  controller.proxy.forget();
  const again = await controller.sync(app);
  expect(controller.objectWrites()).toEqual([]);
  expect({ warnings: again.warnings, drift: again.releases?.[0]?.drift?.services }).toEqual({ drift: [] });

  const services = await corner.docker.listServices({ filters: { label: [`${labels.stack}=${app}`] } });
  const live = new Map(services.map(({ ID, Spec }) => [Spec?.Name, { id: ID, spec: Spec }]));
  const found = rows.map(({ name, service, path }) => {
    const { id, spec } = live.get(`${app}_${service}`) ?? {};
    return { name, writes: written.filter((one) => one === `/services/${id}/update`).length, kept: at(spec, path) };
  });
  expect(found).toEqual(rows.map(({ name, kept }) => ({ name, writes: 1, kept })));
  expect(written).toHaveLength(rows.length);
});
