import { releaseStack } from '@hivekeep/charts';
import type { StackObjects } from '@hivekeep/compose';
import type { Artifact, Spec, Warning, WireError } from '@hivekeep/contracts';
import { indexSnapshot, type LiveNetwork, type LiveObject, planRelease, type ReleasePlan } from '@hivekeep/planner';

/** What a release refers to outside itself: assumed to exist, because no swarm was asked. */
export interface AssumedReference {
  readonly kind: 'network' | 'secret' | 'config';
  readonly name: string;
}

export interface OfflineRelease {
  readonly plan: ReleasePlan;
  readonly assumed: readonly AssumedReference[];
}

/** What `hivekeep plan` says of one application. */
export type OfflineResult =
  | {
      readonly application: string;
      readonly commit: string;
      readonly releases: readonly OfflineRelease[];
      readonly warnings: readonly Warning[];
    }
  | { readonly application: string; readonly error: WireError };

/** Of the oldest engine that is supported: what it can't hold is said here already. */
const API_VERSION = '1.41';
const NOBODY = { secrets: new Set<string>(), configs: new Set<string>(), volumes: new Set<string>() };

/** Plans every release of an artifact onto a swarm that holds nothing but what they refer to. Throws `compose/invalid`. */
export function planOntoNothing(spec: Spec, artifact: Artifact, now: number): OfflineRelease[] {
  return artifact.releases.map((release) => {
    const { document, objects } = releaseStack({ ...release, stack: release.name });
    const assumed = assumedReferences(objects);
    const plan = planRelease({
      release,
      objects,
      document,
      records: [],
      intents: [],
      index: indexSnapshot(snapshotOf(assumed, now)),
      stacks: new Set(),
      owner: { controllerId: 'offline', application: spec.name },
      epoch: 1,
      apiVersion: API_VERSION,
      now,
      allow: spec.allow,
      own: NOBODY,
      others: { living: new Set(), takeOver: false },
      secretsAvailable: new Set(release.secrets.map((secret) => secret.name)),
      sameManifest: (recorded, wanted) => recorded === wanted,
    });
    return { plan, assumed };
  });
}

function assumedReferences({ externals }: StackObjects): AssumedReference[] {
  return [
    ...externals.networks.map((name) => ({ kind: 'network' as const, name })),
    ...externals.secrets.map((name) => ({ kind: 'secret' as const, name })),
    ...externals.configs.map((name) => ({ kind: 'config' as const, name })),
  ];
}

function snapshotOf(assumed: readonly AssumedReference[], now: number) {
  const named = (kind: AssumedReference['kind']) => assumed.filter((reference) => reference.kind === kind).map(({ name }) => name);
  return {
    takenAt: now,
    services: [],
    nodes: [],
    tasks: [],
    networks: named('network').map((name) => liveNetwork(name, now)),
    secrets: named('secret').map((name) => liveObject(name, now)),
    configs: named('config').map((name) => liveObject(name, now)),
  };
}

function liveNetwork(name: string, createdAt: number): LiveNetwork {
  return {
    id: name,
    name,
    driver: 'overlay',
    scope: 'swarm',
    attachable: true,
    internal: false,
    ingress: false,
    labels: {},
    options: {},
    createdAt,
  };
}

function liveObject(name: string, createdAt: number): LiveObject {
  return { id: name, name, version: 1, labels: {}, createdAt };
}
