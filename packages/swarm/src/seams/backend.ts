import type { LiveService, SwarmSnapshot } from '@hivekeep/planner';
import type { SwarmTarget } from './target.ts';

interface Cancellable {
  readonly signal?: AbortSignal;
}

/** What a swarm connection can always do. The rest is optional: each ability an interface of its own, found at run time. */
export interface Backend {
  readonly target: SwarmTarget;
  /** @throws HivekeepError `swarm/*`: an unread swarm is unknown, never empty */
  snapshot(request: Cancellable & { readonly withTasks: boolean }): Promise<SwarmSnapshot>;
  /** Removes a stack's services, configs, secrets and networks by id. Volumes stay. An absent stack is success. */
  removeStack(request: Cancellable & { readonly stack: string }): Promise<void>;
}

/** Reads services as they run, to compare them with what was written. */
export interface LiveDrift {
  liveServices(request: Cancellable & { readonly stack: string }): Promise<readonly LiveService[]>;
}
/** Lists the names a stack's objects declare on the swarm, by kind. */
export interface DeclaredLister {
  declared(request: Cancellable & { readonly stack: string }): Promise<DeclaredNames>;
}
export interface DeclaredNames {
  readonly services: readonly string[];
  readonly networks: readonly string[];
  readonly configs: readonly string[];
  readonly secrets: readonly string[];
}
export interface StackResource {
  readonly kind: 'service' | 'network' | 'config' | 'secret';
  readonly id: string;
  readonly name: string;
  /** Made by a controller, not adopted. */
  readonly created: boolean;
}
/** Lists a stack's objects of every kind, all or nothing. */
export interface ResourceLister {
  resources(request: Cancellable & { readonly stack: string }): Promise<readonly StackResource[]>;
}
export interface ResourceRemover {
  /** Removes one object by id; gone is success. @throws HivekeepError `swarm/in-use` */
  removeResource(request: Cancellable & { readonly resource: StackResource }): Promise<void>;
}
/** Says what a network id is called. */
export interface NetworkNamer {
  networkNames(request: Cancellable): Promise<ReadonlyMap<string, string>>;
}
export interface StackServicesReader {
  stackServices(request: Cancellable & { readonly stack: string }): Promise<SwarmSnapshot['services']>;
}
/** The names of all stacks that run services. */
export interface StacksReader {
  stacks(request: Cancellable): Promise<readonly string[]>;
}
/** How many nodes the swarm has, asked of a manager. */
export interface SwarmSizer {
  swarmNodes(request: Cancellable): Promise<number>;
}
/** A copy of the backend that pulls with an application's credentials. */
export interface RegistryAuth {
  withRegistryAuth(request: { readonly secret: string }): Backend & { registryAuth(image: string): Promise<string | undefined> };
}
export interface AllowedNames {
  readonly secrets?: readonly string[];
  readonly configs?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly hostPaths?: readonly string[];
}
/** A copy whose stacks may refer to these objects outside their own. */
export interface AllowedReferences {
  withAllowed(request: { readonly allow: AllowedNames }): Backend & { readonly allowed: AllowedNames };
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
