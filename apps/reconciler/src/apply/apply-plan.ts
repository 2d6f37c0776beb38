import { effectivePolicy, labels as keys, ownerStamp } from '@hivekeep/application';
import { encodeRecord } from '@hivekeep/charts';
import { HivekeepError, type Spec } from '@hivekeep/contracts';
import type { ReleasePlan, WrittenService } from '@hivekeep/planner';
import type { Logger } from '@hivekeep/runtime';
import { type Backend, hasCapability } from '@hivekeep/swarm';
import type { Board } from '../board.ts';
import type { Looks } from '../looks.ts';
import type { ApplicationPlan, PlannedRelease } from '../passes/application-plan.ts';
import type { SourceClient } from '../source-client.ts';
import type { World } from '../world.ts';
import { type ApplyTools, applyRelease, type ReleaseChange, settleIntents } from './apply-release.ts';
import { awaitConvergence } from './await-convergence.ts';
import { trimHistory } from './trim-history.ts';

export interface ApplyPlanTools extends Pick<ApplyTools, 'daemon' | 'records' | 'intents' | 'now'> {
  readonly controllerId: string;
  readonly monotonicNow: () => number;
  readonly source: SourceClient;
  readonly looks: Looks;
  readonly board: Board;
  readonly logger: Logger;
}

/**
 * Carries a plan out, wave by wave: what a wave wrote has converged before the next one begins, whatever `wait` says; with
 * `wait` each release is waited for. Stops at the first failure: nothing of later waves is written or recorded.
 * Throws `rollout/*`, `swarm/*`, `record/*`, `source/*`, `lease/deposed`, `cancelled`.
 * @param mayBegin asked when all is at hand, right before the first write
 * @returns whether it began
 */
export async function applyPlan(
  tools: ApplyPlanTools,
  backend: Backend,
  plan: ApplicationPlan,
  signal: AbortSignal,
  mayBegin: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const policy = effectivePolicy(plan.spec);
  const scoped = scopedTools(tools, backend, plan.spec, policy.timeout, signal);
  const contents = await secretContents(tools, plan, signal);
  const changed = plan.releases.filter((release) => release.plan.action !== 'unchanged');
  const changes = new Map(changed.map((release) => [release, changeOf(tools, plan, release, contents)]));
  assertRecordable(tools, plan, [...changes.values()]);
  if (!(await mayBegin())) return false;
  const waves = [...Map.groupBy(plan.releases, (release) => release.artifact.wave).values()];
  for (const [index, wave] of waves.entries()) {
    const written: WrittenService[] = [];
    for (const release of wave) {
      const change = changes.get(release);
      if (!change) {
        await settleIntents(scoped, { plan: release.plan, world: plan.world }, signal);
        continue;
      }
      const applied = await applyRelease(scoped, change, signal);
      written.push(...applied.written);
      if (policy.wait) await scoped.awaitWritten(applied.written);
    }
    if (index < waves.length - 1) await scoped.awaitWritten(written);
  }
  await trimAll(tools, backend, plan, policy.historyMax, signal);
  return true;
}

/** Before the first write: a record that is too large, or for which there is no room, would be known only when all runs. */
function assertRecordable(tools: ApplyPlanTools, plan: ApplicationPlan, changes: readonly ReleaseChange[]): void {
  const created = tools.now().toISOString();
  const sizes = changes.map(({ record }) => encodeRecord({ ...record, revision: 1, created }).data.byteLength);
  const adding = sizes.reduce((sum, size) => sum + size, 0);
  if (adding > 0) tools.records.assertFits(plan.world.index.snapshot.configs, adding);
}

/** What was deployed is deployed, whether old records can be removed or not. Throws only `cancelled` and `lease/deposed`. */
async function trimAll(
  tools: ApplyPlanTools,
  backend: Backend,
  plan: ApplicationPlan,
  historyMax: number,
  signal: AbortSignal,
): Promise<void> {
  const look = tools.looks.fresh();
  for (const { artifact } of plan.releases) {
    try {
      await trimHistory(tools, backend, artifact.name, await look, historyMax, signal);
    } catch (error) {
      if (signal.aborted || HivekeepError.is(error, 'cancelled', 'lease/deposed')) throw error;
      const told = { application: plan.spec.name, release: artifact.name, error };
      tools.logger.warn('old records could not be removed; the next sync that writes tries again', told);
    }
  }
}

