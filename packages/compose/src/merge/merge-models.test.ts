import { describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../engine.ts';
import { convertFiles, service } from '../testing/memory-stack.ts';

/** The service of two files, the second of which has these lines of it, and the ids of the deviations. */
async function merge(base: readonly string[], override: readonly string[], top = ''): Promise<{ web: ServiceSpec; ids: string[] }> {
  const second = ['services:', '  web:', ...override.map((line) => `    ${line}`), ''].join('\n');
  const result = await convertFiles({ 'a.yml': service(...base) + top, 'b.yml': second, f: 'x' });
  if ('error' in result) throw result.error;
  const [web] = result.services;
  if (!web) throw new Error('the test has a service web');
  return { web, ids: (result.deviations ?? []).map(({ id }) => id) };
}

const portsOf = (web: ServiceSpec) =>
  web.EndpointSpec?.Ports?.map((port) => `${port.PublishedPort ?? ''}:${port.TargetPort}/${port.Protocol}/${port.PublishMode}`);

describe('ports of two files', () => {
  it('stay, with two protocols on one port, when the second file names none', async () => {
    const { web, ids } = await merge(['ports: ["443:443", "443:443/udp"]'], ['environment: {X: "1"}']);
    expect(portsOf(web)).toEqual(['443:443/tcp/ingress', '443:443/udp/ingress']);
    expect(ids).toEqual(['merge-ports']);
  });

  it('stay when they are not published', async () => {
    const { web } = await merge(['ports: ["80", "443"]'], ['labels: {k: v}']);
    expect(portsOf(web)).toEqual([':80/tcp/ingress', ':443/tcp/ingress']);
  });

  it('are replaced by a later one with the same published number, so that none is published twice', async () => {
    const { web, ids } = await merge(['ports: ["8080:80"]'], ['ports: [{target: 81, published: 8080, mode: host, protocol: tcp}]']);
    expect(portsOf(web)).toEqual(['8080:81/tcp/host']);
    expect(ids).toEqual([]);
  });
});

describe('a zero of a later file overrides', () => {
  it.each<[string, string, object]>([
    ['read_only: true', 'read_only: false', { TaskTemplate: { ContainerSpec: expect.not.objectContaining({ ReadOnly: true }) } }],
    ['init: true', 'init: false', { TaskTemplate: { ContainerSpec: { Init: false } } }],
    ['command: a', 'command: []', { TaskTemplate: { ContainerSpec: expect.not.objectContaining({ Args: ['a'] }) } }],
    ['environment: {A: a}', 'environment: {A: ""}', { TaskTemplate: { ContainerSpec: { Env: ['A='] } } }],
    [
      'deploy: {update_config: {max_failure_ratio: 0.5}}',
      'deploy: {update_config: {max_failure_ratio: 0}}',
      { UpdateConfig: { MaxFailureRatio: 0 } },
    ],
  ])('%s, %s', async (base, override, expected) => {
    const { web, ids } = await merge([base], [override]);
    expect(web).toMatchObject(expected);
    expect(ids).toEqual(['merge-zero']);
  });

  it('as the docker CLI does it too for replicas and parallelism', async () => {
    const { web, ids } = await merge(
      ['deploy: {replicas: 3, update_config: {parallelism: 2}}'],
      ['deploy: {replicas: 0, update_config: {parallelism: 0}}'],
    );
    expect(web).toMatchObject({ Mode: { Replicated: { Replicas: 0 } }, UpdateConfig: { Parallelism: 0 } });
    expect(ids).toEqual([]);
  });
});

describe('what two files say of one thing', () => {
  const healthOf = (web: ServiceSpec) => web.TaskTemplate.ContainerSpec?.Healthcheck;

  it('healthcheck: the later test counts, and disable against it', async () => {
    const both = await merge(['healthcheck: {test: [CMD, a], retries: 3}'], ['healthcheck: {test: [CMD, b]}']);
    expect(healthOf(both.web)).toEqual({ Test: ['CMD', 'b'], Retries: 3 });
    expect(both.ids).toEqual(['merge-healthcheck']);
    expect(healthOf((await merge(['healthcheck: {test: a}'], ['healthcheck: {disable: true}'])).web)).toEqual({ Test: ['NONE'] });
    expect(healthOf((await merge(['healthcheck: {disable: true}'], ['healthcheck: {test: a}'])).web)).toEqual({ Test: ['CMD-SHELL', 'a'] });
  });

  it('attachments: aliases and driver options of both', async () => {
    const override = ['networks: {n: {driver_opts: {k: v}}}'];
    const { web, ids } = await merge(['networks: {n: {aliases: [a]}}'], override, 'networks: {n: {}}\n');
    expect(web.TaskTemplate.Networks).toEqual([{ Target: 'demo_n', Aliases: ['a', 'web'], DriverOpts: { k: 'v' } }]);
    expect(ids).toEqual(['merge-attachment']);
  });

  it('logging: options that only the later one has', async () => {
    const { web, ids } = await merge(['logging: {driver: x}'], ['logging: {options: {a: "1"}}']);
    expect(web.TaskTemplate.LogDriver).toEqual({ Name: 'x', Options: { a: '1' } });
    expect(ids).toEqual(['merge-logging']);
  });

  it('secrets: every target of one secret', async () => {
    const top = 'secrets: {s: {file: ./f}}\n';
    const { web, ids } = await merge(['secrets: [{source: s, target: a}, {source: s, target: b}]'], ['tty: true'], top);
    expect(web.TaskTemplate.ContainerSpec?.Secrets?.map(({ File }) => File?.Name)).toEqual(['a', 'b']);
    expect(ids).toEqual(['merge-references']);
  });

  it('definitions: an empty one takes nothing away', async () => {
    const files = { 'a.yml': `${service('volumes: ["vol:/x"]')}volumes: {vol: {driver: d}}\n`, 'b.yml': 'volumes: {vol: }\n' };
    const result = await convertFiles(files);
    expect(result).toMatchObject({
      services: [{ TaskTemplate: { ContainerSpec: { Mounts: [{ VolumeOptions: { DriverConfig: { Name: 'd' } } }] } } }],
    });
    expect(result.deviations?.map(({ id }) => id)).toEqual(['merge-definition']);
  });
});
