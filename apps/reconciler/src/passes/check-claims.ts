import { owningApplication } from '@hivekeep/application';
import type { Issue } from '@hivekeep/contracts';
import type { ApplicationPlan } from './application-plan.ts';

export interface Claimant {
  readonly application: string;
  readonly controllerId: string;
  /** The applications that declare a release, the longest held first. */
  declaring(release: string): readonly string[];
}

/**
 * Refuses a release that another application has the better claim to: its record is that one's, or it is new and that one was held first.
 * Two that deployed it in turns would never come to an end. What an app set tells by itself is refused when it is loaded; this finds
 * what stands in release files, or under the home swarm's name beside an empty destination.
 */
export function checkClaims({ releases, world }: Pick<ApplicationPlan, 'releases' | 'world'>, claimant: Claimant): Issue[] {
  return releases.flatMap(({ artifact: { name } }) => {
    const declaring = claimant.declaring(name);
    const stamp = world.records.get(name)?.[0]?.record.owner;
    const owner = owningApplication(stamp, name, claimant.controllerId);
    const rightful = owner !== undefined && (owner === claimant.application || declaring.includes(owner)) ? owner : declaring[0];
    if (rightful === undefined || rightful === claimant.application) return [];
    const message = `the release '${name}' is that of application '${rightful}' too; give one of them another name`;
    return [{ rule: 'duplicate-release', path: `releases.${name}`, message }];
  });
}
