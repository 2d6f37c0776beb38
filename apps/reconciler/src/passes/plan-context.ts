import type { TermParts } from '../term-parts.ts';
import type { PlanContext } from './application-plan.ts';

/** Reads what guards depend on beside the look. Throws `swarm/*` where it can't be read: then nothing is planned. */
export async function readPlanContext({
  options,
  lease,
  apiVersion,
  own,
  now,
}: Pick<TermParts, 'options' | 'lease' | 'apiVersion' | 'own' | 'now'>): Promise<Omit<PlanContext, 'backend'>> {
  const living = lease.otherControllers.filter((other) => other.liveness !== 'dead').map((other) => other.controllerId);
  return {
    controllerId: options.controllerId,
    epoch: lease.epoch,
    apiVersion,
    own: await own.find(),
    others: { living: new Set(living), takeOver: options.takeOver },
    now: now().getTime(),
  };
}
