import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { lintCompose } from '@hivekeep/compose';
import { tempDir } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { convert } from './compose-action.ts';
import { folderReader } from './compose-input.ts';

it('tells a file that is missing, and need not be there, from one that cannot be read', async () => {
  await using folder = await tempDir();
  const file = 'services: {web: {image: "x:1", env_file: [{path: none.env, required: false}, gone.env, {path: sub, required: false}]}}\n';
  await writeFile(`${folder.path}/compose.yml`, file);
  await mkdir(`${folder.path}/sub`);
  const reader = folderReader(folder.path);
  const { errors } = await lintCompose({ files: ['compose.yml'], reader, env: {}, dialect: 'spec', stack: 's' });
  expect(errors).toMatchObject([
    { line: 1, path: 'services.web.env_file[1]', message: 'cannot read gone.env: no such file' },
    { line: 1, path: 'services.web.env_file[2]' },
  ]);
});

it('gives a case of a batch without a compose file an error, and refuses to write where it cannot', async () => {
  await using folder = await tempDir();
  const [cases, out] = [`${folder.path}/cases`, `${folder.path}/out`];
  await mkdir(`${cases}/empty`, { recursive: true });
  const flags = { dialect: 'docker', output: 'json', batch: cases } as const;
  await convert({ ...flags, out });
  expect(JSON.parse(await readFile(`${out}/empty.json`, 'utf8'))).toEqual({ error: expect.stringContaining('compose.yml'), exitCode: 1 });
  await expect(convert({ ...flags, out: `${out}/empty.json` })).rejects.toMatchObject({ code: 'usage/invalid' });
});
