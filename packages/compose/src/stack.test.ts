// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import { HivekeepError } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import type { ComposeDocument } from './api.ts';
import { convertStack } from './convert-stack.ts';
import { readManifest, writeManifest } from './manifest-text.ts';
import { rotateNames } from './rotate-names.ts';
import { deploy, type Files, load, service } from './testing/memory-stack.ts';

const rotate = async (files: Files) =>
  rotateNames(await load(files), {
    stack: 'demo',
    secretDigest: (name, content) => Buffer.from(`${name}:${content}`).toString('hex').padEnd(64, '0'),
  });

const withContents = (top: string) => ({
  'compose.yml': `${service('configs: [c]', 'secrets: [s]')}${top}`,
  'c.txt': 'config',
  's.txt': 'secret',
});

describe('names that rotate', () => {
  const files = withContents('configs: {c: {file: ./c.txt}}\nsecrets: {s: {file: ./s.txt}}\n');

  it('change with the content, and the contents leave the manifest', async () => {
    const { manifest, files: configs, secrets, secretContents } = await rotate(files);
    const [name = ''] = Object.keys(configs);
    expect(name).toMatch(/^demo_c-[0-9a-f]{12}$/);
    expect(manifest).toMatchObject({ configs: { c: { name } }, secrets: { s: { name: secrets[0]?.name } } });
    expect(JSON.stringify(manifest)).not.toMatch(/file|secret"|txt/);
    expect(configs[name]).toBe(Buffer.from('config').toString('base64'));
    expect(Buffer.from(secretContents.get(secrets[0]?.name ?? '') ?? []).toString()).toBe('secret');
    const other = await rotate({ ...files, 'c.txt': 'changed' });
    expect(Object.keys(other.files)).not.toEqual([name]);
    expect(other.secrets).toEqual(secrets);
  });

  it('depend on the template driver too', async () => {
    const plain = await rotate(files);
    const driven = await rotate(withContents('configs: {c: {file: ./c.txt, template_driver: golang}}\nsecrets: {s: {file: ./s.txt}}\n'));
    expect(Object.keys(driven.files)).not.toEqual(Object.keys(plain.files));
  });

  it('keep a name that the file fixes', async () => {
    const { files: configs } = await rotate(withContents('configs: {c: {file: ./c.txt, name: fixed}}\nsecrets: {s: {external: true}}\n'));
    expect(Object.keys(configs)).toEqual(['fixed']);
  });

  it('are cut at 64 characters, the hash stays', async () => {
    const key = 'k'.repeat(80);
    const { files: configs } = await rotate({ 'compose.yml': `${service()}configs: {${key}: {file: ./c.txt}}\n`, 'c.txt': 'x' });
    expect(Object.keys(configs)).toEqual([expect.stringMatching(/^demo_k+-[0-9a-f]{12}$/)]);
    expect(Object.keys(configs)[0]).toHaveLength(64);
  });

  it('reach the services, a credential spec too', async () => {
    const text = `${service('credential_spec: {config: c}')}configs: {c: {file: ./c.txt}}\n`;
    const { services, configs } = await deploy({ 'compose.yml': text, 'c.txt': 'x' });
    const [name] = configs.map(({ Name }) => Name);
    expect(services[0]?.TaskTemplate.ContainerSpec).toMatchObject({
      Configs: [{ ConfigName: name }],
      Privileges: { CredentialSpec: { Config: name } },
    });
  });
});

describe('a manifest', () => {
  const document: ComposeDocument = { services: { web: { image: 'nginx', command: ['echo', '$$HOME ${X}'] } } };
  const argsOf = (kind: 'compose' | 'chart') =>
    convertStack({ stack: 'demo', document, kind }).services[0]?.TaskTemplate.ContainerSpec?.Args;

  it('is never interpolated; of a chart, $$ is one dollar', () => {
    expect(argsOf('compose')).toEqual(['echo', '$$HOME ${X}']);
    expect(argsOf('chart')).toEqual(['echo', '$HOME ${X}']);
  });

  it('of a chart is checked against the format, all problems at once', () => {
    const broken = { services: { web: { image: 'nginx', foo: 1, tty: 'yes' } } };
    const convert = () => convertStack({ stack: 'demo', document: broken, kind: 'chart' });
    expect(convert).toThrow(expect.objectContaining({ code: 'compose/invalid', issues: [expect.anything(), expect.anything()] }));
  });

  it.each([
    ['configs.c.file', { configs: { c: { file: './x' } } }],
    ['secrets.s.file', { secrets: { s: { file: '/run/secrets/x' } } }],
    ['services.web.env_file', { services: { web: { image: 'nginx', env_file: [] } } }],
  ])('that still names %s is refused', (path, rest) => {
    const convert = () => convertStack({ stack: 'demo', document: { services: {}, ...rest } });
    expect(convert).toThrow(expect.objectContaining({ code: 'compose/invalid', issues: [expect.objectContaining({ path })] }));
  });

  it('gives the waves, the volumes and what must exist', () => {
    const objects = convertStack({
      stack: 'demo',
      document: {
        services: {
          web: { image: 'a', deploy: { labels: { 'com.hivekeep.wave': '2' } }, volumes: ['data:/d'], networks: ['n'], secrets: ['s'] },
          job: { image: 'a' },
        },
        networks: { n: { external: true, name: 'outer' } },
        secrets: { s: { external: true } },
        volumes: { data: { driver: 'd' }, idle: {} },
      },
    });
    expect(objects.waves).toEqual({ demo_web: 2, demo_job: 0 });
    expect(objects.externals).toEqual({ networks: ['outer'], secrets: ['s'], configs: [] });
    expect(objects.volumes).toEqual([
      { name: 'demo_data', external: false, driver: 'd', service: 'web', path: '/d' },
      { name: 'demo_idle', external: false, service: '', path: '' },
    ]);
  });

  it('reads back as it was written, also where the YAML writer loses line ends', () => {
    const manifest = { services: { web: { image: 'nginx', command: ['sh', '-c', '\n  echo a\n'], environment: { A: null, B: '010' } } } };
    expect(readManifest(writeManifest(manifest))).toEqual(manifest);
    expect(() => readManifest('- a')).toThrow(HivekeepError);
  });
});
