import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { readCredentialsFile } from './credentials-file.ts';

test('the credentials file in docs/operations.md is read', async () => {
  const text = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
  const [example = ''] = /^hosts:\n( .*\n)+/m.exec(text) ?? [];
  await using dir = await tempDir();
  const file = join(dir.path, 'git-credentials.yml');
  writeFileSync(file, example);
  const { hosts } = await readCredentialsFile(file);
  expect(hosts).toEqual({
    'git.example': { sshKeyFile: '/run/secrets/ssh-key', knownHostsFile: '/etc/hivekeep/known_hosts' },
    'forge.example': { username: 'deploy', tokenFile: '/run/secrets/forge-token' },
  });
});
