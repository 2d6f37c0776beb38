import type { Allow } from '@hivekeep/contracts';
import type { LiveService, SnapshotIndex, SwarmSnapshot } from '@hivekeep/planner';
import type { SwarmTarget } from './target.ts';

interface Cancellable {
  readonly signal?: AbortSignal;
}

/** One look at the swarm, taken once for all applications: abilities that read are asked of it, so none costs a call of its own. */
export interface AtLook {
  readonly look: SnapshotIndex;
}
export interface StackAtLook extends AtLook {
  readonly stack: string;
}

/** What a swarm connection can always do. The rest is optional: each ability an interface of its own, found at run time. */
export interface Backend {
  readonly target: SwarmTarget;
  /** @throws HivekeepError `swarm/*`: an unread swarm is unknown, never empty */
  snapshot(request: Cancellable & { readonly withTasks: boolean }): Promise<SwarmSnapshot>;
}

/** Reads services as they run, to compare them with what was written. */
export interface LiveDrift {
  liveServices(request: StackAtLook): readonly LiveService[];
}
/** Names the configs and secrets that services of the swarm declare to use, whoever owns them. */
export interface DeclaredLister {
  declared(request: AtLook): DeclaredNames;
}
export interface DeclaredNames {
  readonly configs: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
}
export interface StackResource {
  readonly kind: 'config' | 'secret';
  readonly id: string;
  readonly name: string;
  /** Made by a controller, not adopted. */
  readonly created: boolean;
}
/** Lists a stack's configs and secrets, all or nothing. */
export interface ResourceLister {
  resources(request: StackAtLook): readonly StackResource[];
}
export interface ResourceRemover {
  /** Removes one object by id; gone is success. @throws HivekeepError `swarm/in-use` */
  removeResource(request: Cancellable & { readonly resource: StackResource }): Promise<void>;
}
/** Says what a network id is called. */
export interface NetworkNamer {
  networkNames(request: AtLook): ReadonlyMap<string, string>;
}
/** Reads a stack's services with how they run. */
export interface StackServicesReader {
  stackServices(request: StackAtLook): readonly LiveService[];
}
/** The names of all stacks that run services. */
export interface StacksReader {
  stacks(request: AtLook): Pick<ReadonlySet<string>, 'has'>;
}
/** How many nodes the swarm has, asked of a manager. */
export interface SwarmSizer {
  swarmNodes(request: AtLook): number;
}
/** A copy of the backend that pulls with an application's credentials. */
export interface RegistryAuth {
  withRegistryAuth(request: { readonly secret: string }): Backend & { registryAuth(image: string): Promise<string | undefined> };
}
/** A copy whose stacks may refer to these objects outside their own. */
export interface AllowedReferences {
  withAllowed(request: { readonly allow: Allow }): Backend & { readonly allowed: Allow };
}
/** A copy that refuses these secrets to everyone, whatever is allowed. */
export interface ForbidSecrets {
  withForbiddenSecrets(request: { readonly names: readonly string[] }): Backend & { readonly forbiddenSecrets: ReadonlySet<string> };
}
/** A copy that tells when someone else wrote a service between a plan and its write. */
export interface OutOfBand {
  withOutOfBand(request: { readonly report: (service: string) => void }): Backend & { reportOutOfBand(service: string): void };
}

export interface Capabilities {
  readonly LiveDrift: LiveDrift;
  readonly DeclaredLister: DeclaredLister;
  readonly ResourceLister: ResourceLister;
  readonly ResourceRemover: ResourceRemover;
  readonly NetworkNamer: NetworkNamer;
  readonly StackServicesReader: StackServicesReader;
  readonly StacksReader: StacksReader;
  readonly SwarmSizer: SwarmSizer;
  readonly RegistryAuth: RegistryAuth;
  readonly AllowedReferences: AllowedReferences;
  readonly ForbidSecrets: ForbidSecrets;
  readonly OutOfBand: OutOfBand;
}
export type CapabilityName = keyof Capabilities;
