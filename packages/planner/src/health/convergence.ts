import type { ServiceSpec, TaskSpec } from '@hivekeep/compose';
import type { LiveService, LiveTask, SwarmSnapshot } from '../live.ts';
import { indexSnapshot, type SnapshotIndex } from '../snapshot-index.ts';
import { sameValue } from '../spec/value-equality.ts';
import { countTasks } from './service-tasks.ts';
import { doneTasks, judgeService, type Phase, STABLE_AFTER_MS } from './service-verdict.ts';

/** A service that was just created or updated. */
export interface WrittenService {
  readonly serviceId: string;
  readonly name: string;
  /** The spec before the write; absent when the service was created. */
  readonly specBefore?: ServiceSpec;
  /** The version index an update assumed: a reading still at it is older than the write. Absent when the service was created. */
  readonly writtenAtVersion?: number;
  /** Whether tasks are replaced: the task template or the endpoint changed. */
  readonly templateChanged: boolean;
}

export interface Convergence {
  readonly serviceId: string;
  readonly name: string;
  readonly state: Phase;
  /** Tasks of the new generation that run or ended well, of how many. */
  readonly running: number;
  readonly desired: number;
  /** The scheduler's own words where it has any; empty once converged. */
  readonly reason: string;
}

function sameGeneration(task: TaskSpec, wanted: TaskSpec): boolean {
  const { Placement: taskPlacement, ...taskRest } = task;
  const { Placement: wantedPlacement, ...wantedRest } = wanted;
  return sameValue(taskRest, wantedRest) && sameValue(taskPlacement?.MaxReplicas, wantedPlacement?.MaxReplicas);
}

/**
 * Whether a task was made by this write. Without its spec nothing tells, and it counts as an old one: right after a write
 * the old tasks still run and the update state is still empty. Constraints replace no task that meets the new ones, so they are left out.
 */
function isNewGeneration(task: LiveTask, service: LiveService, written: WrittenService): boolean {
  if (!written.templateChanged || written.specBefore === undefined) return true;
  return task.spec !== undefined && sameGeneration(task.spec, service.spec.TaskTemplate);
}

/** A change of the endpoint alone replaces tasks whose spec stays equal: until the daemon says so, give it as long as a task's window. */
function awaitsUpdate(service: LiveService, written: WrittenService, now: number): boolean {
  if (!written.templateChanged || written.specBefore === undefined || service.updateStatus !== undefined) return false;
  return sameGeneration(written.specBefore.TaskTemplate, service.spec.TaskTemplate) && now - service.updatedAt < STABLE_AFTER_MS;
}

function judgeWritten(written: WrittenService, index: SnapshotIndex, now: number): Convergence {
  const { serviceId, name } = written;
  const service = index.serviceById.get(serviceId);
  if (!service) return { serviceId, name, state: 'wedged', running: 0, desired: 0, reason: 'the service is gone from the swarm' };
  if (written.writtenAtVersion !== undefined && service.version <= written.writtenAtVersion) {
    return { serviceId, name, state: 'progressing', running: 0, desired: 0, reason: 'the write has not been read back yet' };
  }
  if (awaitsUpdate(service, written, now)) {
    return { serviceId, name, state: 'progressing', running: 0, desired: 0, reason: 'the update has not begun yet' };
  }
  const counts = countTasks(service, index, (task) => isNewGeneration(task, service, written));
  const verdict = judgeService(service, counts, now);
  return { serviceId, name, state: verdict.phase, running: doneTasks(counts), desired: counts.desired, reason: verdict.reason };
}

/**
 * How far the services just written have come, in the order given. Nothing else on the swarm is looked at: a stranger under the same
 * label, stuck in an old rollback, holds no wave. `now` is in milliseconds on the clock the snapshot's times come from.
 */
export function convergence(written: readonly WrittenService[], snapshot: SwarmSnapshot, now: number): Convergence[] {
  const index = indexSnapshot(snapshot);
  return written.map((service) => judgeWritten(service, index, now));
}
