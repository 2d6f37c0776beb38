import { createHash } from 'node:crypto';

/** Source: swarmkit's limit on the names of configs and secrets. */
const MAX_NAME = 64;
const HASH_DIGITS = 12;

/** A config's name: one of over 64 characters is cut and ends in a hash; a label of the object has the whole. */
export function boundedName(whole: string): string {
  if (whole.length <= MAX_NAME) return whole;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_DIGITS);
  return `${whole.slice(0, MAX_NAME - HASH_DIGITS - 1)}-${hash}`;
}

export const leaseName = (controllerId: string) => boundedName(`hivekeep.lease.${controllerId}`);
export const appStateName = (controllerId: string, application: string) => boundedName(`hivekeep.app.${controllerId}.${application}`);
export const intentName = (release: string, revision: number) => boundedName(`hivekeep.intent.${release}.v${revision}`);
