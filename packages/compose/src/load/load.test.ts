// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import { HivekeepError } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { deploy, type Files, load, service } from '../testing/memory-stack.ts';

async function issuesOf(files: Files, options = {}): Promise<readonly object[]> {
  const error = await load(files, options).catch((thrown: unknown) => thrown);
  if (!HivekeepError.is(error, 'compose/invalid', 'compose/unsupported')) throw error;
  return error.issues ?? [];
}

async function webOf(files: Files, options = {}): Promise<Record<string, unknown>> {
  const { document } = await load(files, options);
  return (document.services as Record<string, Record<string, unknown>>).web ?? {};
}

it('a variable without a value counts where it is read: not in extensions, nor in how an image is built', async () => {
  const files = { 'compose.yml': `x-a: {b: $U}\n${service('build: {context: $U}', 'x-b: $U', 'hostname: "h$U"')}` };
  const { warnings } = await load(files);
  expect(warnings.filter(({ rule }) => rule === 'unset-variable')).toMatchObject([
    { path: 'services.web.hostname', message: expect.stringContaining('give it a default') },
  ]);
  await expect(load(files, { dialect: 'spec' })).rejects.toMatchObject({ issues: [{ path: 'services.web.hostname' }] });
});

it('says what it does not read: later documents, and tags of the other dialect', async () => {
  const files = { 'compose.yml': service('ports: !reset []'), 'b.yml': `${service()}---\nservices: {api: {image: "x:1"}}\n` };
  const { warnings } = await load(files);
  expect(warnings).toMatchObject([
    {
      rule: 'merge-tag',
      file: 'compose.yml',
      line: 4,
      path: 'services.web.ports',
      message: expect.stringContaining('!reset does nothing'),
    },
    { rule: 'later-document', file: 'b.yml' },
  ]);
  expect(await issuesOf(files, { dialect: 'spec' })).toMatchObject([{ file: 'b.yml', message: expect.stringContaining('first document') }]);
});

it('says what to do where YAML ends unexpectedly', async () => {
  await expect(load({ 'compose.yml': 'services:\n  web:\n    image: {{repo}}/{image}\n' })).rejects.toMatchObject({
    issues: [{ line: 3, message: expect.stringContaining('in quotes') }],
  });
});

it('reads the keys of a mapping that may have others in any case', async () => {
  const line = 'secrets: [{Source: s, TARGET: t, UID: "5", Mode: 256}]';
  const { services } = await deploy({ 'compose.yml': `${service(line)}secrets: {s: {external: true}}\n` });
  expect(services[0]?.TaskTemplate.ContainerSpec?.Secrets).toMatchObject([{ SecretName: 's', File: { Name: 't', UID: '5', Mode: 256 } }]);
  await expect(load({ 'compose.yml': service('volumes: [{type: tmpfs, target: /t, tmpfs: {Size: x}}]') })).rejects.toMatchObject({
    issues: [{ path: 'services.web.volumes[0].tmpfs.size' }],
  });
});

describe('problems of a file', () => {
  it('are all told at once, each with its place, what was found and the nearest known key', async () => {
    const text = service('enviroment: {A: 1}', 'ports: ["80:80", "x"]', 'tty: yes');
    expect(await issuesOf({ 'compose.yml': text })).toEqual([
      {
        file: 'compose.yml',
        line: 4,
        column: 5,
        path: 'services.web.enviroment',
        message: expect.stringContaining('did you mean environment?'),
      },
      { file: 'compose.yml', line: 5, column: 22, path: 'services.web.ports[1]', message: expect.stringContaining('found "x"') },
      { file: 'compose.yml', line: 6, column: 5, path: 'services.web.tty', message: 'expected true or false, found "yes"' },
    ]);
  });

  it('of several files come together', async () => {
    const issues = await issuesOf({ 'a.yml': service('foo: 1'), 'b.yml': service('tty: 1') });
    expect(issues).toMatchObject([
      { file: 'a.yml', path: 'services.web.foo' },
      { file: 'b.yml', path: 'services.web.tty' },
    ]);
  });

  it('name the version that a key needs', async () => {
    const issues = await issuesOf({ 'compose.yml': `version: "3.6"\n${service('init: true')}` });
    expect(issues).toMatchObject([{ line: 5, message: 'init needs version 3.7 or no version at all, the file states 3.6' }]);
  });

  it('say when the compose specification knows the key', async () => {
    const issues = await issuesOf({ 'compose.yml': `name: demo\n${service('profiles: [a]')}` });
    expect(issues).toMatchObject([
      { path: 'name', message: expect.stringContaining('compose specification') },
      { path: 'services.web.profiles', message: expect.stringContaining('compose specification') },
    ]);
  });

  it('point into an anchor that a merge key brought in', async () => {
    const text = `x-base: &base\n  tty: 1\n${service('<<: *base')}`;
    expect(await issuesOf({ 'compose.yml': text })).toMatchObject([{ line: 2, column: 3, path: 'services.web.tty' }]);
  });

  it('of a file that is no YAML have its place', async () => {
    expect(await issuesOf({ 'compose.yml': 'services:\n\tweb: {}\n' })).toMatchObject([{ file: 'compose.yml', line: 2 }]);
  });

  it.each([
    ['an unquoted version', 'version: 3.8\nservices: {}\n', 'version'],
    ['a key from before version 3', service('mem_limit: 1g'), 'services.web.mem_limit'],
    ['extends', service('extends: base'), 'services.web.extends'],
    ['no image', 'services: {web: {tty: true}}\n', 'services.web.image'],
    ['a missing file of an unused config', `${service()}configs: {c: {file: ./no}}\n`, 'configs.c.file'],
    ['an env file that is not there', service('env_file: no.env'), 'services.web.env_file[0]'],
  ])('%s', async (_name, text, path) => {
    expect(await issuesOf({ 'compose.yml': text })).toMatchObject([{ path }]);
  });
});

