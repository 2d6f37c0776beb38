import type { StackObjects } from '../api.ts';
import { parseImage } from '../convert/image-reference.ts';
import { scopedName } from '../convert/scope.ts';
import { isIpAddress } from '../decode/ip-address.ts';
import type { Model, Service } from '../model.ts';
import type { Problems } from '../problems.ts';
import { warnOfValues } from './warn-of-values.ts';

const MAX_NAME = 64;

/** Warns of what an engine refuses, or runs in a way that surprises, although the file can be converted. */
export function warnOfRefusals(stack: string, model: Model, objects: StackObjects, problems: Problems): void {
  warnOfSharedPorts(model, problems);
  for (const [name, service] of Object.entries(model.services)) {
    warnOfName(scopedName(stack, name), ['services', name], problems);
    warnOfImage(service, name, problems);
    warnOfPorts(service, name, problems);
    warnOfValues(service, ['services', name], problems);
    for (const [index, { type }] of (service.volumes ?? []).entries())
      if (type === 'image')
        problems.warn('mount-type', ['services', name, 'volumes', index], 'engines up to 28 refuse mounts of the type image in a swarm');
  }
  for (const [key, network] of Object.entries(model.networks)) {
    for (const [index, { subnet = '' }] of (network.ipam?.config ?? []).entries())
      if (!isSubnet(subnet))
        problems.warn(
          'subnet',
          ['networks', key, 'ipam', 'config', index],
          `expected a subnet such as 10.1.0.0/24, found ${JSON.stringify(subnet)}`,
        );
  }
  for (const section of ['networks', 'configs', 'secrets'] as const) {
    const own = new Set(objects[section].map(({ Name }) => Name));
    for (const [key, { name }] of Object.entries(model[section]))
      if (own.has(scopedName(stack, key, name))) warnOfName(scopedName(stack, key, name), [section, key], problems);
  }
}

/** One port of the ingress network belongs to one service. */
function warnOfSharedPorts(model: Model, problems: Problems): void {
  const taken = new Map<string, string>();
  for (const [name, service] of Object.entries(model.services)) {
    for (const [index, port] of (service.ports ?? []).entries()) {
      if (!port.published || (port.mode ?? 'ingress') !== 'ingress') continue;
      const key = `${port.published}/${port.protocol || 'tcp'}`;
      const other = taken.get(key);
      if (other !== undefined)
        problems.warn('port-taken', ['services', name, 'ports', index], `the port ${key} is published by ${other} already`);
      taken.set(key, `services.${name}`);
    }
  }
}

function warnOfName(name: string, path: readonly string[], problems: Problems): void {
  if (name.length > MAX_NAME)
    problems.warn('name-too-long', path, `the name ${name} has ${name.length} characters, an engine takes ${MAX_NAME}`);
}

function warnOfImage(service: Service, name: string, problems: Problems): void {
  const image = parseImage(service.image ?? '');
  if (!('error' in image) && image.tag === undefined && image.digest === undefined)
    problems.warn(
      'image-tag',
      ['services', name, 'image'],
      `${service.image} has no tag, so that ${service.image}:latest runs, whatever that is; write a tag or a digest`,
    );
}

function warnOfPorts(service: Service, name: string, problems: Problems): void {
  const path = ['services', name, 'ports'];
  for (const [index, { target = 0, published = 0 }] of (service.ports ?? []).entries())
    if (Number(target) < 1 || Number(target) > 65535 || Number(published) > 65535)
      problems.warn('port-range', [...path, index], `expected ports from 1 to 65535, found ${published || ''}:${target}`);
  const host = service.ports?.some(({ mode }) => mode === 'host');
  if (host && service.deploy?.update_config?.order === 'start-first')
    problems.warn(
      'start-first-host-port',
      path,
      'a port of the node is taken until the old task ends, so that start-first cannot start the new one on it',
    );
}

function isSubnet(text: string): boolean {
  const [address = '', bits = '', more] = text.split('/');
  const size = address.includes(':') ? 128 : 32;
  return more === undefined && isIpAddress(address) && /^\d{1,3}$/.test(bits) && Number(bits) <= size;
}
