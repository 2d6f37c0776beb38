// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertFiles, deploy, load } from '../testing/memory-stack.ts';

const texts = ['a', '80:80', './a:/b', 'e.env', 'web', 'b.yml', '1s', '64M', '0440', '${A:+x}', '${A:-${B}}', '$', '', 'label=user:x'];
const scalar = fc.oneof(fc.constantFrom(...texts), fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const keys = fc.constantFrom(
  ...['services', 'web', 'image', 'ports', 'target', 'published', 'deploy', 'environment', 'env_file', 'path', 'required', 'format'],
  ...['extends', 'service', 'file', 'include', 'depends_on', 'condition', 'profiles', 'volumes', 'tmpfs', 'size', 'mode', 'type', 'source'],
  ...['configs', 'secrets', 'content', 'name', 'networks', 'default', 'ipam', 'config', 'security_opt', 'mem_limit', 'shm_size', 'scale'],
  ...['__proto__', 'constructor', 'x-a', '<<'],
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ maxDepth: 5 }, scalar, fc.array(tie('tree'), { maxLength: 3 }), fc.dictionary(keys, tie('tree'), { maxKeys: 4 })),
}));
const documents = fc.dictionary(keys, tree, { maxKeys: 4 }).map((document) => JSON.stringify({ services: { web: document }, ...document }));

describe('any input', () => {
  it('ends in a result or in an error that says what is wrong', async () => {
    await fc.assert(
      fc.asyncProperty(documents, documents, async (first, second) => {
        const files = { 'a.yml': first, 'b.yml': second, 'e.env': 'A=b\nC\n', a: 'x' };
        const result = await convertFiles(files, { files: ['a.yml', 'b.yml'], dialect: 'spec', env: { A: 'a' } });
        if ('error' in result) expect(result.error.issues?.length).toBeGreaterThan(0);
        else expect(result.services).toEqual(expect.any(Array));
        expect({}).not.toHaveProperty('services');
      }),
      { numRuns: 1000 },
    );
  });

  it('is bounded: aliases, files that include or extend many others, and references in references', async () => {
    const level = (index: number) =>
      `  a${index}: &a${index} [${Array(9)
        .fill(`*a${index - 1}`)
        .join(', ')}]\n`;
    const bomb = `x-a:\n  a0: &a0 [x]\n${Array.from({ length: 9 }, (_, index) => level(index + 1)).join('')}services: {}\n`;
    const chain = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.yml`, `include: [${index + 1}.yml]\n`]));
    const nest = `services: {web: {image: "x:1", hostname: "${'${U:-'.repeat(5000)}${'}'.repeat(5000)}"}}\n`;
    for (const files of [{ '0.yml': bomb }, chain]) {
      await expect(load(files, { files: ['0.yml'], dialect: 'spec' })).rejects.toMatchObject({ code: 'compose/invalid' });
    }
    await load({ '0.yml': nest }, { dialect: 'spec' }).catch((error) => expect(error).toMatchObject({ code: 'compose/invalid' }));
  });
});

it('many ports, long chains and open quotes are refused or read soon', async () => {
  const ranges = `services: {web: {image: "x:1", ports: [${Array.from({ length: 2000 }, (_, index) => `"${index + 1}-65000"`).join(', ')}]}}\n`;
  await expect(load({ 'a.yml': ranges }, { dialect: 'spec' })).rejects.toMatchObject({
    issues: [{ path: 'services.web.ports', message: expect.stringContaining('at most') }],
  });
  const used = process.cpuUsage();
  const links = Array.from({ length: 1500 }, (_, index) => `  s${index}: {extends: s${index + 1}}\n`).join('');
  await load({ 'a.yml': `services:\n${links}  s1500: {image: "x:1"}\n` }, { dialect: 'spec' });
  const open = { 'a.yml': 'services: {web: {image: "x:1", env_file: e}}\n', e: `A="\n${'x=y z\n'.repeat(30_000)}` };
  await expect(load(open, { dialect: 'spec' })).rejects.toMatchObject({ issues: [{ message: expect.stringContaining('not closed') }] });
  const unknown = `services: {web: {${Array.from({ length: 20_000 }, (_, index) => `kk${index}: 1`).join(', ')}}}\n`;
  await expect(load({ 'a.yml': unknown }, { dialect: 'spec' })).rejects.toMatchObject({ code: 'compose/invalid' });
  const { user, system } = process.cpuUsage(used);
  expect((user + system) / 1000).toBeLessThan(5000);
});

describe('files that both dialects read', () => {
  const words = fc.string({ unit: fc.constantFrom(...'abc01'), minLength: 1, maxLength: 6 });
  const services = fc.record(
    {
      labels: fc.dictionary(words, words),
      environment: fc.dictionary(words, words),
      command: fc.array(words),
      hostname: words,
      ports: fc.uniqueArray(fc.integer({ min: 1, max: 65535 }), { maxLength: 4 }),
      deploy: fc.record({ replicas: fc.integer({ min: 0, max: 5 }), labels: fc.dictionary(words, words) }, { requiredKeys: [] }),
      healthcheck: fc.record({ test: words, retries: fc.integer({ min: 0, max: 9 }) }, { requiredKeys: [] }),
      volumes: fc.uniqueArray(words.map((word) => `./${word}:/${word}:ro`)),
      dns: fc.uniqueArray(words),
      tty: fc.boolean(),
      init: fc.boolean(),
    },
    { requiredKeys: [] },
  );

  it('become the same objects, once and again', async () => {
    await fc.assert(
      fc.asyncProperty(services, async (web) => {
        const files = { 'compose.yml': JSON.stringify({ services: { web: { ...web, image: 'x:1' } } }) };
        const read = await deploy(files, { dialect: 'spec' });
        expect(read).toEqual(await deploy(files));
        expect(await deploy(files, { dialect: 'spec' })).toEqual(read);
      }),
      { numRuns: 300 },
    );
  });
});
