import type { ReleaseRecord } from '@hivekeep/charts';
import type { Hold } from '@hivekeep/contracts';
import type { AppState } from '@hivekeep/swarm';
import type { Built } from '../passes/application-plan.ts';
import type { RollbackRequest } from '../work/application-entry.ts';
import type { World } from '../world.ts';
import { sameRevision } from './recorded-release.ts';

/** What Git had when a rollback went away from it. */
type Baseline = Pick<Hold, 'commit' | 'digest'>;

function baselineOf({ provenance, digest }: Pick<Built, 'provenance' | 'digest'>): Baseline {
  return { commit: provenance.commit, digest };
}

/**
 * The hold that a rollback puts on its application, kept until Git has something else (`endsRollback`). An application that is paused
 * stays so, and keeps what was rolled back beside. `git`: what was built of it last; without, the next build tells.
 */
export function withRollback(state: AppState, { actor, at, release, revision }: RollbackRequest, git: Built | undefined): AppState {
  const { hold } = state;
  if (hold?.reason === 'rollback' && hold.at === at) return state; // what goes on after a kill
  const target = { release, revision, ...(git && baselineOf(git)) };
  if (hold?.reason === 'pause') return { ...state, hold: { ...pauseOf(hold), ...target } };
  const message = `the rollback to revision ${revision} of ${release} holds until a commit changes what is built, a sync or 'app resume'`;
  return { ...state, hold: { reason: 'rollback', by: actor, at, message, ...target } };
}

/** The state without what a rollback holds; a pause stays. */
export function withoutRollback({ hold, ...state }: AppState): AppState {
  return hold?.reason === 'pause' ? { ...state, hold: pauseOf(hold) } : state;
}

/** The state with a pause over whatever held it: what was rolled back stays known. */
export function withPause(state: AppState, pause: Hold): AppState {
  const { release, revision, commit, digest } = state.hold ?? {};
  if (release === undefined) return { ...state, hold: pause };
  return { ...state, hold: { ...pause, release, revision, ...(commit !== undefined && { commit, digest }) } };
}

function pauseOf({ release: _, revision: __, commit: ___, digest: ____, ...pause }: Hold): Hold {
  return pause;
}

/**
 * Whether Git has moved on from what was rolled back: to another commit, which changes what is built. A commit that touches nothing of the
 * application's is none, nor are other bytes of the same commit. A pause ends only with `resume`.
 */
export function endsRollback(hold: Hold | undefined, { provenance, digest }: Pick<Built, 'provenance' | 'digest'>): boolean {
  if (hold?.reason !== 'rollback' || hold.commit === undefined) return false;
  return hold.commit !== provenance.commit && hold.digest !== digest;
}

/** The state with the baseline that was not known when its rollback began; undefined when there is nothing to add. */
export function withBaseline(state: AppState, built: Pick<Built, 'provenance' | 'digest'>): AppState | undefined {
  const { hold } = state;
  if (hold?.reason !== 'rollback' || hold.commit !== undefined) return undefined;
  return { ...state, hold: { ...hold, ...baselineOf(built) } };
}

/** The newest record of a release that runs what it was rolled back to; undefined when none was, or the rollback did not get there. */
export function rolledBackRecord(release: string, hold: Hold | undefined, world: World): ReleaseRecord | undefined {
  if (hold?.release !== release) return undefined;
  const records = (world.records.get(release) ?? []).map(({ record }) => record);
  const [newest] = records;
  const target = records.find(({ revision }) => revision === hold.revision);
  return newest && target && sameRevision(newest, target) ? newest : undefined;
}