function scopedTools(
  tools: ApplyPlanTools,
  backend: Backend,
  { name: application, registryAuth }: Spec,
  timeoutMs: number,
  signal: AbortSignal,
): ApplyTools {
  const puller =
    registryAuth !== undefined && hasCapability(backend, 'RegistryAuth') ? backend.withRegistryAuth({ secret: registryAuth }) : undefined;
  const reported = new Set<string>();
  const report = (service: string): void => {
    if (reported.has(service)) return;
    reported.add(service);
    const message = `service ${service} was changed by somebody else during an apply`;
    tools.board.event('out-of-band-write', { application, message });
  };
  const watched = hasCapability(backend, 'OutOfBand') ? backend.withOutOfBand({ report }) : undefined;
  const convergence = {
    look: async () => (await tools.looks.fresh()).index.snapshot,
    now: () => tools.now().getTime(),
    monotonicNow: tools.monotonicNow,
  };
  return {
    daemon: tools.daemon,
    records: tools.records,
    intents: tools.intents,
    now: tools.now,
    registryAuth: async (image) => puller?.registryAuth(image),
    outOfBand: (service) => watched?.reportOutOfBand(service),
    awaitWritten: (written) => awaitConvergence(convergence, written, timeoutMs, signal),
  };
}

/** Contents of every secret the plan makes, by name: all are there before the first write. */
async function secretContents(tools: ApplyPlanTools, plan: ApplicationPlan, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const contents = new Map<string, string>();
  for (const { artifact, plan: release } of plan.releases) {
    const names = release.steps
      .filter((step) => step.kind === 'secret' && step.action === 'create' && step.needsContent)
      .map((step) => step.name);
    const { commit } = plan.built.provenance;
    const found = await tools.source.secretContents({ application: plan.spec, commit, release: artifact.name, names }, signal);
    for (const [name, content] of found) contents.set(name, content);
    const missing = names.filter((name) => !found.has(name));
    if (missing.length > 0) throw new HivekeepError('artifact/missing', `the source has no content for ${missing.join(', ')} at ${commit}`);
  }
  return contents;
}

function changeOf(
  tools: ApplyPlanTools,
  plan: ApplicationPlan,
  { artifact, plan: release, objects }: PlannedRelease,
  secretContents: ReadonlyMap<string, string>,
): ReleaseChange {
  const owner = ownerStamp({ controllerId: tools.controllerId, application: plan.spec.name }, artifact.name);
  const { name, version, appVersion, repo, repoURL } = artifact.chart;
  const chart = {
    name,
    version,
    ...(appVersion !== undefined && { appVersion }),
    ...(repo !== undefined && { repo }),
    ...(repoURL !== undefined && { repoURL }),
  };
  const managed = managedNetworks(objects.externals.networks, release, plan.world, owner);
  const record = {
    release: artifact.name,
    status: 'deployed',
    chart,
    values: artifact.values,
    manifest: artifact.manifest,
    namespace: artifact.name,
    owner,
    ...(managed.length > 0 && { managedNetworks: managed }),
    files: artifact.files,
    commit: plan.built.provenance.commit,
  };
  return { application: plan.spec.name, owner, plan: release, waves: objects.waves, world: plan.world, record, secretContents };
}

/** External networks that exist because this release asked for them: those it makes now, and those it made before. */
function managedNetworks(externals: readonly string[], plan: ReleasePlan, world: World, owner: string): string[] {
  const made = new Set(plan.steps.filter((step) => step.kind === 'network' && step.managed).map((step) => step.name));
  const isOurs = (name: string) => (world.index.networksByName.get(name) ?? []).some(({ labels }) => labels[keys.owner] === owner);
  return externals.filter((name) => made.has(name) || isOurs(name));
}
