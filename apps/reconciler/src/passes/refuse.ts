import { HivekeepError, type Issue } from '@hivekeep/contracts';
import type { ApplicationPlan } from './application-plan.ts';

/** Throws `policy/refused` with every guard that refuses the plan, `application/draining` while a sweep of it is not over. */
export function refuse(plan: ApplicationPlan, claims: readonly Issue[]): void {
  const swept = plan.releases.map((release) => release.artifact.name).filter((name) => plan.world.marked.has(name));
  if (swept.length > 0) {
    const names = swept.join(', ');
    throw new HivekeepError(
      'application/draining',
      `the sweep of ${names} had begun when it was declared again; it is finished first and then installed anew`,
    );
  }
  const issues = [...claims, ...plan.releases.flatMap((release) => release.plan.refusals)];
  if (issues.length > 0)
    throw new HivekeepError(
      'policy/refused',
      `refused before the first write, ${issues.length} ${issues.length === 1 ? 'reason' : 'reasons'}`,
      { issues },
    );
}
