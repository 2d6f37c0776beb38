// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import { HivekeepError } from '@hivekeep/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertStack } from './convert-stack.ts';
import { loadCompose } from './load-compose.ts';
import { writeManifest } from './manifest-text.ts';
import { convertFiles, deploy, load, memoryReader, service } from './testing/memory-stack.ts';

const text = fc.string({ unit: fc.constantFrom(...'ab$:{}-?"\'\\ ,[]&*#\n0.=') });
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const keys = fc.constantFrom(
  'services',
  'web',
  'image',
  'ports',
  'deploy',
  'environment',
  'volumes',
  'networks',
  'default',
  'healthcheck',
  '__proto__',
  'constructor',
  'x-a',
  '<<',
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ maxDepth: 5 }, scalar, fc.array(tie('tree'), { maxLength: 3 }), fc.dictionary(keys, tie('tree'), { maxKeys: 4 })),
}));
const documents = fc.dictionary(keys, tree, { maxKeys: 4 }).map((document) => JSON.stringify({ services: { web: document }, ...document }));

describe('any input', () => {
  it('ends in a result or in an error that says what is wrong', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(documents, text), fc.oneof(documents, text), async (first, second) => {
        const result = await convertFiles({ 'a.yml': first, 'b.yml': second });
        if ('error' in result) expect(result.error.issues?.length).toBeGreaterThan(0);
        else expect(result.services).toEqual(expect.any(Array));
        expect({}).not.toHaveProperty('services');
      }),
      { numRuns: 500 },
    );
  });

  it('as a manifest, too', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom('compose' as const, 'chart' as const), (document, kind) => {
        try {
          convertStack({ stack: 'demo', document: { services: document }, kind });
        } catch (error) {
          expect(HivekeepError.is(error, 'compose/invalid', 'compose/unsupported')).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is bounded: aliases, depth and bytes', async () => {
    const level = (index: number) =>
      `  a${index}: &a${index} [${Array(9)
        .fill(`*a${index - 1}`)
        .join(', ')}]\n`;
    const bomb = `x-a:\n  a0: &a0 [x]\n${Array.from({ length: 9 }, (_, index) => level(index + 1)).join('')}${service()}`;
    const deep = `x-a: ${'['.repeat(5000)}${']'.repeat(5000)}\n${service()}`;
    const huge = `# ${'x'.repeat(5 * 1024 * 1024)}\n${service()}`;
    const ranges = service(`ports: [${Array.from({ length: 2000 }, (_, index) => `"${index + 1}-65000"`).join(', ')}]`);
    for (const input of [bomb, deep, huge, ranges])
      await expect(load({ 'compose.yml': input })).rejects.toMatchObject({ code: 'compose/invalid' });
  });
});

const words = fc.string({ unit: fc.constantFrom(...'abc01'), minLength: 1, maxLength: 6 });
const services = fc.record(
  {
    labels: fc.dictionary(words, fc.string()),
    environment: fc.dictionary(words, fc.option(fc.string())),
    command: fc.array(fc.string()),
    hostname: words,
    ports: fc.uniqueArray(fc.integer({ min: 1, max: 65535 }), { maxLength: 4 }),
    deploy: fc.record({ replicas: fc.integer({ min: 0, max: 5 }), labels: fc.dictionary(words, words) }, { requiredKeys: [] }),
    healthcheck: fc.record({ test: fc.array(words, { minLength: 1 }), retries: fc.integer({ min: 0, max: 9 }) }, { requiredKeys: [] }),
    stop_grace_period: fc.integer({ min: 0, max: 9999 }).map((ms) => `${ms}ms`),
    dns: fc.uniqueArray(words),
    extra_hosts: fc.dictionary(words, words),
    tty: fc.boolean(),
    init: fc.boolean(),
  },
  { requiredKeys: [] },
);
const dollars = (value: unknown) => JSON.stringify(value).replaceAll('$', '$$$$');
const fileOf = (web: object) => dollars({ services: { web: { ...web, image: 'nginx:1.27' } } });

describe('a stack', () => {
  it('renders twice to the same bytes, and its manifest gives what the files give', async () => {
    await fc.assert(
      fc.asyncProperty(services, async (web) => {
        const files = { 'compose.yml': fileOf(web) };
        const [first, second] = [await load(files), await load(files)];
        expect(writeManifest(second.document)).toBe(writeManifest(first.document));
        const direct = await convertFiles(files);
        expect(JSON.stringify((await deploy(files)).services)).toBe('services' in direct && JSON.stringify(direct.services));
      }),
      { numRuns: 200 },
    );
  });

  it('merged with a file that adds nothing stays as it is, and a merge can be done in two steps', async () => {
    // Lists that are appended may repeat an item, which one file may not.
    const mergeable = services.map(({ dns: _dns, extra_hosts: _hosts, ...web }) => web);
    await fc.assert(
      fc.asyncProperty(mergeable, mergeable, async (a, b) => {
        const empty = '{"services": {"web": {}}}';
        expect(await sentOf([fileOf(a), empty])).toEqual(await sentOf([fileOf(a)]));
        const merged = dollars((await load({ 'a.yml': fileOf(a), 'b.yml': fileOf(b) })).document);
        expect(await sentOf([merged, empty])).toEqual(await sentOf([fileOf(a), fileOf(b)]));
      }),
      { numRuns: 100 },
    );
  });
});

async function sentOf(texts: readonly string[]): Promise<unknown> {
  const files = Object.fromEntries(texts.map((content, index) => [`${index}.yml`, content]));
  const input = { files: Object.keys(files), reader: memoryReader(files), env: {}, dialect: 'docker', stack: 'demo' } as const;
  const { document } = await loadCompose(input);
  return convertStack({ stack: 'demo', document }).services;
}

describe('long texts', () => {
  it.each([
    ['open references', '${A:-'.repeat(50_000)],
    ['open references and one brace', `${'${A:-'.repeat(50_000)}}`],
    ['references and one brace', `${'$A'.repeat(100_000)}}`],
    ['dollars', '$'.repeat(200_001)],
    ['names without braces', '$A-'.repeat(50_000)],
    ['wrong references', '${1'.repeat(50_000)],
    ['digits', '9'.repeat(200_000)],
    ['colons', ':'.repeat(200_000)],
    ['path parts', `${'a/'.repeat(100_000)}A`],
  ])('%s end soon', async (_name, long) => {
    const line = JSON.stringify(long);
    const start = process.cpuUsage();
    await convertFiles({ 'compose.yml': `services: {web: {image: ${line}}}` });
    for (const key of ['hostname', 'command', 'stop_grace_period']) await convertFiles({ 'compose.yml': service(`${key}: ${line}`) });
    await convertFiles({
      'compose.yml': service(`ports: [${line}]`, `volumes: [${line}]`, `deploy: {resources: {limits: {cpus: ${line}, memory: ${line}}}}`),
    });
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(5000);
  });
});
