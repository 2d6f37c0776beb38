import type { StackObjects } from '@hivekeep/compose';
import type { SwarmSnapshot } from '../live.ts';
import type { RecordedRelease, ReleaseInput, ReleaseIntent } from '../plan/release-input.ts';
import { indexSnapshot } from '../snapshot-index.ts';
import { NOW, snapshot } from './builders.ts';

export function objects(parts: Partial<StackObjects> = {}): StackObjects {
  return {
    networks: [],
    secrets: [],
    configs: [],
    services: [],
    externals: { networks: [], secrets: [], configs: [] },
    volumes: [],
    waves: {},
    ...parts,
  };
}

export function record(rest: Partial<RecordedRelease> = {}): RecordedRelease {
  return {
    revision: 1,
    status: 'deployed',
    chart: { name: 'compose', version: '0.0.0' },
    values: {},
    manifest: 'm1',
    owner: 'cd/c1/shop:release/shop',
    ...rest,
  };
}

/** Of revision 2, made before any service was written last. */
export function intent(rest: Partial<ReleaseIntent> = {}): ReleaseIntent {
  return {
    name: 'hivekeep.intent.shop.v2',
    revision: 2,
    owner: 'cd/c1/shop:release/shop',
    epoch: 7,
    version: 1,
    names: { services: [] },
    ...rest,
  };
}

/** Input for the release `shop` of the application `shop` of controller `c1`, epoch 7, with nothing on the swarm. */
export function releaseInput(parts: Partial<ReleaseInput> & { live?: Partial<SwarmSnapshot> } = {}): ReleaseInput {
  const { live = {}, ...rest } = parts;
  const index = rest.index ?? indexSnapshot(snapshot(live));
  return {
    release: {
      name: 'shop',
      wave: 0,
      chart: { name: 'compose', version: '0.0.0', ref: 'compose' },
      values: {},
      manifest: 'm1',
      files: {},
      secrets: [],
    },
    objects: objects(),
    records: [],
    intents: [],
    index,
    stacks: index.servicesByStack,
    owner: { controllerId: 'c1', application: 'shop' },
    epoch: 7,
    apiVersion: '1.41',
    now: NOW,
    allow: {},
    own: { secrets: new Set(), configs: new Set(), volumes: new Set() },
    others: { living: new Set(), takeOver: false },
    secretsAvailable: new Set(),
    sameManifest: (recorded, wanted) => recorded.trim() === wanted.trim(),
    ...rest,
  };
}
