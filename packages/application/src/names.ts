import { createHash } from 'node:crypto';

/** swarmkit's limit for the names of configs and secrets. */
const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 12;

/** A name of at most 64 characters: a longer one is cut and ends in `-` and 12 digits of its sha256; a label keeps the whole. */
export function boundedName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}-${hash}`;
}

/** The config that is a controller's lease on a swarm. */
export function leaseName(controllerId: string): string {
  return boundedName(`hivekeep.lease.${controllerId}`);
}

/** The config that says which revision is being written; its name is the fence. */
export function intentName(release: string, revision: number): string {
  return boundedName(`hivekeep.intent.${release}.v${revision}`);
}

/** The config that holds a revision of a release. Source: the swarmcli family's record format. */
export function recordName(release: string, revision: number): string {
  return boundedName(`swarmcli.release.${release}.v${revision}`);
}

/** The config whose labels hold what must outlive a process about an application. */
export function appStateName(controllerId: string, application: string): string {
  return boundedName(`hivekeep.app.${controllerId}.${application}`);
}
