import { labels as keys } from '@hivekeep/application';
import { type ReleaseRecord, releaseStack } from '@hivekeep/charts';
import type { StackObjects } from '@hivekeep/compose';
import { type LiveObject, type ObjectNames, type PrunableObject, planHashedPrune, planTrim, type TrimmableRecord } from '@hivekeep/planner';
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
  const trim = planTrim(candidates, historyMax, rolledBack && previous !== undefined ? { runningRevision: previous } : {});
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
  await pruneHashed(
    tools,
    release,
    world,
    candidates.filter((record) => !removed.has(record.name)),
    signal,
  );
}

async function pruneHashed(
  tools: ApplyPlanTools,
  release: string,
  world: World,
  kept: readonly TrimmableRecord[],
  signal: AbortSignal,
): Promise<void> {
  const mounted = { configs: new Set<string>(), secrets: new Set<string>() };
  for (const { spec } of world.index.snapshot.services) {
    for (const config of spec.TaskTemplate.ContainerSpec?.Configs ?? []) mounted.configs.add(config.ConfigName);
    for (const secret of spec.TaskTemplate.ContainerSpec?.Secrets ?? []) mounted.secrets.add(secret.SecretName);
  }
  for (const intent of world.intents.get(release) ?? []) {
    for (const name of intent.names.configs) mounted.configs.add(name);
    for (const name of intent.names.secrets) mounted.secrets.add(name);
  }
  const { configs, secrets } = world.index.snapshot;
  const objects = [...configs.map((config) => prunable('config', config)), ...secrets.map((secret) => prunable('secret', secret))];
  for (const object of planHashedPrune(release, objects, kept, mounted)) await tools.daemon.remove(object.kind, object, signal);
}

function prunable(kind: 'config' | 'secret', { id, name, labels }: LiveObject): PrunableObject {
  return {
    kind,
    id,
    name,
    stack: labels[keys.stack],
    createdByUs: labels[keys.controllerCreated] !== undefined && labels[keys.owner] !== undefined,
  };
}
