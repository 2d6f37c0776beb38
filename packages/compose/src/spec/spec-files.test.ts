// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import { describe, expect, it } from 'vitest';
import { deploy, load, service } from '../testing/memory-stack.ts';
import { deploySpec, deployWeb, issuesOf } from '../testing/spec-stack.ts';

describe('env files', () => {
  const env = (files: string) => service(`env_file: ${files}`);

  it('one that is not required may be missing, another one not', async () => {
    expect((await deployWeb(env('[{path: ./none.env, required: false}]'))).container?.Env).toBeUndefined();
    expect(await issuesOf({ 'compose.yml': env('[./none.env]') })).toMatchObject([
      { path: 'services.web.env_file[0]', message: expect.stringContaining('none.env') },
    ]);
  });

  it('have quotes, comments and references; a name without a value is left out', async () => {
    const text = 'A=1 # one\nB=\nC\nD\nexport E="x\\ny"\nF=\'$A\'\nG=${A}2\nH="two\nlines"\n';
    const { container } = await deployWeb(env('a.env'), { env: { C: 'c' } }, { 'a.env': text });
    expect(container?.Env).toEqual(['A=1', 'B=', 'C=c', 'E=x\ny', 'F=$A', 'G=12', 'H=two\nlines']);
    const { warnings } = await load({ 'compose.yml': env('a.env'), 'a.env': 'D\n' }, { dialect: 'spec' });
    expect(warnings).toMatchObject([{ rule: 'unset-variable', message: expect.stringContaining('D of a.env') }]);
  });

  it('raw ones are read as the docker CLI reads them', async () => {
    const { container } = await deployWeb(env('[{path: a.env, format: raw}]'), {}, { 'a.env': 'A="1" # x\n' });
    expect(container?.Env).toEqual(['A="1" # x']);
  });
});

it('labels of files stand under those of the service', async () => {
  const file = service('label_file: [a.labels, b.labels]', 'labels: {C: own}');
  const { container } = await deployWeb(file, {}, { 'a.labels': 'A=a\nB=a\n', 'b.labels': '# one\nB="b c"\nC=b\n' });
  expect(container?.Labels).toMatchObject({ A: 'a', B: 'b c', C: 'own' });
  expect(await issuesOf({ 'compose.yml': service('label_file: none') })).toMatchObject([{ path: 'services.web.label_file[0]' }]);
});

describe('volumes of one letter', () => {
  const mounts = async (text: string) => {
    const { container } = await deployWeb(`${service(`volumes: [${JSON.stringify(text)}]`)}volumes: {d: {}}\n`);
    return container?.Mounts;
  };

  it('are volumes before a path, and drives before two', async () => {
    expect(await mounts('d:/data')).toMatchObject([{ Type: 'volume', Source: 'demo_d', Target: '/data' }]);
    expect(await mounts('d:/data:ro')).toMatchObject([{ Type: 'volume', Source: 'demo_d', Target: '/data', ReadOnly: true }]);
    expect(await mounts('d:/data:/inside')).toMatchObject([{ Type: 'bind', Source: 'd:/data', Target: '/inside' }]);
    expect(await issuesOf({ 'compose.yml': service('volumes: ["e:/data"]') })).toMatchObject([{ path: 'services.web.volumes[0]' }]);
  });
});

describe('several files', () => {
  const merge = async (base: readonly string[], over: readonly string[]) => {
    const files = {
      'compose.yml': service(...base),
      'b.yml': ['services:', '  web:', ...over.map((line) => `    ${line}`), ''].join('\n'),
    };
    const { services } = await deploySpec(files, { files: ['compose.yml', 'b.yml'] });
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

  it('hosts of a list and of a mapping are joined', async () => {
    const merged = await merge(['extra_hosts: ["a:1.1.1.1"]'], ['extra_hosts: {b: 2.2.2.2}']);
    expect(merged?.TaskTemplate.ContainerSpec?.Hosts).toEqual(['1.1.1.1 a', '2.2.2.2 b']);
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
    const { services } = await deploySpec(files);
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
    const { services, configs } = await deploySpec(files);
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
    const { waves } = await deployWeb(
      file('depends_on: {api: {condition: service_healthy}}', ', deploy: {labels: {com.hivekeep.wave: "5"}}'),
    );
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

  it('runs services of profiles that the declared values name, and says which it leaves out', async () => {
    const files = { 'compose.yml': 'services:\n  a: {image: "x:1"}\n  b: {image: "x:1", profiles: [dev, debug]}\n' };
    const names = async (env: Record<string, string>) => (await deploySpec(files, { env })).services.map(({ Name }) => Name);
    expect(await names({})).toEqual(['demo_a']);
    expect(await names({ COMPOSE_PROFILES: 'x, debug' })).toEqual(['demo_a', 'demo_b']);
    const { warnings } = await load(files, { dialect: 'spec', strict: true });
    expect(warnings).toMatchObject([{ rule: 'inactive-profile', line: 3, path: 'services.b.profiles' }]);
  });
});
