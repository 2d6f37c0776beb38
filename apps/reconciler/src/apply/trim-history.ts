import { type ReleaseRecord, releaseStack } from '@hivekeep/charts';
import type { StackObjects } from '@hivekeep/compose';
import { type ObjectNames, planHashedPrune, planTrim, type TrimmableRecord } from '@hivekeep/planner';
import { type Backend, hasCapability, type StackResource } from '@hivekeep/swarm';
import type { KeptRecord, World } from '../world.ts';
import type { ApplyPlanTools } from './apply-plan.ts';

const converted = new WeakMap<ReleaseRecord, StackObjects>();

/** What a record's manifest declares, without policy. Throws `compose/invalid` and `chart/invalid` when it is no manifest. */
function recordedObjects(record: ReleaseRecord): StackObjects {
  const known = converted.get(record);
  if (known) return known;
  const { chart, manifest } = record;
  const { objects } = releaseStack({ stack: record.release, chart, manifest });
  converted.set(record, objects);
  return objects;
}

/** Volumes a record declares or mounts, external ones included. Throws as `recordedObjects`. */
export function stackVolumes(record: ReleaseRecord): StackObjects['volumes'] {
  return recordedObjects(record).volumes;
}

function objectNames(record: ReleaseRecord): ObjectNames {
  const { configs, secrets, volumes, externals } = recordedObjects(record);
  return {
    configs: [...configs.map((config) => config.Name), ...externals.configs],
    secrets: [...secrets.map((secret) => secret.Name), ...externals.secrets],
    volumes: volumes.map((volume) => volume.name),
  };
}

/**
 * Removes records beyond `historyMax` (0 keeps all), and the hashed configs and secrets that only they named. Stops at the
 * first record whose manifest can't be read: without it nobody knows what may go.
 */
export async function trimHistory(
  tools: ApplyPlanTools,
  backend: Backend,
  release: string,
  world: World,
  historyMax: number,
  signal: AbortSignal,
): Promise<void> {
  const records = world.records.get(release) ?? [];
  if (historyMax <= 0 || records.length <= historyMax) return;
  const trimmable = new Map<string, KeptRecord>(records.map((kept) => [kept.config.name, kept]));
  const candidates: TrimmableRecord[] = records.map(({ config, record }) => ({
    name: config.name,
    revision: record.revision,
    objects: objectNames(record),
  }));
  const rolledBack = (world.index.servicesByStack.get(release) ?? []).some((service) => service.updateStatus?.state.startsWith('rollback'));
  const previous = records[1]?.record.revision;
  const trim = planTrim(candidates, historyMax, {
    rollbackTargets: rollbackTargets(world, release),
    ...(rolledBack && previous !== undefined && { runningRevision: previous }),
  });
  if (trim.remove.length === 0) return;
  await tools.daemon.gate.renew(signal);
  for (const { name } of trim.remove) {
    const kept = trimmable.get(name) as KeptRecord;
    await tools.daemon.record(name, 'remove', kept.config.id, async () => {
      await tools.records.remove(kept.config.id, { signal });
      return { id: kept.config.id };
    });
  }
  const removed = new Set(trim.remove.map((record) => record.name));
  const dropped = droppedObjects(
    backend,
    release,
    world,
    candidates.filter((record) => !removed.has(record.name)),
  );
  if (dropped.length > 0) await removeDropped(tools, backend, release, dropped, signal);
}

/** What an accepted rollback goes back to, and what a finished one is held at. */
function rollbackTargets({ states }: World, release: string): Set<number> {
  const noted = [...states.values()].flatMap(({ hold, rollback }) => [hold, rollback]);
  return new Set(noted.flatMap((one) => (one?.release === release && one.revision !== undefined ? [one.revision] : [])));
}

/** Hashed configs and secrets that nothing names any more; none where the backend can't tell what there is, or what is in use. */
function droppedObjects(backend: Backend, stack: string, world: World, kept: readonly TrimmableRecord[]): StackResource[] {
  if (!hasCapability(backend, 'ResourceLister') || !hasCapability(backend, 'DeclaredLister')) return [];
  const look = world.index;
  const declared = backend.declared({ look });
  const intents = world.intents.get(stack) ?? [];
  const inUse = {
    configs: new Set([...declared.configs, ...intents.flatMap(({ names }) => names.configs)]),
    secrets: new Set([...declared.secrets, ...intents.flatMap(({ names }) => names.secrets)]),
  };
  const resources = backend.resources({ look, stack }).map((resource) => ({ ...resource, stack, createdByUs: resource.created }));
  return planHashedPrune(stack, resources, kept, inUse).map(({ kind, id, name }) => ({ kind, id, name, created: true }));
}

async function removeDropped(
  tools: ApplyPlanTools,
  backend: Backend,
  release: string,
  dropped: readonly StackResource[],
  signal: AbortSignal,
): Promise<void> {
  if (!hasCapability(backend, 'ResourceRemover')) {
    const objects = dropped.map(({ kind, name }) => `${kind} ${name}`).join(', ');
    tools.logger.warn("objects that an upgrade dropped stay: the swarm's backend can't remove them", { release, objects });
    return;
  }
  for (const resource of dropped) {
    await tools.daemon.tracked(() => {
      tools.daemon.gate.check(signal);
      return backend.removeResource({ resource, signal });
    });
  }
}
