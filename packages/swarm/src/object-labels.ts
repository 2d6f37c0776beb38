/** Where an object lives: set by every tool that deploys stacks (Docker CLI). */
export const stackLabel = 'com.docker.stack.namespace';
/** What an object of Hivekeep's own bookkeeping is: `lease`, `app` or `intent`. */
export const typeLabel = 'com.hivekeep.type';
/** Names of our bookkeeping configs start with this; records of releases (`swarmcli.release.…`) do not. */
export const OWN_PREFIX = 'hivekeep.';
