import type { Issue } from '@hivekeep/contracts';
import { OWNER_LABEL } from '../labels.ts';
import { readOwner } from '../owner-stamp.ts';
import { refusal } from '../policy/policy-input.ts';
import type { ReleaseInput } from './release-input.ts';

function otherController(stamp: string | undefined, what: string, input: ReleaseInput): Issue[] {
  const owner = readOwner(stamp, input.release.name);
  if (!owner || owner.controllerId === input.owner.controllerId) return [];
  const path = `releases.${input.release.name}`;
  if (input.others.living.has(owner.controllerId)) {
    return [
      refusal('other-controller', path, `${what} belongs to the controller '${owner.controllerId}', which is alive; remove it there first`),
    ];
  }
  if (input.others.takeOver) return [];
  return [
    refusal(
      'other-controller',
      path,
      `${what} belongs to the controller '${owner.controllerId}', which holds no lease now; start with --take-over to adopt it`,
    ),
  ];
}

function foreignServices(input: ReleaseInput): Issue[] {
  const { release, records, intents, owner } = input;
  const ours = (stamp: string | undefined): boolean => readOwner(stamp, release.name)?.controllerId === owner.controllerId;
  if (!input.stacks?.has(release.name)) return [];
  if (records.length > 0 || intents.some((intent) => ours(intent.owner))) return [];
  const strangers = (input.index.servicesByStack.get(release.name) ?? []).filter((service) => !ours(service.spec.Labels?.[OWNER_LABEL]));
  if (strangers.length === 0) return [];
  const names = strangers.map((service) => service.spec.Name).sort();
  const shown = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
  return [
    refusal(
      'foreign-stack',
      `releases.${release.name}`,
      `the stack '${release.name}' already runs services that no release record covers (${shown}); remove it (docker stack rm ${release.name}), or give the release another name`,
    ),
  ];
}

/**
 * Refuses a stack that is somebody else's, before the first write. A stack is ours under a record of its name (whoever stamped it,
 * unless that is another controller), under an intent of ours, or where each of its services carries our owner label.
 */
export function checkOwnership(input: ReleaseInput): Issue[] {
  const stamped = otherController(input.records[0]?.owner, `the release '${input.release.name}'`, input);
  const labelled = (input.index.servicesByStack.get(input.release.name) ?? []).flatMap((service) =>
    otherController(service.spec.Labels?.[OWNER_LABEL], `the service '${service.spec.Name}'`, input),
  );
  return stamped.length > 0 ? stamped : [...labelled.slice(0, 1), ...foreignServices(input)];
}
