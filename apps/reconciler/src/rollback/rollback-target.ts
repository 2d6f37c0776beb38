import type { ReleaseRecord } from '@hivekeep/charts';
import { HivekeepError } from '@hivekeep/contracts';
import type { Built } from '../passes/application-plan.ts';
import type { World } from '../world.ts';
import { recordedRelease, sameRevision } from './recorded-release.ts';
import { rolledBackRecord } from './rollback-hold.ts';

/** A release and the revision it goes back to. */
export interface RollbackTarget {
  readonly release: string;
  readonly revision: number;
}

/** What was asked for. */
export interface RollbackQuestion {
  readonly release?: string | undefined;
  readonly to?: number | undefined;
}

/**
 * Which release goes back to which revision: that of `to`, else the newest before what is deployed that deploys something else. What is
 * deployed by a rollback counts as the revision it went back to, so that a second one goes on from there. `releases`: those of the application.
 * Throws `usage/invalid`, `release/unknown`, `revision/unknown`.
 */
export function chooseTarget(application: string, asked: RollbackQuestion, releases: readonly string[], world: World): RollbackTarget {
  const release = chooseRelease(application, asked.release, releases);
  if (asked.to !== undefined) return { release, revision: recordOf(release, asked.to, world).revision };
  const records = (world.records.get(release) ?? []).map(({ record }) => record);
  const [newest] = records;
  const hold = world.states.get(application)?.hold;
  const from = rolledBackRecord(release, hold, world) ? hold?.revision : newest?.revision;
  const before = records.find((record) => record.revision < (from ?? 0) && wasDeployed(record) && newest && !sameRevision(record, newest));
  if (before) return { release, revision: before.revision };
  throw new HivekeepError(
    'revision/unknown',
    `release '${release}' has no revision before what is deployed; ${keptRevisions(release, world)}`,
  );
}

function chooseRelease(application: string, asked: string | undefined, releases: readonly string[]): string {
  const [only, ...others] = releases;
  const names = releases.join(', ') || 'none';
  if (asked !== undefined) {
    if (releases.includes(asked)) return asked;
    throw new HivekeepError('release/unknown', `application '${application}' has no release '${asked}'; it has: ${names}`);
  }
  if (only === undefined) throw new HivekeepError('release/unknown', `application '${application}' has no release yet`);
  if (others.length > 0)
    throw new HivekeepError('usage/invalid', `application '${application}' has several releases: say which (${names})`);
  return only;
}

/** A kept revision that was deployed. Throws `revision/unknown`, `revision/unfit`. */
function recordOf(release: string, revision: number, world: World): ReleaseRecord {
  const found = world.records.get(release)?.find(({ record }) => record.revision === revision);
  if (!found)
    throw new HivekeepError('revision/unknown', `release '${release}' has no revision ${revision}; ${keptRevisions(release, world)}`);
  if (wasDeployed(found.record)) return found.record;
  throw new HivekeepError(
    'revision/unfit',
    `revision ${revision} of release '${release}' is recorded as ${found.record.status}: it was never deployed whole`,
  );
}

function wasDeployed({ status }: ReleaseRecord): boolean {
  return status === 'deployed' || status === 'superseded';
}

function keptRevisions(release: string, world: World): string {
  const kept = (world.records.get(release) ?? []).map(({ record }) => record.revision).join(', ');
  const unreadable = world.unreadable.filter((one) => one.release === release).map(({ message }) => `; ${message}`);
  return `kept are: ${kept || 'none'}${unreadable.join('')}`;
}

/**
 * A recorded revision in place of what is built of Git, to be planned as that is. Throws `revision/*`, and `compose/invalid`,
 * `chart/invalid` or `yaml/invalid` when its manifest is none.
 */
export function rollbackBuild({ release, revision }: RollbackTarget, world: World): Built {
  const record = recordOf(release, revision, world);
  return { digest: '', provenance: { commit: record.commit ?? '' }, warnings: [], releases: [recordedRelease(record)] };
}
