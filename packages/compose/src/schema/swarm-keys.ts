import type { Problems } from '../problems.ts';
import { type Dict, isDict, member } from '../value.ts';

const USE_LIMITS = 'set limits under deploy.resources instead';

/** Keys of a service that the format had before 3.0 and swarm refuses, with what to use instead. */
export const refusedKeys: Readonly<Record<string, string>> = Object.fromEntries([
  ['cpu_quota', USE_LIMITS],
  ['cpu_shares', USE_LIMITS],
  ['cpuset', USE_LIMITS],
  ['mem_limit', USE_LIMITS],
  ['memswap_limit', USE_LIMITS],
  ['extends', 'write the service out, merge a second file over this one, or use dialect: spec'],
  ['volume_driver', 'declare the volume under the top-level volumes and give it a driver there'],
  ['volumes_from', 'declare the volume under the top-level volumes and mount it in each service that shares it'],
]);

/** Keys of a service that only today's compose specification has. */
export const specificationKeys = [
  'annotations',
  'attach',
  'blkio_config',
  'cgroup',
  'cpu_count',
  'cpu_percent',
  'cpu_period',
  'cpu_rt_period',
  'cpu_rt_runtime',
  'cpus',
  'develop',
  'device_cgroup_rules',
  'dns_opt',
  'gpus',
  'group_add',
  'label_file',
  'mem_reservation',
  'mem_swappiness',
  'models',
  'oom_kill_disable',
  'pids_limit',
  'platform',
  'post_start',
  'pre_stop',
  'profiles',
  'provider',
  'pull_policy',
  'runtime',
  'scale',
  'storage_opt',
  'use_api_socket',
  'uts',
];

/** Keys of a service that are read and have no effect in a swarm. */
const IGNORED = new Map([
  ['build', 'swarm runs images that exist; build and push it before'],
  ['cgroup_parent', 'swarm has no such setting'],
  ['cgroupns_mode', 'swarm has no such setting'],
  ['devices', 'swarm gives tasks no devices; generic_resources and constraints place a task, a bind mount can reach a device'],
  ['domainname', 'swarm has no such setting; put it into hostname'],
  ['external_links', 'use a shared network and service names'],
  ['ipc', 'swarm has no such setting'],
  ['links', 'services of one network reach each other by name'],
  ['mac_address', 'swarm assigns addresses'],
  ['network_mode', 'the service is attached to networks instead; use the external network host for host networking'],
  ['pid', 'swarm has no such setting'],
  ['privileged', 'swarm runs no privileged tasks; use cap_add'],
  ['security_opt', 'the docker CLI does not send it; the dialect spec does'],
  ['shm_size', 'mount a tmpfs at /dev/shm instead, or use the dialect spec'],
  ['userns_mode', 'swarm has no such setting'],
  ['container_name', 'swarm names its tasks itself'],
  ['expose', 'services of one network reach each other on every port'],
  ['depends_on', 'the docker CLI starts all services at once; the dialect spec makes it an order, or state waves by labels'],
  ['tmpfs', 'use a volume of type tmpfs, or the dialect spec'],
  ['oom_score_adj', 'the docker CLI does not send it; the dialect spec does'],
]);

/** Warns of keys that are read and have no effect in a swarm. */
export function warnOfIgnoredKeys(document: Dict, problems: Problems): void {
  const services = member(document, 'services');
  if (!isDict(services)) return;
  for (const [name, service] of Object.entries(services)) {
    if (!isDict(service)) continue;
    for (const key of Object.keys(service)) {
      const path = ['services', name, key];
      const reason = IGNORED.get(key);
      if (reason !== undefined) problems.warn('ignored-key', path, `${key} is ignored: ${reason}`);
    }
  }
}
