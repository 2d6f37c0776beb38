import { releaseStack, sameManifest } from '@hivekeep/charts';
import type { ComposeDocument, StackObjects } from '@hivekeep/compose';
import type { Artifact, Provenance, ReleaseArtifact, Spec, Warning } from '@hivekeep/contracts';
import { type OtherControllers, type OwnStack, planRelease, type ReleasePlan } from '@hivekeep/planner';
import type { World } from '../world.ts';

/** A release of an artifact with what its manifest becomes; made once for each artifact. */
export interface BuiltRelease {
  readonly artifact: ReleaseArtifact;
  readonly document: ComposeDocument;
  readonly objects: StackObjects;
}

/** What was built of an application, ready to be planned as often as the swarm changes. */
export interface Built {
  readonly digest: string;
  readonly provenance: Provenance;
  readonly warnings: readonly Warning[];
  readonly releases: readonly BuiltRelease[];
}

export interface PlannedRelease extends BuiltRelease {
  readonly plan: ReleasePlan;
}

export interface ApplicationPlan {
  /** The declaration it was made for, which may have been replaced since. */
  readonly spec: Spec;
  readonly built: Built;
  readonly world: World;
  /** In the order they are applied: by wave, then as the source lists them. */
  readonly releases: readonly PlannedRelease[];
}

export interface PlanContext {
  readonly controllerId: string;
  readonly epoch: number;
  readonly apiVersion: string;
  readonly own: OwnStack;
  readonly others: OtherControllers;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Converts an artifact's manifests. Throws `compose/invalid` and `chart/invalid` when one is no manifest. */
export function builtReleases(artifact: Artifact): BuiltRelease[] {
  return artifact.releases
    .map((artifact) => ({ artifact, ...releaseStack({ ...artifact, stack: artifact.name }) }))
    .sort((a, b) => a.artifact.wave - b.artifact.wave);
}

/** Plans every release of an application against one look at the swarm. Pure. */
export function planApplication(spec: Spec, built: Built, world: World, context: PlanContext): ApplicationPlan {
  const releases = built.releases.map((release) => ({
    ...release,
    plan: planRelease({
      release: release.artifact,
      objects: release.objects,
      document: release.document,
      records: (world.records.get(release.artifact.name) ?? []).map((kept) => kept.record),
      intents: world.intents.get(release.artifact.name) ?? [],
      index: world.index,
      owner: { controllerId: context.controllerId, application: spec.name },
      epoch: context.epoch,
      apiVersion: context.apiVersion,
      now: context.now,
      allow: spec.allow,
      own: context.own,
      others: context.others,
      secretsAvailable: new Set(release.artifact.secrets.map((secret) => secret.name)),
      sameManifest,
    }),
  }));
  return { spec, built, world, releases };
}

/** Whether carrying the plan out would write anything. */
export function wantsWrite(plan: ApplicationPlan): boolean {
  return plan.releases.some((release) => release.plan.action !== 'unchanged');
}
