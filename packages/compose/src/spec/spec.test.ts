// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import { HivekeepError, type Issue } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import type { LoadInput, StackObjects } from '../api.ts';
import { lintCompose } from '../lint-compose.ts';
import { deploy, type Files, load, memoryReader, service } from '../testing/memory-stack.ts';

const spec = (files: Files, options: Partial<LoadInput> = {}): Promise<StackObjects> =>
  deploy(files, { files: ['compose.yml'], dialect: 'spec', ...options });

/** The service of one file, as it is sent. */
async function web(file: string, options: Partial<LoadInput> = {}, more: Files = {}) {
  const { services, ...rest } = await spec({ 'compose.yml': file, ...more }, options);
  const found = services.find(({ Name }) => Name === 'demo_web');
  return { ...rest, service: found, container: found?.TaskTemplate.ContainerSpec };
}

async function issuesOf(files: Files, options: Partial<LoadInput> = {}): Promise<readonly Issue[]> {
  const error = await spec(files, options).catch((thrown: unknown) => thrown);
  return HivekeepError.is(error, 'compose/invalid', 'compose/unsupported') ? (error.issues ?? []) : [];
}

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
    const { service: found, container, configs } = await web(file, {}, { 'c.txt': 'hello' });
    expect(found?.EndpointSpec?.Ports).toEqual([{ Protocol: 'tcp', TargetPort: 80, PublishedPort: 80, PublishMode: 'ingress' }]);
    expect(container?.Configs).toMatchObject([{ ConfigName: 'demo_c', File: { Name: '/c', Mode: 0o755 } }]);
    expect(configs).toMatchObject([{ Name: 'demo_c', Data: Buffer.from('hello').toString('base64') }]);
  });

  it.each<[string, string, object]>([
    ['string ports', 'ports: [{target: "80", published: "8080"}]', { EndpointSpec: { Ports: [{ TargetPort: 80, PublishedPort: 8080 }] } }],
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
    expect((await web(service(line))).service).toMatchObject(expected);
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
    expect((await web(file)).networks).toMatchObject([
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
    const { container } = await web(service(`hostname: "h${text}"`), { env: { A: 'va', E: '' } });
    expect(container?.Hostname).toBe(`h${value}`);
  });

  it('refuses a variable without a value, with its place', async () => {
    expect(await issuesOf({ 'compose.yml': service('hostname: "${TAG}"') })).toMatchObject([
      { file: 'compose.yml', line: 4, path: 'services.web.hostname', message: expect.stringContaining('TAG') },
    ]);
  });
});

describe('env files', () => {
  const env = (files: string) => service(`env_file: ${files}`);

  it('one that is not required may be missing, another one not', async () => {
    expect((await web(env('[{path: ./none.env, required: false}]'))).container?.Env).toBeUndefined();
    expect(await issuesOf({ 'compose.yml': env('[./none.env]') })).toMatchObject([
      { path: 'services.web.env_file[0]', message: expect.stringContaining('none.env') },
    ]);
  });

  it('have quotes, comments and references; a name without a value is left out', async () => {
    const text = 'A=1 # one\nB=\nC\nD\nexport E="x\\ny"\nF=\'$A\'\nG=${A}2\nH="two\nlines"\n';
    const { container } = await web(env('a.env'), { env: { C: 'c' } }, { 'a.env': text });
    expect(container?.Env).toEqual(['A=1', 'B=', 'C=c', 'E=x\ny', 'F=$A', 'G=12', 'H=two\nlines']);
    const { warnings } = await load({ 'compose.yml': env('a.env'), 'a.env': 'D\n' }, { dialect: 'spec' });
    expect(warnings).toMatchObject([{ rule: 'unset-variable', message: expect.stringContaining('D of a.env') }]);
  });

  it('raw ones are read as the docker CLI reads them', async () => {
    const { container } = await web(env('[{path: a.env, format: raw}]'), {}, { 'a.env': 'A="1" # x\n' });
    expect(container?.Env).toEqual(['A="1" # x']);
  });
});

describe('several files', () => {
  const merge = async (base: readonly string[], over: readonly string[]) => {
    const files = {
      'compose.yml': service(...base),
      'b.yml': ['services:', '  web:', ...over.map((line) => `    ${line}`), ''].join('\n'),
    };
    const { services } = await spec(files, { files: ['compose.yml', 'b.yml'] });
    return services[0];
  };

  it.each<[string, string, string, object]>([
    [
      'ports of two protocols stay',
      'ports: ["443:443", "443:443/udp"]',
      'environment: {X: "1"}',
      { EndpointSpec: { Ports: [{ Protocol: 'tcp' }, { Protocol: 'udp' }] } },
    ],
    [
      'ports that are not published stay',
      'ports: ["80", "443"]',
      'labels: {k: v}',
      { EndpointSpec: { Ports: [{ TargetPort: 80 }, { TargetPort: 443 }] } },
    ],
    ['zero overrides', 'deploy: {replicas: 3}', 'deploy: {replicas: 0}', { Mode: { Replicated: { Replicas: 0 } } }],
    [
      'a list and a mapping are one environment',
      'environment: [A=1, B=2]',
      'environment: {B: 3}',
      { TaskTemplate: { ContainerSpec: { Env: ['A=1', 'B=3'] } } },
    ],
    ['commands are replaced', 'command: [a, b]', 'command: [c]', { TaskTemplate: { ContainerSpec: { Args: ['c'] } } }],
    ['!override replaces', 'ports: ["80"]', 'ports: !override ["81"]', { EndpointSpec: { Ports: [{ TargetPort: 81 }] } }],
    [
      'a mount of one target is replaced',
      'tmpfs: /run',
      'volumes: [{type: bind, source: /srv, target: /run}]',
      { TaskTemplate: { ContainerSpec: { Mounts: [{ Type: 'bind', Target: '/run' }] } } },
    ],
  ])('%s', async (_name, base, over, expected) => {
    expect(await merge([base], [over])).toMatchObject(expected);
  });

  it('!reset takes away', async () => {
    expect(
      (await merge(['ports: ["80"]', 'environment: {A: a, B: b}'], ['ports: !reset []', 'environment: {A: !reset null}']))?.EndpointSpec,
    ).toEqual({});
    expect((await merge(['environment: {A: a, B: b}'], ['environment: {A: !reset null}']))?.TaskTemplate.ContainerSpec?.Env).toEqual([
      'B=b',
    ]);
  });
});

