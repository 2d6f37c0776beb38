import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Artifact, DEFAULT_SWARM, HivekeepError, type Spec, sourceCalls } from '@hivekeep/contracts';
import { MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { SourceConfig, startSource } from '@hivekeep/source';
import { type OfflineResult, planOntoNothing } from './offline-plan.ts';

export interface OfflineRequest {
  /** The app set, as a path; it was found valid. */
  readonly file: string;
  /** What to plan. */
  readonly applications: readonly Spec[];
  /** The repository they read, as a path. */
  readonly repo: string;
  /** Instead of each application's own revision. */
  readonly commit?: string | undefined;
}

/**
 * Builds applications with the source service itself, from a local repository, and plans what comes out. Nothing outside a
 * folder of its own is written, and no swarm is asked.
 */
export async function planOffline({ file, applications, repo, commit }: OfflineRequest): Promise<OfflineResult[]> {
  const data = await mkdtemp(join(tmpdir(), 'hivekeep-plan-'));
  const broker = new MemoryBroker();
  const bus = new MemoryBus(broker);
  try {
    const config = SourceConfig.parse({ config: resolve(file), data, allowLocalGit: true });
    const source = await startSource({ bus: new MemoryBus(broker), config, logger: silentLogger });
    try {
      const specs = applications.map((spec) => ({
        ...spec,
        source: { ...spec.source, repoURL: resolve(repo), ...(commit && { revision: commit }) },
      }));
      return await planned(bus, specs);
    } finally {
      await source.close();
    }
  } finally {
    await bus.close();
    await rm(data, { recursive: true, force: true });
  }
}

async function planned(bus: MemoryBus, specs: readonly Spec[]): Promise<OfflineResult[]> {
  const request = { applications: specs.map((application) => ({ application })) };
  const { results } = await bus.call(sourceCalls.build, { swarm: DEFAULT_SWARM }, request);
  return Promise.all(
    results.map(async (result, index): Promise<OfflineResult> => {
      const spec = specs[index];
      if ('error' in result || spec === undefined) return result as OfflineResult; // answers come in the order of the requests
      try {
        const releases = planOntoNothing(spec, await artifactOf(bus, result.digest), Date.now());
        return { application: result.application, commit: result.provenance.commit, releases, warnings: result.warnings };
      } catch (error) {
        return { application: result.application, error: HivekeepError.from(error).toWire() };
      }
    }),
  );
}

async function artifactOf(bus: MemoryBus, digest: string): Promise<Artifact> {
  const bytes = await bus.artifacts.get(digest);
  if (bytes === undefined) throw new HivekeepError('artifact/missing', `the artifact ${digest} was built and is not there`);
  return Artifact.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}
