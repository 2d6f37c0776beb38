import type { Issue } from '@hivekeep/contracts';
import { checkHostAccess } from './check-host-access.ts';
import { checkReferences, checkReservedLabels } from './check-references.ts';
import { type OwnStack, type PolicyInput, refusal } from './policy-input.ts';

/** Refuses to deploy, remove or sweep the stack the controller itself runs in. Undefined: another stack. */
export function checkOwnNamespace(stack: string, own: OwnStack): Issue | undefined {
  if (own.namespace === undefined || stack !== own.namespace) return undefined;
  return refusal('own-stack', 'release', `'${stack}' is the stack this controller runs in; give the release another name`);
}

/**
 * Every guard on what a release may reach outside itself, on the final objects, whatever `source` checked. Nothing may be written
 * while there is an issue. Messages name the field of `allow` that would permit it, or that none does.
 */
export function checkPolicy(input: PolicyInput): Issue[] {
  const own = checkOwnNamespace(input.stack, input.own);
  if (own) return [own];
  return [...checkHostAccess(input), ...checkReferences(input), ...checkReservedLabels(input)];
}
