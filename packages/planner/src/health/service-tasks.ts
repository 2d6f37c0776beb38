import type { ServiceMode } from '@hivekeep/compose';
import type { LiveNode, LiveService, LiveTask } from '../live.ts';
import type { SnapshotIndex } from '../snapshot-index.ts';
import { admitsNode } from './placement-constraint.ts';

export type ModeName = 'replicated' | 'global' | 'replicated-job' | 'global-job';

/** The mode's name; an unset one is replicated. */
export function modeName(mode: ServiceMode): ModeName {
  if (mode.Global) return 'global';
  if (mode.ReplicatedJob) return 'replicated-job';
  return mode.GlobalJob ? 'global-job' : 'replicated';
}

/** What the tasks of a service say. Only the newest task of a slot (global: of a node) on a node that is up counts. */
export interface TaskCounts {
  readonly mode: ModeName;
  readonly running: number;
  readonly completed: number;
  readonly desired: number;
  /** Whether tasks that ended well count: native jobs, and services that are not restarted after success. */
  readonly jobLike: boolean;
  /** Set when the newest task of a slot ended badly and nothing will start it again: the daemon's reason. */
  readonly dead?: string;
  /** Creation of the newest task that counted. */
  readonly newestCountedAt?: number;
  /** Why the newest task that does not run is where it is. */
  readonly waitingFor?: string;
  /** Of a global service: host names of the nodes that admit a task and have none that runs, shall or ended well, sorted; empty while it lacks none. */
  readonly bareNodes: readonly string[];
}

const DEAD_STATES: ReadonlySet<string> = new Set(['failed', 'rejected', 'orphaned']);
const ENDING: ReadonlySet<string> = new Set(['shutdown', 'remove']);

export function isNativeJob(mode: ModeName): boolean {
  return mode === 'replicated-job' || mode === 'global-job';
}

function admittedNodes(service: LiveService, index: SnapshotIndex): LiveNode[] {
  const constraints = service.spec.TaskTemplate.Placement?.Constraints ?? [];
  return [...index.schedulable.values()].filter((node) => admitsNode(node, constraints));
}

function desiredTasks(service: LiveService, mode: ModeName, index: SnapshotIndex): number {
  if (mode === 'replicated') return service.spec.Mode.Replicated?.Replicas ?? 1;
  if (mode === 'replicated-job') {
    const job = service.spec.Mode.ReplicatedJob;
    return job?.TotalCompletions ?? job?.MaxConcurrent ?? 1;
  }
  return admittedNodes(service, index).length;
}

function bareNodes(service: LiveService, tasks: readonly LiveTask[], index: SnapshotIndex): string[] {
  const served = new Set(tasks.map((task) => task.nodeId));
  return admittedNodes(service, index)
    .filter(({ id }) => !served.has(id))
    .map(({ hostname }) => hostname)
    .sort();
}

function newestPerSlot(tasks: readonly LiveTask[], mode: ModeName, index: SnapshotIndex): LiveTask[] {
  const perNode = mode === 'global' || mode === 'global-job';
  const newest = new Map<string | number, LiveTask>();
  for (const task of tasks) {
    if (!index.schedulable.has(task.nodeId)) continue;
    const key = perNode ? task.nodeId : task.slot;
    const known = newest.get(key);
    if (known === undefined || task.createdAt > known.createdAt) newest.set(key, task);
  }
  return [...newest.values()];
}

/** A task's own words: the error, else the message, after its state. */
export function taskReason(task: LiveTask): string {
  const words = task.error || task.message;
  return words ? `${task.state}: ${words}` : task.state;
}

function waitingFor(tasks: readonly LiveTask[]): string | undefined {
  let newest: LiveTask | undefined;
  for (const task of tasks) {
    if (task.state === 'running' || task.state === 'complete' || (task.desiredState === 'shutdown' && task.error === '')) continue;
    if (newest === undefined || task.createdAt > newest.createdAt) newest = task;
  }
  if (newest === undefined) return undefined;
  const failed = DEAD_STATES.has(newest.state) ? undefined : newestFailed(tasks, newest);
  return failed ? `${taskReason(newest)}; the one before it ${taskReason(failed)}` : taskReason(newest);
}

/** Tasks of a global service have no slot but a node. */
function sameSlot(task: LiveTask, other: LiveTask): boolean {
  return task.slot === other.slot && (task.slot !== 0 || task.nodeId === other.nodeId);
}

/** What a task took the place of, when that ended badly: between two tries the new one's own words say nothing. */
function newestFailed(tasks: readonly LiveTask[], successor: LiveTask): LiveTask | undefined {
  return tasks
    .filter((task) => DEAD_STATES.has(task.state) && sameSlot(task, successor) && task.createdAt < successor.createdAt)
    .reduce<LiveTask | undefined>((newest, task) => (newest && newest.createdAt > task.createdAt ? newest : task), undefined);
}

/** Counts a service's tasks, those for which `counts` is false left aside. */
export function countTasks(service: LiveService, index: SnapshotIndex, counts: (task: LiveTask) => boolean = () => true): TaskCounts {
  const mode = modeName(service.spec.Mode);
  const restart = service.spec.TaskTemplate.RestartPolicy?.Condition;
  const jobLike = isNativeJob(mode) || restart === 'none' || restart === 'on-failure';
  const ofIteration = (task: LiveTask): boolean =>
    !isNativeJob(mode) || service.jobIteration === undefined || task.jobIteration === service.jobIteration;
  const tasks = (index.tasksByService.get(service.id) ?? []).filter((task) => ofIteration(task) && counts(task));
  const newest = newestPerSlot(tasks, mode, index);
  const running = newest.filter(
    (task) => task.state === 'running' && (task.desiredState === 'running' || (isNativeJob(mode) && task.desiredState === 'complete')),
  );
  const completed = jobLike ? newest.filter((task) => task.state === 'complete') : [];
  const dead = restart === 'none' ? newest.find((task) => DEAD_STATES.has(task.state)) : undefined;
  const counted = [...running, ...completed].map((task) => task.createdAt);
  const waiting = waitingFor(tasks);
  const desired = desiredTasks(service, mode, index);
  const lacksTasks = mode === 'global' && running.length + completed.length < desired;
  return {
    mode,
    running: running.length,
    completed: completed.length,
    desired,
    jobLike,
    ...(dead && { dead: taskReason(dead) }),
    ...(counted.length > 0 && { newestCountedAt: Math.max(...counted) }),
    ...(waiting !== undefined && { waitingFor: waiting }),
    bareNodes: lacksTasks ? bareNodes(service, [...newest.filter((task) => !ENDING.has(task.desiredState)), ...completed], index) : [],
  };
}
