import { labels as keys } from '@hivekeep/application';
import type { Allow } from '@hivekeep/contracts';
import type { LiveObject, LiveService, SwarmSnapshot } from '@hivekeep/planner';
import type { DockerSwarm } from './client/docker-swarm.ts';
import { registryAuthFor } from './node/registry-auth.ts';
import type {
  AllowedReferences,
  AtLook,
  Backend,
  DeclaredLister,
  DeclaredNames,
  ForbidSecrets,
  LiveDrift,
  NetworkNamer,
  OutOfBand,
  RegistryAuth,
  ResourceLister,
  ResourceRemover,
  StackAtLook,
  StackResource,
  StackServicesReader,
  StacksReader,
  SwarmSizer,
} from './seams/backend.ts';
import type { SwarmTarget } from './seams/target.ts';
import type { SwarmWatcher } from './watch/swarm-watcher.ts';

export interface DockerBackendOptions {
  readonly target: SwarmTarget;
  readonly swarm: DockerSwarm;
  readonly watcher: SwarmWatcher;
  /** Throws when this process must not write: the lease's `assertMayWrite`. */
  readonly beforeWrite: () => void;
  /** The folder of mounted registry credentials. */
  readonly credentialsDir?: string;
}

interface Scope {
  readonly allowed: Allow;
  readonly forbiddenSecrets: ReadonlySet<string>;
  readonly credentials?: string;
  readonly report?: (service: string) => void;
}

const NO_SCOPE: Scope = { allowed: {}, forbiddenSecrets: new Set() };

/** A swarm over its manager's daemon, with every optional ability. `with…` gives a scoped copy and never changes this one. */
export class DockerBackend
  implements
    Backend,
    LiveDrift,
    DeclaredLister,
    ResourceLister,
    ResourceRemover,
    NetworkNamer,
    StackServicesReader,
    StacksReader,
    SwarmSizer,
    RegistryAuth,
    AllowedReferences,
    ForbidSecrets,
    OutOfBand
{
  readonly target: SwarmTarget;
  readonly #options: DockerBackendOptions;
  readonly #scope: Scope;

  constructor(options: DockerBackendOptions, scope: Scope = NO_SCOPE) {
    this.target = options.target;
    this.#options = options;
    this.#scope = scope;
  }

  get allowed(): Allow {
    return this.#scope.allowed;
  }
  get forbiddenSecrets(): ReadonlySet<string> {
    return this.#scope.forbiddenSecrets;
  }

  snapshot(request: { withTasks: boolean; signal?: AbortSignal }): Promise<SwarmSnapshot> {
    return this.#options.watcher.refresh(request);
  }

  liveServices({ look, stack }: StackAtLook): readonly LiveService[] {
    return look.servicesByStack.get(stack) ?? [];
  }

  stackServices(request: StackAtLook): readonly LiveService[] {
    return this.liveServices(request);
  }

  declared({ look }: AtLook): DeclaredNames {
    const [configs, secrets] = [new Set<string>(), new Set<string>()];
    for (const { spec } of look.snapshot.services) {
      for (const { ConfigName } of spec.TaskTemplate.ContainerSpec?.Configs ?? []) configs.add(ConfigName);
      for (const { SecretName } of spec.TaskTemplate.ContainerSpec?.Secrets ?? []) secrets.add(SecretName);
    }
    return { configs, secrets };
  }

  resources({ look, stack }: StackAtLook): StackResource[] {
    const { configs, secrets } = look.snapshot;
    return [
      ...configs.flatMap((object) => resource('config', object, stack)),
      ...secrets.flatMap((object) => resource('secret', object, stack)),
    ];
  }

  async removeResource({ resource, signal }: { resource: StackResource; signal?: AbortSignal }): Promise<void> {
    const { swarm, watcher, beforeWrite } = this.#options;
    const { kind, id, name } = resource;
    await watcher.own({ kind, id, name, action: 'remove' }, async () => {
      beforeWrite();
      await (kind === 'config' ? swarm.removeConfig(id, { signal }) : swarm.removeSecret(id, { signal }));
      return { id };
    });
  }

  networkNames({ look }: AtLook): ReadonlyMap<string, string> {
    return look.networkNames;
  }

  stacks({ look }: AtLook): Pick<ReadonlySet<string>, 'has'> {
    return look.servicesByStack;
  }

  swarmNodes({ look }: AtLook): number {
    return look.snapshot.nodes.length;
  }

  withRegistryAuth({ secret }: { secret: string }): DockerBackend {
    return this.#scoped({ credentials: secret });
  }
  withAllowed({ allow }: { allow: Allow }): DockerBackend {
    return this.#scoped({ allowed: allow });
  }
  withForbiddenSecrets({ names }: { names: readonly string[] }): DockerBackend {
    return this.#scoped({ forbiddenSecrets: new Set([...this.#scope.forbiddenSecrets, ...names]) });
  }
  withOutOfBand({ report }: { report: (service: string) => void }): DockerBackend {
    return this.#scoped({ report });
  }

  /** `X-Registry-Auth` for an image with this scope's credentials; undefined without any. @throws HivekeepError `config/invalid` */
  async registryAuth(image: string): Promise<string | undefined> {
    const { credentials } = this.#scope;
    const { credentialsDir } = this.#options;
    return credentials === undefined ? undefined : registryAuthFor(credentials, image, credentialsDir ? { dir: credentialsDir } : {});
  }

  reportOutOfBand(service: string): void {
    this.#scope.report?.(service);
  }

  #scoped(change: Partial<Scope>): DockerBackend {
    return new DockerBackend(this.#options, { ...this.#scope, ...change });
  }
}

function resource(kind: StackResource['kind'], { id, name, labels }: LiveObject, stack: string): StackResource[] {
  if (labels[keys.stack] !== stack) return [];
  return [{ kind, id, name, created: labels[keys.controllerCreated] !== undefined && labels[keys.owner] !== undefined }];
}
