/** Label keys this package reads and writes. The stack keys are the docker CLI's; `com.swarmcli.*` belong to the record format. */
export const STACK_LABEL = 'com.docker.stack.namespace';
export const IMAGE_LABEL = 'com.docker.stack.image';
/** `cd/<controllerId>/<application>:release/<release>` on every object we created. */
export const OWNER_LABEL = 'com.hivekeep.owner';
/** The lease epoch of the last real write. */
export const EPOCH_LABEL = 'com.hivekeep.epoch';
/** RFC 3339 time, on configs and secrets we created: an adopted one never gains it. */
export const CREATED_LABEL = 'com.swarmcli.cd.created';
/** scrypt digest of a secret's content, which cannot be read back. */
export const SECRET_DIGEST_LABEL = 'com.hivekeep.secret.digest';
/** sha256 of a config's data, so that a listing without data is enough to compare it. */
export const CONFIG_DIGEST_LABEL = 'com.hivekeep.config.digest';

/** Labels that say who wrote and when: no part of what a service is, so never a reason to write it. */
export const BOOKKEEPING_LABELS: ReadonlySet<string> = new Set([OWNER_LABEL, EPOCH_LABEL]);
