import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aSpec, gitServer } from '@hivekeep/testkit';
import { ArtifactBuilder } from '../build/artifact-builder.ts';
import { ComposeRenderer } from '../build/render-compose.ts';
import { SecretDigests } from '../build/secret-digests.ts';
import { DEFAULT_GIT_LIMITS, GitCredentials, GitFetcher, Mirrors } from '../git/index.ts';
import { builderContract } from '../testing/builder-contract.ts';
import { CountingChartRenderer, chartRepositories } from '../testing/chart-renderer.ts';
import { fetcherContract } from '../testing/fetcher-contract.ts';

async function repository() {
  const server = await gitServer();
  const repo = await server.createRepo('repo');
  const directory = await mkdtemp(join(tmpdir(), 'hivekeep-seams-'));
  const urls = { insecureHosts: [], allowLocal: false };
  const mirrors = new Mirrors({ directory, credentials: new GitCredentials({}), limits: DEFAULT_GIT_LIMITS, urls });
  const end = async () => {
    mirrors.close();
    await server[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  };
  const commit = (files: Readonly<Record<string, string>>) => repo.commit({ ...files });
  return { server, directory, fetcher: new GitFetcher(mirrors, DEFAULT_GIT_LIMITS), repoURL: server.url('repo'), commit, end };
}

fetcherContract('GitFetcher', async () => {
  const { server, fetcher, repoURL, commit, end } = await repository();
  return { fetcher, repoURL, commit, lose: () => server.cut(), [Symbol.asyncDispose]: end };
});

builderContract('ArtifactBuilder', async () => {
  const { directory, fetcher, repoURL, commit, end } = await repository();
  const stored = new Map<string, unknown>();
  const put = async (digest: string, bytes: Uint8Array) => void stored.set(digest, JSON.parse(Buffer.from(bytes).toString()));
  return {
    builder: new ArtifactBuilder({
      fetcher,
      renderer: new ComposeRenderer(new SecretDigests()),
      charts: CountingChartRenderer.over(chartRepositories(join(directory, 'charts'))),
      artifacts: { put },
      answerWithinMs: 30_000,
    }),
    spec: (name) => aSpec({ name, source: { repoURL, revision: 'main', compose: { files: [`${name}.yaml`] } } }),
    commit,
    artifact: (digest) => stored.get(digest),
    [Symbol.asyncDispose]: end,
  };
});
