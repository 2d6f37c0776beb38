// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import { describe, expect, it } from 'vitest';
import type { LoadInput } from '../api.ts';
import { lintCompose } from '../lint-compose.ts';
import { load, memoryReader, service } from '../testing/memory-stack.ts';
import { deploySpec, deployWeb, issuesOf } from '../testing/spec-stack.ts';

const rulesOf = async (file: string, options: Partial<LoadInput> = {}) =>
  (await load({ 'compose.yml': file }, { dialect: 'spec', ...options })).warnings.map(({ rule }) => rule);

describe('what the docker CLI refuses and the compose specification has', () => {
  it('reads what docker compose config prints', async () => {
    const file = [
      'name: demo',
      'services:',
      '  web:',
      '    image: x:1',
      '    networks: {default: null}',
      '    ports: [{mode: ingress, target: 80, published: "80", protocol: tcp}]',
      '    configs: [{source: c, target: /c, mode: "0755"}]',
      'networks: {default: {name: demo_default}}',
      'configs: {c: {name: demo_c, file: ./c.txt}}',
    ].join('\n');
    const { service: found, container, configs } = await deployWeb(file, {}, { 'c.txt': 'hello' });
    expect(found?.EndpointSpec?.Ports).toEqual([{ Protocol: 'tcp', TargetPort: 80, PublishedPort: 80, PublishMode: 'ingress' }]);
    expect(container?.Configs).toMatchObject([{ ConfigName: 'demo_c', File: { Name: '/c', Mode: 0o755 } }]);
    expect(configs).toMatchObject([{ Name: 'demo_c', Data: Buffer.from('hello').toString('base64') }]);
  });

  it.each<[string, string, object]>([
    ['string ports', 'ports: [{target: "80", published: "8080"}]', { EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: 8080 }] } }],
    [
      'hosts with several addresses',
      'extra_hosts: {b: ["1.1.1.1", "::1"], a: 2.2.2.2}',
      { TaskTemplate: { ContainerSpec: { Hosts: ['2.2.2.2 a', '1.1.1.1 b', '::1 b'] } } },
    ],
    ['extensions within mappings', 'ports: [{target: 80, published: "80", x-a: b}]', { EndpointSpec: { Ports: [{ TargetPort: 80 }] } }],
    ['limits beside deploy', 'mem_limit: 64m', { TaskTemplate: { Resources: { Limits: { MemoryBytes: 64 << 20 } } } }],
    ['a number of CPUs', 'cpus: 0.5', { TaskTemplate: { Resources: { Limits: { NanoCPUs: 500_000_000 } } } }],
    ['pids', 'pids_limit: 20', { TaskTemplate: { Resources: { Limits: { Pids: 20 } } } }],
    ['scale', 'scale: 3', { Mode: { Replicated: { Replicas: 3 } } }],
    ['texts for numbers', 'deploy: {replicas: "2"}', { Mode: { Replicated: { Replicas: 2 } } }],
    ['oom_score_adj', 'oom_score_adj: -500', { TaskTemplate: { ContainerSpec: { OomScoreAdj: -500 } } }],
    ['groups', 'group_add: [mail, 44]', { TaskTemplate: { ContainerSpec: { Groups: ['mail', '44'] } } }],
    ['dns_opt', 'dns_opt: [use-vc]', { TaskTemplate: { ContainerSpec: { DNSConfig: { Options: ['use-vc'] } } } }],
    [
      'ulimits',
      'ulimits: {nproc: 9, nofile: {soft: 1, hard: 2}}',
      { TaskTemplate: { ContainerSpec: { Ulimits: [{ Soft: 1, Hard: 2 }, { Soft: 9 }] } } },
    ],
    [
      'tmpfs',
      'tmpfs: ["/run:size=1m,mode=1777"]',
      {
        TaskTemplate: {
          ContainerSpec: { Mounts: [{ Type: 'tmpfs', Target: '/run', TmpfsOptions: { SizeBytes: 1 << 20, Mode: 0o1777 } }] },
        },
      },
    ],
    [
      'shm_size',
      'shm_size: 2m',
      { TaskTemplate: { ContainerSpec: { Mounts: [{ Target: '/dev/shm', TmpfsOptions: { SizeBytes: 2 << 20 } }] } } },
    ],
    [
      'security_opt',
      'security_opt: ["no-new-privileges:true", "seccomp=unconfined"]',
      { TaskTemplate: { ContainerSpec: { Privileges: { NoNewPrivileges: true, Seccomp: { Mode: 'unconfined' } } } } },
    ],
  ])('%s', async (_name, line, expected) => {
    expect((await deployWeb(service(line))).service).toMatchObject(expected);
  });

  it('contents that stand in the file, or in declared values alone', async () => {
    const file = `${service('configs: [a]', 'secrets: [s]')}configs: {a: {content: "in\${X}"}}\nsecrets: {s: {environment: KEY}}\n`;
    const loaded = await load({ 'compose.yml': file }, { dialect: 'spec', env: { X: 'line', KEY: 'k' } });
    expect(Buffer.from(loaded.configs.get('a') ?? '').toString()).toBe('inline');
    expect(Buffer.from(loaded.secrets.get('s') ?? '').toString()).toBe('k');
    expect(JSON.stringify(loaded.document)).not.toContain('inline');
    expect(await issuesOf({ 'compose.yml': file }, { env: { X: 'line' } })).toMatchObject([{ path: 'secrets.s.environment' }]);
  });

  it('networks with address pools and IPv6', async () => {
    const file = `${service()}networks: {default: {enable_ipv6: true, ipam: {config: [{subnet: 10.1.0.0/24, gateway: 10.1.0.1, ip_range: 10.1.0.0/25}]}}}\n`;
    expect((await deployWeb(file)).networks).toMatchObject([
      { EnableIPv6: true, IPAM: { Config: [{ Subnet: '10.1.0.0/24', Gateway: '10.1.0.1', IPRange: '10.1.0.0/25' }] } },
    ]);
  });
});

