import { formatDuration } from '@hivekeep/contracts';
import type { LiveService } from '../live.ts';
import type { TaskCounts } from './service-tasks.ts';

export type Phase = 'converged' | 'progressing' | 'wedged';

/** How far a service has come, and why no further. */
export interface Verdict {
  readonly phase: Phase;
  readonly reason: string;
}

/** Shortest time a task must have run before its service counts as settled, in milliseconds. */
export const STABLE_AFTER_MS = 5_000;
const NS_PER_MS = 1e6;
const NAMED_NODES = 3;

function updateVerdict(service: LiveService, counts: TaskCounts, done: number): Verdict | undefined {
  const status = service.updateStatus;
  if (!status) return undefined;
  const reason = status.message ? `update ${status.state}: ${status.message}` : `update ${status.state}`;
  switch (status.state) {
    case 'paused':
      return counts.jobLike && done >= counts.desired ? undefined : { phase: 'wedged', reason };
    case 'rollback_paused':
    case 'rollback_completed':
      return { phase: 'wedged', reason };
    case 'updating':
    case 'rollback_started':
      return { phase: 'progressing', reason: counts.waitingFor === undefined ? reason : `${reason}; newest task ${counts.waitingFor}` };
    default:
      return undefined;
  }
}

function stabilityLeft(service: LiveService, counts: TaskCounts, now: number): number {
  if (counts.newestCountedAt === undefined) return 0;
  const window = Math.max((service.spec.UpdateConfig?.Monitor ?? 0) / NS_PER_MS, STABLE_AFTER_MS);
  return window - Math.max(0, now - counts.newestCountedAt);
}

/** A task's own words, else the nodes without one: swarm makes none on a paused node, say. */
function whyFewer({ waitingFor, bareNodes }: TaskCounts): string {
  if (waitingFor !== undefined) return `; newest task ${waitingFor}`;
  if (bareNodes.length === 0) return '';
  const more = bareNodes.length > NAMED_NODES ? ` and ${bareNodes.length - NAMED_NODES} more` : '';
  return `; none on ${bareNodes.slice(0, NAMED_NODES).join(', ')}${more}`;
}

/** Tasks that count as done: those that run, and of jobs those that ended well; of a native job the latter alone. */
export function doneTasks(counts: TaskCounts): number {
  const nativeJob = counts.mode === 'replicated-job' || counts.mode === 'global-job';
  return nativeJob ? counts.completed : counts.running + counts.completed;
}

/**
 * Judges one service, first match: a dead task, the daemon's own update state, too few tasks, a task younger than the monitor window
 * (at least 5 s, from its creation), else converged. A service that wants no task and has none is converged.
 */
export function judgeService(service: LiveService, counts: TaskCounts, now: number): Verdict {
  const done = doneTasks(counts);
  if (counts.dead !== undefined && done < counts.desired) return { phase: 'wedged', reason: `task ${counts.dead}` };
  const update = updateVerdict(service, counts, done);
  if (update) return update;
  if (done < counts.desired) {
    return { phase: 'progressing', reason: `${done}/${counts.desired} tasks${whyFewer(counts)}` };
  }
  const left = stabilityLeft(service, counts, now);
  if (left > 0) return { phase: 'progressing', reason: `watching new tasks for another ${formatDuration(Math.ceil(left / 1000) * 1000)}` };
  return { phase: 'converged', reason: '' };
}