describe('extends and include', () => {
  it('extends a service of the file and of another one, whose paths start at its folder', async () => {
    const files = {
      'compose.yml': 'services:\n  web: {extends: {service: base, file: lib/base.yml}, environment: {A: own}}\n',
      'lib/base.yml':
        'services:\n  base: {extends: root, env_file: e.env}\n  root: {image: "x:1", environment: {A: a}, volumes: ["./data:/d"]}\n',
      'lib/e.env': 'E=1\n',
    };
    const { services } = await spec(files);
    expect(services.map(({ Name }) => Name)).toEqual(['demo_web']);
    expect(services[0]?.TaskTemplate.ContainerSpec).toMatchObject({
      Image: 'x:1',
      Env: ['A=own', 'E=1'],
      Mounts: [{ Source: './lib/data' }],
    });
  });

  it('says who extends itself, or nothing', async () => {
    expect(
      await issuesOf({ 'compose.yml': 'services:\n  a: {extends: b, image: "x:1"}\n  b: {extends: a, image: "x:1"}\n' }),
    ).toMatchObject([{ message: expect.stringContaining('cannot extend itself') }]);
    expect(await issuesOf({ 'compose.yml': service('extends: base') })).toMatchObject([{ path: 'services.web.extends' }]);
  });

  it('includes a project of its own folder, and refuses one name twice', async () => {
    const included = 'services: {db: {image: "${IMAGE}", configs: [c]}}\nconfigs: {c: {file: c.txt}}\n';
    const files = {
      'compose.yml': `include: [{path: db/compose.yml, env_file: db/.env}]\n${service()}`,
      'db/compose.yml': included,
      'db/.env': 'IMAGE=pg:1\n',
      'db/c.txt': 'x',
    };
    const { services, configs } = await spec(files);
    expect(services.map(({ TaskTemplate }) => TaskTemplate.ContainerSpec?.Image)).toEqual(['pg:1', 'nginx:1.27']);
    expect(configs).toHaveLength(1);
    expect(await issuesOf({ 'compose.yml': `include: [b.yml]\n${service()}`, 'b.yml': service() })).toMatchObject([
      { message: expect.stringContaining('services.web is there already') },
    ]);
    expect(await issuesOf({ 'compose.yml': `include: [compose.yml]\n${service()}` })).toMatchObject([
      { message: expect.stringContaining('compose.yml includes itself') },
    ]);
  });
});

describe('order and choice', () => {
  const file = (web: string, more = '') =>
    `services:\n  web: {image: "x:1", ${web}}\n  api: {image: "x:1", depends_on: [db]}\n  db: {image: "x:1"${more}}\n`;

  it('depends_on becomes waves, unless a label states one', async () => {
    const { waves } = await web(file('depends_on: {api: {condition: service_healthy}}', ', deploy: {labels: {com.hivekeep.wave: "5"}}'));
    expect(waves).toEqual({ demo_web: 7, demo_api: 6, demo_db: 5 });
    expect((await deploy({ 'compose.yml': file('depends_on: [api]') })).waves).toEqual({ demo_web: 0, demo_api: 0, demo_db: 0 });
  });

  it('refuses circles and services that are not there, unless they are not required', async () => {
    expect(await issuesOf({ 'compose.yml': file('depends_on: [api]', ', depends_on: [web]') })).toMatchObject([
      { message: expect.stringContaining('wait for each other') },
    ]);
    expect(await issuesOf({ 'compose.yml': file('depends_on: [none]') })).toMatchObject([{ path: 'services.web.depends_on.none' }]);
    expect(await issuesOf({ 'compose.yml': file('depends_on: {none: {condition: service_started, required: false}}') })).toEqual([]);
  });

  it('runs services of profiles that the declared values name', async () => {
    const names = async (env: Record<string, string>) =>
      (
        await spec({ 'compose.yml': 'services:\n  a: {image: "x:1"}\n  b: {image: "x:1", profiles: [dev, debug]}\n' }, { env })
      ).services.map(({ Name }) => Name);
    expect(await names({})).toEqual(['demo_a']);
    expect(await names({ COMPOSE_PROFILES: 'x, debug' })).toEqual(['demo_a', 'demo_b']);
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
  ])('refuses %s and says why', async (line) => {
    const [issue] = await issuesOf({ 'compose.yml': service(line) });
    expect(issue).toMatchObject({
      path: `services.web.${line.split(':')[0]}`,
      message: expect.stringMatching(/not possible in a swarm: \w/),
    });
  });

  it.each(['build: .', 'container_name: c', 'expose: [80]', 'pull_policy: always', 'platform: linux/arm64', 'develop: {watch: []}'])(
    'warns of %s',
    async (line) => {
      expect(await rulesOf(service(line))).toEqual(['ignored-key']);
    },
  );

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
    ['a healthcheck that never runs', 'healthcheck: {test: [pg_isready, -q]}', 'services.web.healthcheck.test'],
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
