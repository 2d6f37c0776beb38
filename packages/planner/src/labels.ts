import { labels } from '@hivekeep/application';

export const STACK_LABEL = labels.stack;
export const IMAGE_LABEL = labels.image;
export const OWNER_LABEL = labels.owner;
export const EPOCH_LABEL = labels.epoch;
export const CREATED_LABEL = labels.controllerCreated;
export const SECRET_DIGEST_LABEL = labels.secretDigest;

/** Labels that say who wrote and when: no part of what a service is, so never a reason to write it. */
export const BOOKKEEPING_LABELS: ReadonlySet<string> = new Set([OWNER_LABEL, EPOCH_LABEL]);