describe('interpolation', () => {
  it('sees the declared variables alone, and says which are unset', async () => {
    const { document, warnings } = await load({ 'compose.yml': service('labels: {a: "${PATH}", b: "${TAG:-9}"}') });
    expect(document.services).toMatchObject({ web: { labels: { a: '', b: '9' } } });
    expect(warnings).toEqual([
      { rule: 'unset-variable', file: 'compose.yml', line: 4, path: 'services.web.labels.a', message: expect.stringContaining('PATH') },
    ]);
  });

  it('refuses an unset variable when strict', async () => {
    expect(await issuesOf({ 'compose.yml': service('hostname: "${TAG}"') }, { strict: true })).toMatchObject([
      { path: 'services.web.hostname' },
    ]);
  });

  it('makes one dollar of two, as in htpasswd hashes and shell commands', async () => {
    const web = await webOf({ 'compose.yml': service(`command: sh -c 'P="$$(cat /run/secrets/db)"'`, 'labels: ["u=$$apr1$$x"]') });
    expect(web).toMatchObject({ command: ['sh', '-c', 'P="$(cat /run/secrets/db)"'], labels: { u: '$apr1$x' } });
  });

  it('leaves a hash in a default as it is', async () => {
    const web = await webOf({ 'compose.yml': service('labels: ["u=${HASH:-admin:$2y$05$abc}"]') });
    expect(web).toMatchObject({ labels: { u: 'admin:$2y$05$abc' } });
  });

  it('names a required variable', async () => {
    const issues = await issuesOf({ 'compose.yml': service('hostname: "${NAME:?set it}"') });
    expect(issues).toMatchObject([
      { path: 'services.web.hostname', message: expect.stringContaining('required variable NAME is missing a value: set it') },
    ]);
  });

  it('casts where the format wants a number or a boolean', async () => {
    const web = await webOf({ 'compose.yml': service('tty: "${T}"', 'deploy: {replicas: "${N}"}') }, { env: { T: 'yes', N: '3' } });
    expect(web).toMatchObject({ tty: true, deploy: { replicas: 3 } });
  });
});

describe('env files', () => {
  it('give values as they stand; a bare name takes the declared value or is left out', async () => {
    const files = {
      'compose.yml': service('env_file: a.env', 'environment: {D: over}'),
      'a.env': '\ufeffA="1" # x\nB=\nC\nU\nD=file\n# no\n',
    };
    const web = await webOf(files, { env: { C: 'declared' } });
    expect(web.environment).toEqual({ A: '"1" # x', B: '', C: 'declared', D: 'over' });
  });

  it('name the line that cannot be read', async () => {
    const issues = await issuesOf({ 'compose.yml': service('env_file: a.env'), 'a.env': 'A=1\nexport B=2\n' });
    expect(issues).toMatchObject([{ path: 'services.web.env_file[0]', message: expect.stringContaining('a.env:2') }]);
  });
});

it('reports every path it read, starting at the folder of the first file', async () => {
  const files = { 'x/compose.yml': `${service('env_file: ../a.env')}configs: {c: {file: ./c.txt}}\n`, 'a.env': '', 'x/c.txt': 'content' };
  const { reads, configs } = await load(files);
  expect(reads).toEqual(['x/compose.yml', 'a.env', 'x/c.txt']);
  expect(Buffer.from(configs.get('c') ?? []).toString()).toBe('content');
});

it('reads keys such as __proto__ as keys', async () => {
  const { document } = await load({
    'compose.yml': `x-a: {__proto__: {polluted: true}}\n${service('labels: {__proto__: v, constructor: w}')}`,
  });
  expect(Object.entries((document.services as { web: { labels: object } }).web.labels)).toEqual([
    ['__proto__', 'v'],
    ['constructor', 'w'],
  ]);
  expect({}).not.toHaveProperty('polluted');
});

it('refuses what another dialect has with a code of its own, and what the reader cannot reach passes through', async () => {
  await expect(load({ 'compose.yml': service('profiles: [a]') })).rejects.toMatchObject({ code: 'compose/unsupported' });
  await expect(load({ 'compose.yml': service('profiles: [a]', 'tty: 1') })).rejects.toMatchObject({ code: 'compose/invalid' });
  const reader = { read: () => Promise.reject(new HivekeepError('source/timeout', 'slow')) };
  await expect(load({ 'compose.yml': '' }, { reader })).rejects.toMatchObject({ code: 'source/timeout' });
});
