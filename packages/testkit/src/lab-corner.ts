import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { eventually } from './eventually.ts';
import type { Lab } from './lab.ts';

/**
 * A test's own part of a lab. Whatever it makes bears the prefix in its name or in a label's value (a stack named after it,
 * a controller id, an owner), and is removed with the corner, volumes on every node included.
 */
export interface LabCorner extends AsyncDisposable {
  readonly lab: Lab;
  /** `t` and eight hex digits; a stack, a controller or a swarm may be named so. */
  readonly prefix: string;
  /** `PREFIX-REST` */
  name(rest: string): string;
  /** The first manager's engine. */
  readonly docker: Docker;
  /** Ids of a service's tasks that should run and do, sorted: equal before and after means that nothing restarted. */
  runningTasks(service: string): Promise<string[]>;
  /** Names of the volumes of this corner on each node, sorted, by node name. */
  volumes(): Promise<Record<string, string[]>>;
  /** The nodes, and the tasks of this corner, as swarm tells them: for the message of a test that waited in vain. */
  describe(): Promise<string>;
}

/** `await using corner = labCorner(await useLab())`. The disposal waits until nothing of it is left, at most 90 s. */
export function labCorner(lab: Lab): LabCorner {
  const prefix = `t${randomBytes(4).toString('hex')}`;
  const docker = lab.node(1).docker;
  return {
    lab,
    prefix,
    docker,
    name: (rest) => `${prefix}-${rest}`,
    runningTasks: async (service) => {
      const tasks: { ID: string; Status: { State: string } }[] = await docker.listTasks({
        filters: { service: [service], 'desired-state': ['running'] },
      });
      return tasks
        .filter((task) => task.Status.State === 'running')
        .map((task) => task.ID)
        .sort();
    },
    volumes: async () => {
      const perNode = lab.nodes.map(async (node) => [node.name, await volumeNames(node.docker, prefix)] as const);
      return Object.fromEntries(await Promise.all(perNode));
    },
    describe: () => describe(docker, prefix),
    [Symbol.asyncDispose]: async () => {
      await lab.restore();
      await eventually(() => emptied(lab, docker, prefix), { timeoutMs: 90_000, intervalMs: 250 });
    },
  };
}

interface Told {
  readonly ID: string;
  readonly ServiceID: string;
  readonly NodeID?: string;
  readonly CreatedAt: string;
  readonly DesiredState: string;
  readonly Status: { readonly State: string; readonly Timestamp: string; readonly Message?: string; readonly Err?: string };
}

async function describe(docker: Docker, prefix: string): Promise<string> {
  const [nodes, services, tasks] = await Promise.all([docker.listNodes(), docker.listServices(), docker.listTasks() as Promise<Told[]>]);
  const lines = nodes.map(
    ({ ID, Description: of, Status: is, Spec: { Availability: to } }) => `${ID} ${of?.Hostname} is ${is?.State}, ${to}`,
  );
  for (const service of services.filter((one) => belongs(one, prefix))) {
    const update = JSON.stringify(service.UpdateStatus ?? {});
    lines.push(`${service.Spec?.Name} index ${service.Version?.Index}, updated ${service.UpdatedAt}, ${update}`);
    for (const { ID, NodeID, CreatedAt, DesiredState, Status } of tasks.filter(({ ServiceID }) => ServiceID === service.ID)) {
      const { State, Timestamp, Message = '', Err = '' } = Status;
      lines.push(`  ${ID} of ${CreatedAt} on ${NodeID}: ${DesiredState} wanted, ${State} since ${Timestamp}: ${Message} ${Err}`);
    }
  }
  return lines.join('\n');
}

type Labels = Record<string, string> | null | undefined;
interface Labelled {
  Name?: string | undefined;
  Names?: string[] | undefined;
  Labels?: Labels;
  Spec?: { Name?: string | undefined; Labels?: Labels } | undefined;
}

function belongs(object: Labelled, prefix: string): boolean {
  const labels = { ...object.Labels, ...object.Spec?.Labels };
  const texts = [object.Name, ...(object.Names ?? []), object.Spec?.Name, ...Object.values(labels)];
  return texts.some((text) => text?.includes(prefix));
}

/** Removes what it finds and says whether there was nothing; what is still in use goes at a later look. */
async function emptied(lab: Lab, docker: Docker, prefix: string): Promise<boolean> {
  let found = 0;
  const remove = async <T extends Labelled>(objects: readonly T[] | null, end: (object: T) => Promise<unknown>) => {
    const mine = (objects ?? []).filter((object) => belongs(object, prefix));
    found += mine.length;
    for (const object of mine) await end(object).catch(() => undefined);
  };
  await remove(await docker.listServices(), ({ ID }) => docker.getService(ID).remove());
  await remove(await docker.listConfigs(), ({ ID }) => docker.getConfig(ID).remove());
  await remove(await docker.listSecrets(), ({ ID }) => docker.getSecret(ID).remove());
  await remove(await docker.listNetworks(), ({ Id }) => docker.getNetwork(Id).remove());
  for (const node of lab.nodes) {
    const containers = await node.docker.listContainers({ all: true });
    await remove(containers, ({ Id }) => node.docker.getContainer(Id).remove({ force: true }));
    const { Volumes: volumes } = await node.docker.listVolumes();
    await remove(volumes, ({ Name }) => node.docker.getVolume(Name).remove());
  }
  return found === 0;
}

async function volumeNames(docker: Docker, prefix: string): Promise<string[]> {
  const { Volumes: volumes } = await docker.listVolumes();
  return (volumes ?? [])
    .filter((volume) => belongs(volume, prefix))
    .map((volume) => volume.Name)
    .sort();
}
