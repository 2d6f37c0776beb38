import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Artifact, DEFAULT_SWARM, HivekeepError, readArtifact, type Spec, sourceCalls } from '@hivekeep/contracts';
import { MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { SourceConfig, startSource } from '@hivekeep/source';
import { type OfflineResult, planOntoNothing } from './offline-plan.ts';

export interface OfflineRequest {
  /** What to plan, of a valid app set. */
  readonly applications: readonly Spec[];
  /** The repository they read, as a path. */
  readonly repo: string;
  /** Instead of each application's own revision. */
  readonly commit?: string | undefined;
  /** Hosts of chart repositories that may be private and be asked over plain http. */
  readonly allowChartHost?: readonly string[] | undefined;
}

/**
 * Builds applications with the source service itself, from a local repository, and plans what comes out. The service builds
 * only what its app set declares, so it gets one that names this repository. Nothing outside a folder of its own is
 * written, and no swarm is asked.
 */
export async function planOffline({ applications, repo, commit, allowChartHost = [] }: OfflineRequest): Promise<OfflineResult[]> {
  const data = await mkdtemp(join(tmpdir(), 'hivekeep-plan-'));
  const broker = new MemoryBroker();
  const bus = new MemoryBus(broker);
  try {
    const specs = applications.map((spec) => readingFrom(spec, resolve(repo), commit));
    const file = join(data, 'applications.yaml');
    await writeFile(file, JSON.stringify({ applications: specs }));
    const config = SourceConfig.parse({ config: file, data, allowLocalGit: true, allowChartHost });
    const source = await startSource({ bus: new MemoryBus(broker), config, logger: silentLogger });
    try {
      return await Promise.all(specs.map((spec) => planned(bus, spec)));
    } finally {
      await source.close();
    }
  } finally {
    await bus.close();
    await rm(data, { recursive: true, force: true });
  }
}

function readingFrom(spec: Spec, repoURL: string, commit: string | undefined): Spec {
  return { ...spec, source: { ...spec.source, repoURL, ...(commit !== undefined && { revision: commit }) } };
}

/** The swarm goes into the names of secrets, so an application is built for its own. */
async function planned(bus: MemoryBus, spec: Spec): Promise<OfflineResult> {
  const swarm = spec.destination.swarm ?? DEFAULT_SWARM;
  try {
    const { results } = await bus.call(sourceCalls.build, { swarm }, { applications: [{ application: spec }] });
    const [result] = results;
    if (result === undefined) throw new HivekeepError('internal', 'the source gave no result for its request');
    if ('error' in result) return result;
    const releases = planOntoNothing(spec, await artifactOf(bus, result.digest), Date.now());
    return { application: spec.name, commit: result.provenance.commit, releases, warnings: result.warnings };
  } catch (error) {
    return { application: spec.name, error: HivekeepError.from(error).toWire() };
  }
}

async function artifactOf(bus: MemoryBus, digest: string): Promise<Artifact> {
  const bytes = await bus.artifacts.get(digest);
  if (bytes === undefined) throw new HivekeepError('artifact/missing', `the artifact ${digest} was built and is not there`);
  return readArtifact(Buffer.from(bytes).toString('utf8'));
}
