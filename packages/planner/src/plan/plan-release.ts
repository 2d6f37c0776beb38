import type { Issue } from '@hivekeep/contracts';
import type { ReleasePlan } from '../plan.ts';
import { checkDocument } from '../policy/check-document.ts';
import { checkEngineLevel } from '../policy/check-engine-level.ts';
import { checkPolicy } from '../policy/check-policy.ts';
import { checkPorts } from '../policy/check-ports.ts';
import { checkSizes } from '../policy/check-sizes.ts';
import { checkOwnership } from './check-ownership.ts';
import { planContents } from './content-steps.ts';
import { planNetworks } from './network-steps.ts';
import { openIntents } from './open-intents.ts';
import { joined, type PlanDraft } from './plan-draft.ts';
import { releaseAction } from './release-action.ts';
import type { ReleaseInput } from './release-input.ts';
import { planServices } from './service-steps.ts';

function guards(input: ReleaseInput): Issue[] {
  const { release, objects, allow, own, index } = input;
  return [
    ...checkPolicy({ stack: release.name, objects, allow, own, index }),
    ...(input.document ? checkDocument(input.document) : []),
    ...checkPorts({ stack: release.name, objects, index }),
    ...checkSizes({ objects }, input.apiVersion),
    ...checkOwnership(input),
    ...checkEngineLevel(release),
  ];
}

/** Everything the swarm lacks of this release, whatever its records say: networks, secrets, configs, then services by wave and name. */
function planObjects(input: ReleaseInput): PlanDraft {
  return joined([planNetworks(input), planContents(input), planServices(input)]);
}

/**
 * What one release needs, as data. The records decide whether it is installed, upgraded or unchanged; the live swarm decides which
 * objects are written: none whose spec is equal. A revision that was begun and not recorded is finished or found equal, never ignored.
 * An unchanged release costs no guard and no step. Guards and conflicts stand in `refusals`: with one of them nothing may be written.
 */
export function planRelease(input: ReleaseInput): ReleasePlan {
  const { action, reasons } = releaseAction(input);
  const settles = input.intents.filter((intent) => intent.epoch <= input.epoch).map((intent) => intent.name);
  const base = { release: input.release.name, wave: input.release.wave, ...(settles.length > 0 && { settles }) };
  const open = openIntents(input).map(({ revision }) => `revision ${revision} was begun and never recorded`);
  if (action === 'unchanged' && open.length === 0) return { ...base, action, reasons: [], steps: [], refusals: [], warnings: [] };
  const draft = planObjects(input);
  if (action === 'unchanged' && draft.steps.length === 0 && draft.refusals.length === 0) {
    return { ...base, action, reasons: [], steps: [], refusals: [], warnings: draft.warnings };
  }
  return {
    ...base,
    action: action === 'unchanged' ? 'upgrade' : action,
    reasons: [...reasons, ...open],
    steps: draft.steps,
    refusals: [...guards(input), ...draft.refusals],
    warnings: draft.warnings,
  };
}
