import { MAX_PORTS } from '../decode/decode-ports.ts';
import { parsePortRange, parsePortSpec } from '../decode/port-spec.ts';
import { compareText } from '../order.ts';
import { identity } from '../schema/describe.ts';
import { type Dict, dict, isDict, printValue, record, type Value } from '../value.ts';
import { canonicalMounts } from './canonical-mounts.ts';
import { change, copy, nested, refuseUnknown, type ServicePlace, take, toList, toMapping, toMembers, toMode, toText } from './forms.ts';
import { ignoreKeys, limitService, NO_DEVICES, refuseKeys } from './swarm-limits.ts';

/**
 * A service of the compose specification in the long forms that the docker dialect has too: lists with a key as mappings,
 * limits under `deploy`, mounts of every kind under `volumes`. What a swarm lacks is said and left out. `extends` and
 * `profiles` stay.
 */
export function canonicalService(from: Dict, place: ServicePlace): Dict {
  const service = copy(from) as Dict; // a copy of a mapping is one
  limitService(service, place.path, place.problems);
  for (const key of ['environment', 'labels', 'sysctls']) change(service, key, toMapping);
  for (const key of ['dns', 'dns_search', 'dns_opt', 'group_add', 'security_opt']) change(service, key, toList);
  change(service, 'group_add', (groups) => (Array.isArray(groups) ? groups.map(toText) : groups));
  change(service, 'networks', (networks) => canonicalNetworks(networks, place));
  change(service, 'depends_on', (needed) => toMembers(needed, () => record([['condition', 'service_started']])));
  change(service, 'extra_hosts', canonicalHosts);
  change(service, 'ports', (ports) => canonicalPorts(ports, place));
  for (const key of ['configs', 'secrets']) change(service, key, canonicalReferences);
  change(service, 'env_file', (files) => canonicalEnvFiles(files, place));
  change(service, 'label_file', (files) => canonicalLabelFiles(files, place));
  canonicalMounts(service, place);
  moveLimits(service, place);
  return service;
}

function canonicalNetworks(networks: Value, { path, problems }: ServicePlace): Value {
  const named = toMembers(networks, () => null);
  if (!isDict(named)) return named;
  const ignored = {
    gw_priority: 'swarm has no such setting',
    interface_name: 'swarm has no such setting',
    ipv4_address: 'swarm assigns addresses',
    ipv6_address: 'swarm assigns addresses',
    link_local_ips: 'swarm assigns addresses',
    mac_address: 'swarm assigns addresses',
    priority: 'swarm has no such setting',
  };
  for (const [name, attachment] of Object.entries(named))
    if (isDict(attachment)) ignoreKeys(attachment, ignored, [...path, 'networks', name], problems);
  return named;
}

/** A mapping, in which a host may have several addresses, as a list of `host=address`; what is no address stays, for the check. */
function canonicalHosts(hosts: Value): Value {
  if (!isDict(hosts)) return hosts;
  return Object.entries(hosts)
    .sort(([a], [b]) => compareText(`${a}:`, `${b}:`))
    .flatMap(([host, addresses]) =>
      (Array.isArray(addresses) ? addresses : addresses === null ? [] : [addresses]).map((address) => hostText(host, address)),
    );
}

function hostText(host: string, address: Value): Value {
  const text = toText(address);
  return typeof text === 'string' ? `${host}=${text}` : text;
}

function canonicalPorts(ports: Value, place: ServicePlace): Value {
  if (!Array.isArray(ports)) return ports;
  const specs = ports.map((item) => (isDict(item) ? undefined : parsePortSpec(printValue(item))));
  const count = specs.reduce((sum, spec) => sum + (spec && !('error' in spec) ? spec.count : 1), 0);
  if (count > MAX_PORTS) {
    place.problems.add([...place.path, 'ports'], `a service may have at most ${MAX_PORTS} ports, found ${count}`);
    return [];
  }
  const all = ports.flatMap((item, index): Value[] => {
    const path = [...place.path, 'ports', index];
    if (isDict(item)) {
      ignoreKeys(item, { app_protocol: 'swarm has no such setting', name: 'swarm has no such setting' }, path, place.problems);
      warnOfAddress(take(item, 'host_ip'), path, place);
      if (item.published === '') delete item.published;
      if (typeof item.published === 'string' && parsePortRange(item.published)?.start !== parsePortRange(item.published)?.end) {
        place.problems.add(
          [...path, 'published'],
          `a range is not possible in a swarm, which chooses no port of it; write "${item.published}:${printValue(item.target ?? null)}" to publish each`,
        );
        return [];
      }
      item.mode ??= 'ingress';
      item.protocol ??= 'tcp';
      return [item];
    }
    const spec = specs[index];
    if (!spec || 'error' in spec) return [item];
    warnOfAddress(spec.address, path, place);
    return spec.ports.map((port) => record<Value>([['mode', 'ingress'], ...Object.entries(port)]));
  });
  return [...new Map(all.map((port) => [identity(port), port])).values()];
}

function warnOfAddress(address: Value | undefined, path: readonly (string | number)[], { problems }: ServicePlace): void {
  if (typeof address !== 'string' || ['', '0.0.0.0', '::'].includes(address)) return;
  problems.warn('port-address', path, `the address ${address} is ignored: swarm publishes a port on every address of a node`);
}

function canonicalReferences(references: Value): Value {
  if (!Array.isArray(references)) return references;
  return references.map((item) => {
    if (typeof item === 'string') return record<Value>([['source', item]]);
    if (!isDict(item)) return item;
    change(item, 'mode', toMode);
    for (const key of ['uid', 'gid']) change(item, key, toText);
    return item;
  });
}

function canonicalEnvFiles(files: Value, place: ServicePlace): Value {
  const items = toList(files);
  if (!Array.isArray(items)) return items;
  return items.map((item, index) => {
    const file = isDict(item) ? item : record<Value>([['path', item]]);
    refuseUnknown(file, ['path', 'required', 'format'], [...place.path, 'env_file', index], place.problems);
    change(file, 'path', (path) => (typeof path === 'string' ? place.rooted(path) : path));
    return file;
  });
}

function canonicalLabelFiles(files: Value, { rooted }: ServicePlace): Value {
  const items = toList(files);
  return Array.isArray(items) ? items.map((item) => (typeof item === 'string' ? rooted(item) : item)) : items;
}

/** Limits that a service states beside `deploy`; what `deploy` says counts. */
function moveLimits(service: Dict, { path, problems }: ServicePlace): void {
  const scale = take(service, 'scale');
  if (scale !== undefined) nested(service, 'deploy').replicas ??= scale;
  const moves = [
    ['cpus', 'limits', 'cpus'],
    ['mem_limit', 'limits', 'memory'],
    ['pids_limit', 'limits', 'pids'],
    ['mem_reservation', 'reservations', 'memory'],
  ] as const;
  for (const [key, part, name] of moves) {
    const value = take(service, key);
    if (value !== undefined && !(name === 'pids' && Number(value) <= 0))
      nested(nested(nested(service, 'deploy'), 'resources'), part)[name] ??= value;
  }
  const deploy = service.deploy;
  if (!isDict(deploy)) return;
  change(deploy, 'labels', toMapping);
  const resources = isDict(deploy.resources) ? deploy.resources : dict();
  for (const name of ['limits', 'reservations']) {
    const part = resources[name];
    if (!isDict(part)) continue;
    refuseKeys(part, { devices: NO_DEVICES }, [...path, 'deploy', 'resources', name], problems);
    for (const key of ['cpus', 'memory']) change(part, key, toText);
  }
}
