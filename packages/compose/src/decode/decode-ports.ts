import type { ServicePort } from '../model.ts';
import type { Path } from '../problems.ts';
import { describeValue } from '../schema/describe.ts';
import { isDict, type Value } from '../value.ts';
import { Fields, present } from './fields.ts';
import { parsePortSpec } from './port-spec.ts';

/** Of one service; more than there are, over all protocols. */
export const MAX_PORTS = 200_000;

/** `ports` of a service; a short form may stand for many ports. */
export function decodePorts(service: Fields): ServicePort[] | undefined {
  const items = service.list('ports');
  const ports: ServicePort[] = [];
  for (const [index, item] of (items ?? []).entries()) {
    const path = [...service.at('ports'), index];
    for (const port of decodePort(item, path, service)) ports.push(port);
    if (ports.length <= MAX_PORTS) continue;
    service.problems.add(path, `a service may have at most ${MAX_PORTS} ports`);
    break;
  }
  return items && ports;
}

function decodePort(item: Value, path: Path, service: Fields): ServicePort[] {
  if (isDict(item)) {
    const port = new Fields(item, path, service.problems);
    return [
      present<ServicePort>({
        mode: port.text('mode'),
        target: port.unsigned('target', 32),
        published: port.unsigned('published', 32),
        protocol: port.text('protocol'),
      }),
    ];
  }
  if (typeof item !== 'string' && typeof item !== 'number') {
    service.problems.add(path, `expected a port such as "8080:80" or a mapping, found ${describeValue(item)}`);
    return [];
  }
  const spec = parsePortSpec(String(item));
  if ('error' in spec) {
    service.problems.add(path, spec.error);
    return [];
  }
  if (spec.address !== '' && spec.address !== '0.0.0.0')
    service.problems.warn(
      'port-address',
      path,
      `the address ${spec.address} is ignored: swarm publishes a port on every address of a node`,
    );
  return spec.ports.map((port) => ({ mode: 'ingress', ...port }));
}
