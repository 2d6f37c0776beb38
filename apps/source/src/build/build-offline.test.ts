import { join } from 'node:path';
import { aSpec, createGitRepo, tempDir } from '@hivekeep/testkit';
import { describe, expect, it } from 'vitest';
import { buildOffline } from './build-offline.ts';

const { signal } = new AbortController();

describe('a build without a service', () => {
  it('takes what is checked out, or the commit that is named, of a local repository', async () => {
    await using directory = await tempDir();
    const repository = await createGitRepo(join(directory.path, 'app.git'));
    const first = await repository.commit({ 'compose.yaml': 'services:\n  web:\n    image: nginx:1\n' });
    await repository.commit({ 'compose.yaml': 'services:\n  web:\n    image: nginx:2\n' });
    const input = {
      repository: repository.path,
      applications: [aSpec(), aSpec({ name: 'bad', source: { repoURL: 'x', revision: 'x', chart: { path: 'c' } } })],
      swarm: 'east',
      signal,
    };
    const [newest, bad] = await buildOffline(input);
    expect(newest?.artifact?.releases[0]?.manifest).toContain('nginx:2');
    expect(bad).toMatchObject({ result: { application: 'bad', error: { code: 'source/path-missing' } } });
    const [older] = await buildOffline({ ...input, revision: first });
    expect(older?.result).toMatchObject({ provenance: { commit: first } });
    expect(older?.artifact?.releases[0]?.manifest).toContain('nginx:1');
  });

  it('says that a folder is no repository', async () => {
    await using directory = await tempDir();
    const input = { repository: directory.path, applications: [aSpec()], swarm: 'east', signal };
    await expect(buildOffline(input)).rejects.toMatchObject({ code: 'source/revision-unknown' });
  });
});
