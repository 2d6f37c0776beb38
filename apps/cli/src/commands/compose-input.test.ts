import { mkdir, writeFile } from 'node:fs/promises';
import { lintCompose } from '@hivekeep/compose';
import { tempDir } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
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
