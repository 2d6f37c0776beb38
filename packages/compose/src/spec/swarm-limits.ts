import type { Path, Problems } from '../problems.ts';
import { type Dict, isDict, type Value } from '../value.ts';

/** What to say of keys that a swarm lacks. */
type Reasons = Readonly<Record<string, string>>;

export const NO_DEVICES = 'swarm gives tasks no devices; declare generic_resources under deploy.resources.reservations';

/** Keys of a service without which it would be another one; each with the way to get it in a swarm. */
const REFUSED: Reasons = {
  blkio_config: 'swarm limits no block devices',
  cgroup: 'swarm has no such setting',
  cgroup_parent: 'swarm has no such setting',
  device_cgroup_rules: 'swarm gives tasks no devices; a constraint places a task on its node, a bind mount reaches the device',
  devices: 'swarm gives tasks no devices; a constraint places a task on its node, a bind mount reaches the device',
  gpus: NO_DEVICES,
  ipc: 'swarm has no such setting; a tmpfs at /dev/shm gives a service shared memory',
  models: 'swarm runs services alone; run the model as one of them',
  network_mode: 'declare an external network named host (or none) and attach the service to it',
  pid: 'swarm has no such setting',
  post_start: 'make it part of the entrypoint',
  pre_stop: 'handle the stop signal in the container',
  privileged: 'swarm runs no privileged tasks; name the capabilities under cap_add',
  provider: 'swarm runs services alone',
  runtime: "set the default runtime of the node's engine, and place the task by a constraint",
  storage_opt: "set it for the node's engine",
  use_api_socket: 'mount the socket, and allow it for the application',
  userns_mode: 'swarm has no such setting',
  uts: 'swarm has no such setting',
  volumes_from: 'declare the volume under the top-level volumes and mount it in each service',
};

/** Keys of a service that have no effect in a swarm, and do not change what runs. */
const IGNORED: Reasons = {
  annotations: 'swarm has no such setting; use labels',
  attach: 'it concerns the terminal',
  build: 'swarm runs images that exist; build and push it before',
  cgroupns_mode: 'swarm has no such setting',
  container_name: 'swarm names its tasks itself',
  cpu_count: 'set limits under deploy.resources',
  cpu_percent: 'set limits under deploy.resources',
  cpu_period: 'set limits under deploy.resources',
  cpu_quota: 'set limits under deploy.resources',
  cpu_rt_period: 'set limits under deploy.resources',
  cpu_rt_runtime: 'set limits under deploy.resources',
  cpu_shares: 'set limits under deploy.resources',
  cpuset: 'set limits under deploy.resources',
  develop: 'it concerns the making of images',
  domainname: 'swarm has no such setting; put it into hostname',
  expose: 'services of one network reach each other on every port',
  external_links: 'use a shared network and service names',
  links: 'services of one network reach each other by name',
  mac_address: 'swarm assigns addresses',
  mem_swappiness: 'swarm has no such setting',
  memswap_limit: 'swarm has no such setting',
  oom_kill_disable: 'swarm has no such setting; lower oom_score_adj',
  platform: 'swarm places a task where its image fits; a constraint on node.platform.arch places it by hand',
  pull_policy: 'a node pulls what it does not have; pin a digest, or use a new tag',
};

/** Takes keys out of a service that no swarm has: those that change what runs are problems, the others warnings. */
export function limitService(service: Dict, path: Path, problems: Problems): void {
  refuseKeys(service, REFUSED, path, problems);
  ignoreKeys(service, IGNORED, path, problems);
}

/** Takes named keys out of a mapping; each that says something is a problem. */
export function refuseKeys(from: Dict, keys: Reasons, path: Path, problems: Problems): void {
  takeKeys(from, keys, (key, reason) => problems.add([...path, key], `${key} is not possible in a swarm: ${reason}`));
}

/** Takes named keys out of a mapping, with a warning for each that says something. */
export function ignoreKeys(from: Dict, keys: Reasons, path: Path, problems: Problems): void {
  takeKeys(from, keys, (key, reason) => problems.warn('ignored-key', [...path, key], `${key} is ignored: ${reason}`));
}

function takeKeys(from: Dict, keys: Reasons, tell: (key: string, reason: string) => void): void {
  for (const key of Object.keys(from)) {
    const reason = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (reason === undefined) continue;
    if (!isNothing(from[key] ?? null)) tell(key, reason);
    delete from[key];
  }
}

function isNothing(value: Value): boolean {
  if (value === null || value === false || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isDict(value) && Object.keys(value).length === 0;
}
