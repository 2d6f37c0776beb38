// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import { describe, expect, it } from 'vitest';
import { convertFiles, type Files, service } from './testing/memory-stack.ts';

/** The deviations a conversion reports, the service's parts, and the error if it is refused. */
async function outcomeOf(files: Files, env: Record<string, string> = {}) {
  const result = await convertFiles(files, { env });
  const deviations = result.deviations ?? [];
  if ('error' in result) return { deviations, error: result.error.message };
  const container = result.services[0]?.TaskTemplate.ContainerSpec;
  return { deviations, container, warnings: result.warnings.map(({ rule }) => rule) };
}

const inContainer = (id: string, field: string) => ({ id, paths: [`services[demo_web].TaskTemplate.ContainerSpec.${field}`] });

describe('a deviation from the docker CLI', () => {
  it.each([
    ['interpolation-nested', '${U:-${A}}', 'va'],
    ['interpolation-unbraced', '$A-z', 'va-z'],
    ['interpolation-operator', '${A:?must-be-set}', 'va'],
    ['interpolation-operator', '${U-a:-b}', 'a:-b'],
  ])('%s: %s', async (id, text, value) => {
    const { deviations, container, warnings } = await outcomeOf({ 'compose.yml': service(`environment: ["V=${text}"]`) }, { A: 'va' });
    expect(container?.Env).toEqual([`V=${value}`]);
    expect(deviations).toEqual([inContainer(id, 'Env')]);
    expect(warnings).toContain(id);
  });

  it.each([
    ['generic-resource-empty', 'deploy: {resources: {reservations: {generic_resources: [{}]}}}'],
    ['interpolation-error-lost', 'environment: ["V=$5 ${A}"]'],
    ['interpolation-operator', 'environment: ["V=${U:?must-be-set}"]'],
    ['number-wraps', 'ports: [{target: 4294967296}]'],
    ['number-wraps', 'restart: on-failure:-1'],
    ['number-wraps', 'deploy: {resources: {limits: {memory: 9999999999g}}}'],
  ])('%s refuses %s', async (id, line) => {
    const { deviations, error } = await outcomeOf({ 'compose.yml': service(line) }, { A: 'va' });
    expect(error).toContain('services.web');
    expect(deviations).toEqual([{ id, paths: ['outcome'] }]);
  });

  it('extra-hosts-number: an address that is no text is sent as it stands', async () => {
    const { deviations, container } = await outcomeOf({ 'compose.yml': service('extra_hosts: {a: 1.5}') });
    expect(container?.Hosts).toEqual(['1.5 a']);
    expect(deviations).toEqual([inContainer('extra-hosts-number', 'Hosts')]);
  });

  it('volume-single-letter: a declared volume of one letter is mounted', async () => {
    const { deviations, container } = await outcomeOf({ 'compose.yml': `${service('volumes: ["d:/data"]')}volumes: {d: {}}\n` });
    expect(container?.Mounts).toMatchObject([{ Source: 'demo_d', Target: '/data' }]);
    expect(deviations).toEqual([inContainer('volume-single-letter', 'Mounts')]);
  });

  it('credential-spec-name: a config with a name of its own is found', async () => {
    const files = { 'compose.yml': `${service('credential_spec: {config: c}')}configs: {c: {file: ./c, name: own}}\n`, c: '' };
    const { deviations, container } = await outcomeOf(files);
    expect(container?.Privileges).toMatchObject({ CredentialSpec: { Config: 'own' } });
    expect(deviations).toEqual([{ id: 'credential-spec-name', paths: ['outcome'] }]);
  });

  it.each([
    ['configs: {a: {file: c, name: n}, b: {file: d, name: n}}', 'configs.b'],
    ['secrets: {a: {file: c, name: demo_b}, b: {file: d}}', 'secrets.b'],
    ['  api: {image: "x:1", networks: [n]}\nnetworks: {n: {name: demo_default}}', 'networks.n'],
  ])('name-twice refuses %s', async (lines, path) => {
    const { deviations, error } = await outcomeOf({ 'compose.yml': `${service()}${lines}\n`, c: 'c', d: 'd' });
    expect(error).toContain(path);
    expect(deviations).toEqual([{ id: 'name-twice', paths: ['outcome'] }]);
  });

  it('is not reported where nothing differs, and not beside another error', async () => {
    expect(await outcomeOf({ 'compose.yml': service('hostname: "${A:?must-be-set}"', 'x-a: 1') }, { A: 'be-set' })).toMatchObject({
      deviations: [],
    });
    expect(await outcomeOf({ 'compose.yml': service('ports: [{target: 4294967296}]', 'tty: 1') })).toMatchObject({ deviations: [] });
  });
});

describe('what exists in the swarm', () => {
  const external = `${service('networks: [n]', 'secrets: [s]')}networks: {n: {external: true}}\nsecrets: {s: {external: true}}\n`;

  it('is needed: every missing external is named', async () => {
    const result = await convertFiles({ 'compose.yml': external });
    expect('error' in result && result.error.issues?.map(({ message }) => message)).toEqual([
      expect.stringContaining('network "n"'),
      expect.stringContaining('secret "s"'),
    ]);
  });

  it('is used, and keeps the image of a service that names the same one', async () => {
    const running = {
      Spec: {
        Name: 'demo_web',
        Labels: { 'com.docker.stack.namespace': 'demo', 'com.docker.stack.image': 'nginx:1.27' },
        TaskTemplate: { ContainerSpec: { Image: `nginx:1.27@sha256:${'a'.repeat(64)}` }, ForceUpdate: 3 },
      },
    };
    const result = await convertFiles({ 'compose.yml': external }, { externals: { networks: ['n'], secrets: ['s'], services: [running] } });
    expect(result).toMatchObject({
      networks: [],
      services: [{ TaskTemplate: { ContainerSpec: { Image: running.Spec.TaskTemplate.ContainerSpec.Image }, ForceUpdate: 3 } }],
    });
  });
});
