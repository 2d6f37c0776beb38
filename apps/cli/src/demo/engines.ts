import { labels } from '@hivekeep/application';
import type { LiveObject, LiveService } from '@hivekeep/planner';
import { DockerSwarm, dockerEndpoint } from '@hivekeep/swarm';
import { applicationNames, type DemoApplication, stackOf } from './demo-files.ts';
import type { DemoNode } from './demo-swarm.ts';

/** What the engines themselves say, beside Hivekeep. The first one is a manager's. */
export class Engines implements Disposable {
  readonly manager: DockerSwarm;
  readonly #nodes: readonly { readonly name: string; readonly engine: DockerSwarm }[];

  constructor(nodes: readonly DemoNode[]) {
    this.#nodes = nodes.map(({ name, dockerHost }) => ({ name, engine: new DockerSwarm({ endpoint: dockerEndpoint(dockerHost) }) }));
    const [first] = this.#nodes;
    if (!first) throw new RangeError('a swarm has at least one node');
    this.manager = first.engine;
  }

  services(application: DemoApplication): Promise<LiveService[]> {
    return this.manager.listServices({ label: `${labels.stack}=${stackOf(application)}` });
  }

  /** Ids of the tasks that should run and do. */
  async runningTasks(service: string): Promise<string[]> {
    const tasks = await this.manager.listTasks({ service });
    return tasks.filter((task) => task.desiredState === 'running' && task.state === 'running').map((task) => task.id);
  }

  /** Names of the applications' volumes, by node: `node2: demo-notes_data`. */
  async volumes(application: DemoApplication): Promise<string[]> {
    const found = this.#nodes.map(async ({ name, engine }) => {
      const volumes = await engine.listVolumes({ label: `${labels.stack}=${stackOf(application)}` });
      return volumes.map((volume) => `${name}: ${volume.name}`);
    });
    return (await Promise.all(found)).flat();
  }

  /** The release's records: a config for each revision. */
  records(application: DemoApplication): Promise<LiveObject[]> {
    return this.manager.listConfigs({ label: `${labels.record.release}=${stackOf(application)}` });
  }

  /** The applications of which something stands that a controller whose id starts with `demo-` made. */
  async owned(): Promise<DemoApplication[]> {
    const [services, configs] = await Promise.all([this.manager.listServices(), this.manager.listConfigs()]);
    const made = [...services.map(({ spec }) => spec.Labels), ...configs.map((config) => config.labels)].filter(isDemos);
    const stacks = made.flatMap((found) => [found?.[labels.stack], found?.[labels.record.release]]);
    return applicationNames.filter((application) => stacks.includes(stackOf(application)));
  }

  async removeServices(): Promise<void> {
    const { manager } = this;
    for (const service of await manager.listServices()) if (isDemos(service.spec.Labels)) await manager.removeService(service.id);
  }

  /** Configs, records and leases among them, and secrets, which services used. */
  async removeContents(): Promise<void> {
    const { manager } = this;
    for (const config of await manager.listConfigs())
      if (isDemos(config.labels) || /^hivekeep\.lease\.demo-[0-9a-f]{6}$/.test(config.name)) await manager.removeConfig(config.id);
    for (const secret of await manager.listSecrets()) if (isDemos(secret.labels)) await manager.removeSecret(secret.id);
  }

  /** What lives on until the last container is gone: a network is listed until then, although its removal was accepted. True when nothing is left. */
  async removeNetworksAndVolumes(applications: readonly DemoApplication[]): Promise<boolean> {
    const removals: Promise<unknown>[] = [];
    for (const network of await this.manager.listNetworks())
      if (isDemos(network.labels)) removals.push(this.manager.removeNetwork(network.id));
    for (const { engine } of this.#nodes)
      for (const application of applications)
        for (const volume of await engine.listVolumes({ label: `${labels.stack}=${stackOf(application)}` }))
          removals.push(engine.removeVolume(volume.name));
    await Promise.allSettled(removals);
    return removals.length === 0;
  }

  [Symbol.dispose](): void {
    for (const { engine } of this.#nodes) engine.close();
  }
}

function isDemos(found: Readonly<Record<string, string>> | null | undefined): boolean {
  const owner = found?.[labels.owner] ?? found?.[labels.record.owner] ?? `cd/${found?.[labels.controller] ?? ''}/`;
  return /^cd\/demo-[0-9a-f]{6}\//.test(owner);
}
