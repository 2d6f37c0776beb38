import { labels } from '@hivekeep/application';
import type { SweepItem, View } from '@hivekeep/contracts';
import { eventually, type Lab, type LabNode } from '@hivekeep/testkit';
import type { Installation } from './installation.ts';

const STACK = 'com.docker.stack.namespace';

/** Names of a release's volumes, as `node/volume`, sorted. */
export async function volumesOf(nodes: readonly LabNode[], release: string): Promise<string[]> {
  const found = await Promise.all(
    nodes.map(async ({ docker, name }) => {
      const { Volumes: volumes } = await docker.listVolumes({ filters: { label: [`${STACK}=${release}`] } });
      return volumes.map((volume) => `${name}/${volume.Name}`);
    }),
  );
  return found.flat().sort();
}

/** Names of a release's records on a lab's swarm, sorted. */
export async function recordsOf(lab: Lab, release: string): Promise<string[]> {
  const configs = await lab.node(1).docker.listConfigs({ filters: { label: [`${labels.record.release}=${release}`] } });
  return configs.map(({ Spec }) => Spec?.Name ?? '').sort();
}

/** Names of a release's services on a lab's swarm. */
export async function servicesOf(lab: Lab, release: string): Promise<string[]> {
  const services = await lab.node(1).docker.listServices({ filters: { label: [`${STACK}=${release}`] } });
  return services.map(({ Spec }) => Spec?.Name ?? '').sort();
}

/** Waits until nothing of a release is left: services, volumes on every node, records. */
export async function gone(hive: Installation, release: string, timeoutMs = 90_000): Promise<void> {
  await eventually(
    async () => {
      const { lab } = hive;
      const left = [...(await servicesOf(lab, release)), ...(await volumesOf(lab.nodes, release)), ...(await recordsOf(lab, release))];
      if (left.length > 0) throw new Error(`${left.join(', ')} is left; prune says ${JSON.stringify(await hive.prune())}`);
    },
    { timeoutMs, intervalMs: 500 },
  );
}

/** Waits until the sweep says of a release what `is` asks for. */
export function sweep(hive: Installation, release: string, is: (item: SweepItem) => boolean, timeoutMs = 60_000): Promise<SweepItem> {
  return eventually(
    async () => {
      const { items } = await hive.prune();
      const item = items.find((one) => one.release === release);
      if (item && is(item)) return item;
      throw new Error(`prune says ${JSON.stringify(items)}`);
    },
    { timeoutMs, intervalMs: 500 },
  );
}

/** Waits until agents cover so many nodes of a swarm, by its name. */
export async function covered(hive: Installation, count: number, swarm = 'default', timeoutMs = 90_000): Promise<void> {
  await eventually(
    async () => {
      const entry = (await hive.swarms()).find(({ name }) => name === swarm);
      const found = entry?.view?.nodes.filter((node) => node.covered).length;
      if (entry?.state !== 'ok' || found !== count) throw new Error(`${swarm} is ${entry?.state}: ${JSON.stringify(entry?.view?.nodes)}`);
    },
    { timeoutMs, intervalMs: 500 },
  );
}

/** Waits until an application is as Git says and runs, at this commit when it is given. */
export function settled(hive: Installation, name: string, commit?: string, timeoutMs = 90_000): Promise<View> {
  return eventually(
    async () => {
      const view = await hive.application(name);
      const { sync, health } = view.status;
      if (sync.state === 'synced' && health.state === 'healthy' && (commit === undefined || sync.revision === commit)) return view;
      throw new Error(`its status is ${JSON.stringify(view.status)}`);
    },
    { timeoutMs, intervalMs: 500 },
  );
}

/** The containers of one of our services on a node: those that run, or with `all` those that have ended, too; of one `health` when it is given. */
export async function containersOf(
  node: LabNode,
  service: string,
  { all = false, health }: { all?: boolean; health?: 'starting' } = {},
): Promise<string[]> {
  const label = [`com.docker.swarm.service.name=hivekeep_${service}`];
  const containers = await node.docker.listContainers({ all, filters: { label, ...(health && { health: [health] }) } });
  return containers.map(({ Id }) => Id);
}

/** Ids of a service's tasks that run, sorted: equal before and after means that nothing restarted. */
export async function runningTasks(lab: Lab, service: string): Promise<string[]> {
  const tasks: { ID: string; Status: { State: string } }[] = await lab
    .node(1)
    .docker.listTasks({ filters: { service: [service], 'desired-state': ['running'] } });
  return tasks.flatMap(({ ID, Status }) => (Status.State === 'running' ? [ID] : [])).sort();
}
