import { owningApplication } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import { wantsWrite } from '../passes/application-plan.ts';
import { checkClaims } from '../passes/check-claims.ts';
import type { PassTools } from '../passes/pass.ts';
import { refuse } from '../passes/refuse.ts';
import { unsupported } from '../passes/unsupported.ts';
import type { ApplicationEntry } from '../work/application-entry.ts';
import type { World } from '../world.ts';
import { chooseTarget, type RollbackQuestion, type RollbackTarget, rollbackBuild } from './rollback-target.ts';

type RollbackTools = Pick<PassTools, 'controllerId' | 'engine' | 'looks' | 'gate' | 'declaring'>;

/**
 * What a rollback would go back to. All that refuses it is found here already, before it is accepted: nothing is written.
 * Throws `swarm/frozen`, `usage/invalid`, `release/unknown`, `revision/*`, `policy/refused`, `application/*`, `swarm/*`.
 */
export async function checkRollback(
  tools: RollbackTools,
  entry: ApplicationEntry,
  asked: RollbackQuestion,
  signal: AbortSignal,
): Promise<RollbackTarget> {
  tools.gate.check(signal);
  const missing = unsupported(entry.spec);
  if (missing) throw missing;
  const world = await tools.looks.fresh();
  const target = chooseTarget(entry.name, asked, releasesOf(entry, world, tools.controllerId), world);
  const plan = await tools.engine.planApply({ spec: entry.spec, built: rollbackBuild(target, world) });
  refuse(plan, checkClaims(plan, { ...tools, application: entry.name }));
  if (wantsWrite(plan)) return target;
  const newest = world.records.get(target.release)?.[0]?.record.revision;
  const same = newest === target.revision ? '' : ` (by revision ${newest})`;
  throw new HivekeepError(
    'revision/unfit',
    `revision ${target.revision} of release '${target.release}' is what is deployed${same}; 'hivekeep app pause' holds the application there`,
  );
}

/** Those that it declares, and until that is known those that it deployed. */
function releasesOf({ name, plan }: ApplicationEntry, world: World, controllerId: string): string[] {
  if (plan) return plan.releases.map(({ artifact }) => artifact.name);
  const owned = [...world.records].filter(([release, [newest]]) => owningApplication(newest?.record.owner, release, controllerId) === name);
  return owned.map(([release]) => release).sort();
}