describe('interpolation', () => {
  it.each([
    ['${A:+x}', 'x'],
    ['${E:+x}', ''],
    ['${E+x}', 'x'],
    ['${U+x}', ''],
    ['${U:-${A}}', 'va'],
    ['${U:-$A}', 'va'],
    ['${U:-a${E:-b}c}', 'abc'],
    ['$$A', '$A'],
    ['${U-}', ''],
  ])('%s is %j', async (text, value) => {
    const { container } = await deployWeb(service(`hostname: "h${text}"`), { env: { A: 'va', E: '' } });
    expect(container?.Hostname).toBe(`h${value}`);
  });

  it('gives a service with a dot in its name the types that other ones get', async () => {
    const { services } = await deploySpec({ 'compose.yml': service('tty: "${T}"').replace('web:', 'a.b:') }, { env: { T: 'true' } });
    expect(services[0]?.TaskTemplate.ContainerSpec?.TTY).toBe(true);
  });

  it('refuses a variable without a value, with its place', async () => {
    expect(await issuesOf({ 'compose.yml': service('hostname: "${TAG}"') })).toMatchObject([
      { file: 'compose.yml', line: 4, path: 'services.web.hostname', message: expect.stringContaining('TAG') },
    ]);
  });
});

describe('what a swarm cannot do', () => {
  it.each([
    'privileged: true',
    'devices: [/dev/fuse]',
    'network_mode: host',
    'pid: host',
    'gpus: all',
    'ipc: host',
    'runtime: nvidia',
    'volumes_from: [db]',
    'provider: {type: x}',
  ])('refuses %s and says why', async (line) => {
    const [issue] = await issuesOf({ 'compose.yml': service(line) });
    expect(issue).toMatchObject({
      path: `services.web.${line.split(':')[0]}`,
      message: expect.stringMatching(/not possible in a swarm: \w/),
    });
  });

  it.each([
    [
      'services.web.deploy.resources.reservations.devices',
      service('deploy: {resources: {reservations: {devices: [{capabilities: [gpu]}]}}}'),
    ],
    ['services.web.volumes[0].image', service('volumes: [{type: image, source: "a:1", target: /i, image: {subpath: x}}]')],
    ['models', `${service()}models: {m: {model: a}}\n`],
  ])('refuses %s and says why', async (path, file) => {
    expect(await issuesOf({ 'compose.yml': file })).toMatchObject([
      { path, message: expect.stringMatching(/not possible in a swarm: \w/) },
    ]);
  });

  it.each([
    'build: .',
    'cgroupns_mode: host',
    'container_name: c',
    'expose: [80]',
    'pull_policy: always',
    'platform: linux/arm64',
    'develop: {watch: []}',
  ])('warns of %s', async (line) => {
    expect(await rulesOf(service(line))).toEqual(['ignored-key']);
  });

  it('takes what is off for what it is', async () => {
    expect(await rulesOf(service('privileged: false', 'devices: []'))).toEqual([]);
  });

  it('says what it does about other things', async () => {
    expect(
      await rulesOf(`version: "2.4"\nname: other\n${service('ports: ["127.0.0.1:80:80"]')}networks: {default: {driver: bridge}}\n`),
    ).toEqual(['port-address', 'network-driver', 'version-obsolete', 'stack-name']);
  });

  it.each([
    ['a mode that is surely octal', 'secrets: [{source: s, target: s, mode: 400}]', 'services.web.secrets[0]'],
    ['such a mode of a tmpfs', 'volumes: [{type: tmpfs, target: /t, tmpfs: {mode: 1777}}]', 'services.web.volumes[0]'],
    ['a list item that is no text', 'environment: [1]', 'services.web.environment[0]'],
    ['a network that has no name', 'networks: [null]', 'services.web.networks[0]'],
    ['a healthcheck that never runs', 'healthcheck: {test: [pg_isready, -q]}', 'services.web.healthcheck.test'],
    ['a key of an env file that nothing reads', 'env_file: [{path: a, requred: false}]', 'services.web.env_file[0].requred'],
    ['a range where one port is expected', 'ports: [{target: 80, published: "8080-8082"}]', 'services.web.ports[0].published'],
  ])('refuses %s', async (_name, line, path) => {
    expect(await issuesOf({ 'compose.yml': `${service(line)}secrets: {s: {external: true}}\n` })).toMatchObject([{ line: 4, path }]);
  });

  it('finds unknown keys and wrong values with their places', async () => {
    expect(await issuesOf({ 'compose.yml': service('enviroment: {A: a}', 'ports: ["a:b"]') })).toMatchObject([
      { line: 4, path: 'services.web.enviroment', message: expect.stringContaining('did you mean environment?') },
      { line: 5, path: 'services.web.ports[0]' },
    ]);
  });
});

describe('the dialect auto', () => {
  it('reads as the docker CLI, and says when the specification would accept what that refuses', async () => {
    const input = { files: ['compose.yml'], env: {}, dialect: 'auto', stack: 'demo' } as const;
    const lint = (file: string) => lintCompose({ ...input, reader: memoryReader({ 'compose.yml': file }) });
    expect((await lint(service('mem_limit: 1m'))).errors).toMatchObject([
      { path: 'services.web.mem_limit' },
      { rule: 'dialect', message: expect.stringContaining('dialect: spec') },
    ]);
    expect((await lint(service('mem_limt: 1m'))).errors).toHaveLength(1);
    expect((await lint(service())).errors).toEqual([]);
  });
});
