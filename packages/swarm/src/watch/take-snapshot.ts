import type { SwarmSnapshot } from '@hivekeep/planner';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { CallOptions } from '../client/engine-http.ts';

/** Reading all configs ships the data of all of them. */
const CONFIG_LIST_TIMEOUT_MS = 30_000;

export interface SnapshotOptions extends CallOptions {
  readonly withTasks: boolean;
  /** The wall clock, in milliseconds. */
  readonly now: number;
}

/**
 * The whole swarm in 5 calls, 6 with tasks, whatever it holds. All or an error: a part that can't be read is never an empty part.
 * @throws HivekeepError `swarm/*`, `cancelled`
 */
export async function takeSnapshot(swarm: DockerSwarm, options: SnapshotOptions): Promise<SwarmSnapshot> {
  const { signal, timeoutMs } = options;
  const call = { signal, timeoutMs };
  const [services, networks, configs, secrets, nodes, tasks] = await Promise.all([
    swarm.listServices(call),
    swarm.listNetworks(call),
    swarm.listConfigs({ signal, timeoutMs: Math.max(timeoutMs ?? 0, CONFIG_LIST_TIMEOUT_MS) }),
    swarm.listSecrets(call),
    swarm.listNodes(call),
    options.withTasks ? swarm.listTasks(call) : [],
  ]);
  return { takenAt: options.now, services, networks, configs, secrets, nodes, tasks };
}
