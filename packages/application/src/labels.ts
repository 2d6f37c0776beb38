/** Keys of labels on swarm objects; the values of `com.hivekeep.type` tell our own bookkeeping apart. */
export const labels = {
  /** Where an object lives. Source: docker CLI, `stack deploy`. */
  stack: 'com.docker.stack.namespace',
  /** The image as the file wrote it. Source: docker CLI. */
  image: 'com.docker.stack.image',

  /** The record format of the swarmcli family (one config for each revision of a release). */
  record: {
    type: 'com.swarmcli.type',
    release: 'com.swarmcli.release',
    chart: 'com.swarmcli.chart',
    chartVersion: 'com.swarmcli.chart.version',
    revision: 'com.swarmcli.revision',
    status: 'com.swarmcli.status',
    created: 'com.swarmcli.created',
    owner: 'com.swarmcli.owner',
    /** Written beside `com.swarmcli.created` by the family's config helper. */
    helperCreated: 'swarmcli.created',
  },
  /** RFC 3339, on configs and secrets the controller made: an adopted one never gains it. */
  controllerCreated: 'com.swarmcli.cd.created',
  /** `sequential`: services of an upgrade go one at a time. */
  rollout: 'com.swarmcli.rollout',

  /** `lease`, `intent` or `app`. */
  type: 'com.hivekeep.type',
  /** The owner stamp. */
  owner: 'com.hivekeep.owner',
  /** The lease epoch of the last write. */
  epoch: 'com.hivekeep.epoch',
  controller: 'com.hivekeep.controller',
  application: 'com.hivekeep.application',
  release: 'com.hivekeep.release',
  revision: 'com.hivekeep.revision',
  intentNames: 'com.hivekeep.intent.names',
  /** RFC 3339, on objects we created. */
  created: 'com.hivekeep.created',
  /** scrypt of a secret's content, which cannot be read back. */
  secretDigest: 'com.hivekeep.secret.digest',
  /** sha256 of a config's data and template driver. */
  configDigest: 'com.hivekeep.config.digest',
  /** A service's wave in a compose file. */
  wave: 'com.hivekeep.wave',
} as const;

/** A chart or compose file may not set keys that start like this. */
export const reservedLabelPrefixes = ['com.hivekeep.', 'com.swarmcli.'] as const;
