import { execFile } from 'node:child_process';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from '@hivekeep/testkit';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../../..');
const sources = join(checkout, 'packages/gotemplate');

const program = `
import { fromPlain, structOf, TemplateSet } from '@hivekeep/gotemplate';
const set = new TemplateSet(new Map([['t', '{{ .Values.name | upper | quote }}']]));
const root = structOf('chart.Root', { Values: fromPlain(new Map([['name', 'web']])) });
process.stdout.write(new TextDecoder().decode(set.render('t', root, { environment: {} })));
`;

test('what is packed works by itself, with its types and nothing of this repository', async () => {
  await using dir = await tempDir();
  const pnpm = join(checkout, '.tools/node_modules/.bin/pnpm');
  const { stdout } = await run(pnpm, ['pack', '--json', '--pack-destination', dir.path], { cwd: sources });
  const { filename } = JSON.parse(stdout) as { filename: string };
  const installed = join(dir.path, 'node_modules/@hivekeep/gotemplate');
  await mkdir(installed, { recursive: true });
  await run('tar', ['xzf', filename, '--strip-components=1', '-C', installed]);
  await symlink(await realpath(join(sources, 'node_modules/re2js')), join(dir.path, 'node_modules/re2js'));
  await writeFile(join(dir.path, 'program.mjs'), program);
  expect((await run(process.execPath, [join(dir.path, 'program.mjs')])).stdout).toBe('"WEB"');
  expect((await run('tar', ['tzf', filename])).stdout).toContain('package/dist/index.d.ts');
}, 60_000);
