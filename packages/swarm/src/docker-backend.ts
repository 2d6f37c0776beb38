import { setTimeout as sleep } from 'node:timers/promises';
import { labels } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveService, SwarmSnapshot } from '@hivekeep/planner';
import type { DockerSwarm } from './client/docker-swarm.ts';
import { registryAuthFor } from './node/registry-auth.ts';
import type {
  AllowedNames,
  AllowedReferences,
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
  readonly allowed: AllowedNames;
  readonly forbiddenSecrets: ReadonlySet<string>;
  readonly credentials?: string;
  readonly report?: (service: string) => void;
}

interface StackRequest {
  readonly stack: string;
  readonly signal?: AbortSignal;
}

const NO_SCOPE: Scope = { allowed: {}, forbiddenSecrets: new Set() };
const SETTLE_MS = 30_000;
const SETTLE_EVERY_MS = 500;

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

  get allowed(): AllowedNames {
    return this.#scope.allowed;
  }
  get forbiddenSecrets(): ReadonlySet<string> {
    return this.#scope.forbiddenSecrets;
  }

  snapshot(request: { withTasks: boolean; signal?: AbortSignal }): Promise<SwarmSnapshot> {
    return this.#options.watcher.refresh(request);
  }

  async removeStack({ stack, signal }: StackRequest): Promise<void> {
    if (stack === '') throw new HivekeepError('swarm/invalid', 'expected the name of a stack to remove, found none');
    const resources = await this.resources({ stack, ...(signal && { signal }) });
    const deadline = performance.now() + SETTLE_MS;
    // Services first: what they use can go only afterwards.
    for (const kind of ['service', 'config', 'secret', 'network'] as const)
      for (const resource of resources.filter((each) => each.kind === kind)) await this.#removeSettled(resource, deadline, signal);
  }

  async resources({ stack, signal }: StackRequest): Promise<StackResource[]> {
    const list = { label: `${labels.stack}=${stack}`, signal };
    const { swarm } = this.#options;
    const [services, networks, configs, secrets] = await Promise.all([
      swarm.listServices(list),
      swarm.listNetworks(list),
      swarm.listConfigs(list),
      swarm.listSecrets(list),
    ]);
    return [
      ...services.map(({ id, spec }) => ({ kind: 'service' as const, id, name: spec.Name, created: true })),
      ...networks.map(({ id, name }) => ({ kind: 'network' as const, id, name, created: true })),
      ...configs.map((config) => ({
        kind: 'config' as const,
        id: config.id,
        name: config.name,
        created: labels.controllerCreated in config.labels,
      })),
      ...secrets.map((secret) => ({
        kind: 'secret' as const,
        id: secret.id,
        name: secret.name,
        created: labels.controllerCreated in secret.labels,
      })),
    ];
  }

  async removeResource({ resource, signal }: { resource: StackResource; signal?: AbortSignal }): Promise<void> {
    const { swarm, watcher, beforeWrite } = this.#options;
    const { kind, id, name } = resource;
    const remove = {
      service: () => swarm.removeService(id, { signal }),
      network: () => swarm.removeNetwork(id, { signal }),
      config: () => swarm.removeConfig(id, { signal }),
      secret: () => swarm.removeSecret(id, { signal }),
    }[kind];
    await watcher.own({ kind, id, name, action: 'remove' }, async () => {
      beforeWrite();
      await remove();
      return { id };
    });
  }

  async declared(request: StackRequest): Promise<DeclaredNames> {
    const resources = await this.resources(request);
    const names = (kind: StackResource['kind']) => resources.filter((each) => each.kind === kind).map((each) => each.name);
    return { services: names('service'), networks: names('network'), configs: names('config'), secrets: names('secret') };
  }

  liveServices({ stack, signal }: StackRequest): Promise<LiveService[]> {
    return this.#options.swarm.listServices({ label: `${labels.stack}=${stack}`, signal });
  }

  stackServices(request: StackRequest): Promise<LiveService[]> {
    return this.liveServices(request);
  }

  async stacks({ signal }: { signal?: AbortSignal }): Promise<string[]> {
    const services = await this.#options.swarm.listServices({ label: labels.stack, signal });
    return [...new Set(services.map(({ spec }) => spec.Labels?.[labels.stack] ?? ''))].sort();
  }

  async networkNames({ signal }: { signal?: AbortSignal }): Promise<Map<string, string>> {
    const networks = await this.#options.swarm.listNetworks({ signal });
    return new Map(networks.map(({ id, name }) => [id, name]));
  }

  async swarmNodes({ signal }: { signal?: AbortSignal }): Promise<number> {
    return (await this.#options.swarm.listNodes({ signal })).length;
  }

  withRegistryAuth({ secret }: { secret: string }): DockerBackend {
    return this.#scoped({ credentials: secret });
  }
  withAllowed({ allow }: { allow: AllowedNames }): DockerBackend {
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

  /** What was in use goes once the tasks of the removed services have ended. */
  async #removeSettled(resource: StackResource, deadline: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      try {
        return await this.removeResource({ resource, ...(signal && { signal }) });
      } catch (error) {
        if (!HivekeepError.is(error, 'swarm/in-use') || performance.now() >= deadline) throw error;
      }
      await sleep(SETTLE_EVERY_MS, undefined, signal ? { signal } : {}).catch((cause: unknown) => {
        throw new HivekeepError('cancelled', `remove stack: cancelled while ${resource.name} was in use`, { cause });
      });
    }
  }
}
