import { releaseStack, sameManifest } from '@hivekeep/charts';
import type { ComposeDocument, StackObjects } from '@hivekeep/compose';
import type { Artifact, Issue, Provenance, ReleaseArtifact, Spec, Warning } from '@hivekeep/contracts';
import { type OtherControllers, type OwnStack, planRelease, type ReleasePlan } from '@hivekeep/planner';
import { type Backend, type CapabilityName, hasCapability } from '@hivekeep/swarm';
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
  readonly backend: Backend;
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

/**
 * Plans every release of an application against one look at the swarm. What the backend can't do costs the one thing that rests on
 * it: see `capabilities.ts` of the swarm package. Pure.
 */
export function planApplication(spec: Spec, built: Built, world: World, context: PlanContext): ApplicationPlan {
  const { backend, own } = context;
  const scope = {
    allow: hasCapability(backend, 'AllowedReferences') ? backend.withAllowed({ allow: spec.allow }).allowed : {},
    own: hasCapability(backend, 'ForbidSecrets')
      ? { ...own, secrets: backend.withForbiddenSecrets({ names: [...own.secrets] }).forbiddenSecrets }
      : own,
    stacks: hasCapability(backend, 'StacksReader') ? backend.stacks({ look: world.index }) : undefined,
  };
  const releases = built.releases.map((release) => {
    const plan = planRelease({
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
      ...scope,
      others: context.others,
      secretsAvailable: new Set(release.artifact.secrets.map((secret) => secret.name)),
      sameManifest,
    });
    const unable = plan.action === 'unchanged' ? [] : beyondBackend(backend, spec, release.objects);
    return { ...release, plan: { ...plan, refusals: [...plan.refusals, ...unable] } };
  });
  return { spec, built, world, releases };
}

/** Refuses before the first write what would go wrong on a backend without the ability. */
function beyondBackend(backend: Backend, { registryAuth }: Spec, { services, secrets, externals }: StackObjects): Issue[] {
  const issues: Issue[] = [];
  const mounted = services.some(({ TaskTemplate }) => (TaskTemplate.ContainerSpec?.Secrets ?? []).length > 0);
  if ((mounted || secrets.length + externals.secrets.length > 0) && !hasCapability(backend, 'ForbidSecrets'))
    issues.push(unable('ForbidSecrets', 'secrets', "the swarm's backend can't keep the controller's own secrets from an application"));
  if (registryAuth !== undefined && !hasCapability(backend, 'RegistryAuth'))
    issues.push(unable('RegistryAuth', 'registryAuth', "the swarm's backend can't pull with an application's credentials"));
  return issues;
}

function unable(capability: CapabilityName, path: string, message: string): Issue {
  return { rule: `capability/${capability}`, path, message };
}

/** Whether carrying the plan out would write anything. */
export function wantsWrite(plan: ApplicationPlan): boolean {
  return plan.releases.some((release) => release.plan.action !== 'unchanged');
}
