import { intentName, labels as keys } from '@hivekeep/application';
import type { ReleaseRecord } from '@hivekeep/charts';
import { indexSnapshot, type SnapshotIndex } from '@hivekeep/planner';
import {
  type AppState,
  appStatesOf,
  type Backend,
  intentsOf,
  type RecordStore,
  type StoredIntent,
  type StoredRecord,
} from '@hivekeep/swarm';

export type KeptRecord = StoredRecord<ReleaseRecord>;

/** An intent with the name of its config. */
export type NamedIntent = StoredIntent & { readonly name: string };

/** The swarm as one look saw it, with what our own objects on it say. */
export interface World {
  readonly index: SnapshotIndex;
  /** By release, newest first. */
  readonly records: ReadonlyMap<string, readonly KeptRecord[]>;
  readonly intents: ReadonlyMap<string, readonly NamedIntent[]>;
  readonly states: ReadonlyMap<string, AppState>;
  /** Releases whose sweep has begun or is about to. */
  readonly marked: ReadonlySet<string>;
  /** Records nobody can decode, and the release whose they are by their label. */
  readonly unreadable: readonly { readonly release: string; readonly message: string }[];
  /** Bytes that release records use, with a warning from half of their budget on. */
  readonly recordUsage: { readonly bytes: number; readonly warning?: string };
}

export interface WorldTools {
  readonly backend: Backend;
  readonly records: RecordStore<ReleaseRecord>;
  readonly controllerId: string;
}

/** Reads the swarm. Throws `swarm/*` when any part can't be read: an unread swarm is unknown, never empty. */
export async function readWorld(tools: WorldTools, signal: AbortSignal): Promise<World> {
  const snapshot = await tools.backend.snapshot({ withTasks: true, signal });
  const { records, unreadable } = await tools.records.of(snapshot.configs, { signal });
  const byRelease = new Map<string, KeptRecord[]>();
  for (const kept of records) {
    const list = byRelease.get(kept.record.release);
    if (list) list.push(kept);
    else byRelease.set(kept.record.release, [kept]);
  }
  for (const list of byRelease.values()) list.sort((a, b) => b.record.revision - a.record.revision);
  const states = appStatesOf(snapshot.configs, tools.controllerId);
  return {
    index: indexSnapshot(snapshot),
    records: byRelease,
    intents: Map.groupBy(
      intentsOf(snapshot.configs).map((intent) => ({ ...intent, name: intentName(intent.release, intent.revision) })),
      (intent) => intent.release,
    ),
    states,
    marked: new Set([...states.values()].flatMap((state) => Object.keys(state.sweep ?? {}))),
    unreadable: unreadable.map(({ config, error }) => ({
      release: config.labels[keys.record.release] ?? '',
      message: `record ${config.name} can't be read: ${error instanceof Error ? error.message : 'unknown reason'}`,
    })),
    recordUsage: tools.records.usage(snapshot.configs),
  };
}

/** The highest epoch in which this controller wrote an object that stands on the swarm; 0 when there is none. Pure. */
export function highestEpoch(world: World, controllerId: string): number {
  const { services, networks, configs, secrets } = world.index.snapshot;
  const ours = `cd/${controllerId}/`;
  let highest = 0;
  const note = (found: Readonly<Record<string, string>> | null | undefined): void => {
    if (found?.[keys.owner]?.startsWith(ours) || found?.[keys.controller] === controllerId)
      highest = Math.max(highest, Number(found[keys.epoch]) || 0);
  };
  for (const service of services) note(service.spec.Labels);
  for (const object of [...networks, ...configs, ...secrets]) note(object.labels);
  return highest;
}
