import type { Externals, SentObjects, ServiceSpec } from '@hivekeep/compose';
import { type LiveService, resolveReferences } from '@hivekeep/planner';
import type { DockerSwarm } from '@hivekeep/swarm';
import { eventually } from '@hivekeep/testkit';

type Kind = 'networks' | 'secrets' | 'configs';

/** Networks each engine has, which nobody makes. */
const BUILT_IN = new Set(['bridge', 'host', 'none', 'ingress', 'default']);

/** One stack on a real swarm, made and removed again many times. */
export class LiveStack {
  readonly #swarm: DockerSwarm;
  readonly name: string;

  constructor(swarm: DockerSwarm, name: string) {
    this.#swarm = swarm;
    this.name = name;
  }

  /** What a case expects on the swarm, made under its own names with a label that says whose it is. */
  async createExternals(externals: Externals): Promise<void> {
    const Labels = { test: this.name };
    const names = (kind: Kind) => [
      ...new Set((externals[kind] ?? []).map((object) => (typeof object === 'string' ? object : object.Name))),
    ];
    await Promise.all([
      ...names('networks')
        .filter((Name) => !BUILT_IN.has(Name))
        .map((Name) => this.#swarm.createNetwork({ Name, Labels, Driver: 'overlay', Scope: 'swarm', Attachable: true })),
      ...names('secrets').map((Name) => this.#swarm.createSecret({ Name, Labels, Data: 'eA==' })),
      ...names('configs').map((Name) => this.#swarm.createConfig({ Name, Labels, Data: 'eA==' })),
    ]);
  }

  /** @throws `swarm/*` when the engine refuses an object; what was made until then stays */
  async create(objects: SentObjects): Promise<void> {
    await allDone([
      ...objects.networks.map((network) => this.#swarm.createNetwork(network)),
      ...objects.secrets.map((secret) => this.#swarm.createSecret(secret)),
      ...objects.configs.map((config) => this.#swarm.createConfig(config)),
    ]);
    const ids = await this.#ids(objects.services);
    // One after the other, as the docker CLI does it: an engine does not see that two services want one port when both come at once.
    for (const service of objects.services) await this.#swarm.createService(resolveReferences(service, ids));
  }

  /** Services of the stack with the names of what they use, by id too. */
  async read(): Promise<{ readonly services: LiveService[]; readonly names: ObjectNames }> {
    const [services, networks, secrets, configs] = await Promise.all([
      this.#swarm.listServices({ label: `com.docker.stack.namespace=${this.name}` }),
      this.#swarm.listNetworks(),
      this.#swarm.listSecrets(),
      this.#swarm.listConfigs(),
    ]);
    const byId = (objects: readonly { id: string; name: string }[]) => new Map(objects.map(({ id, name }) => [id, name]));
    return { services, names: { networks: byId(networks), secrets: byId(secrets), configs: byId(configs) } };
  }

  async removeServices(): Promise<void> {
    const services = await this.#swarm.listServices({ label: `com.docker.stack.namespace=${this.name}` });
    await Promise.all(services.map(({ id }) => this.#swarm.removeService(id)));
  }

  /** Everything of the stack and its externals; waits until no task holds a network any more. */
  async remove(): Promise<void> {
    await this.removeServices();
    const [networks, secrets, configs] = await Promise.all([
      this.#swarm.listNetworks(),
      this.#swarm.listSecrets(),
      this.#swarm.listConfigs(),
    ]);
    const mine = <T extends { labels: Record<string, string> }>(objects: readonly T[]) =>
      objects.filter(({ labels }) => labels.test === this.name || labels['com.docker.stack.namespace'] === this.name);
    await Promise.all([
      ...mine(secrets).map(({ id }) => this.#swarm.removeSecret(id)),
      ...mine(configs).map(({ id }) => this.#swarm.removeConfig(id)),
      ...mine(networks).map(({ id }) => eventually(() => this.#swarm.removeNetwork(id), { timeoutMs: 90_000, intervalMs: 50 })),
    ]);
  }

  async #ids(services: readonly ServiceSpec[]): Promise<ReadonlyMap<string, string>> {
    const containers = services.map(({ TaskTemplate }) => TaskTemplate.ContainerSpec);
    const uses = containers.some((container) => container?.Secrets?.length || container?.Configs?.length);
    if (!uses) return new Map();
    const [secrets, configs] = await Promise.all([this.#swarm.listSecrets(), this.#swarm.listConfigs()]);
    return new Map([
      ...secrets.map(({ name, id }) => [`secret/${name}`, id] as const),
      ...configs.map(({ name, id }) => [`config/${name}`, id] as const),
    ]);
  }
}

/** Waits for every write, also when one is refused: none may be under way when the stack is removed. */
async function allDone(writes: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(writes)) if (result.status === 'rejected') throw result.reason;
}

/** Names of objects by id. */
export type ObjectNames = Readonly<Record<Kind, ReadonlyMap<string, string>>>;

/** A spec as it was read back, with names in place of ids. */
export function withNames(spec: ServiceSpec, names: ObjectNames): ServiceSpec {
  const replacements = new Map([...names.networks, ...names.secrets, ...names.configs]);
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return replacements.get(value) ?? value;
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replace(member)]));
  };
  return replace(spec) as ServiceSpec; // the same shape, texts replaced
}
