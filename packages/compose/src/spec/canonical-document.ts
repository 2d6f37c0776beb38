import { castAt } from '../load/casts.ts';
import type { Path, Problems } from '../problems.ts';
import { type Dict, dict, isDict, member, type Value } from '../value.ts';
import { canonicalService } from './canonical-service.ts';
import { change, copy, type ServicePlace, toMapping } from './forms.ts';
import { ignoreKeys, refuseKeys } from './swarm-limits.ts';

/** What the relative paths of a file mean. */
export type PlaceOf = Pick<ServicePlace, 'rooted' | 'relative'>;

/** A file of the compose specification with every part in its long form, so that files can be merged member by member. */
export function canonicalDocument(from: Dict, paths: PlaceOf, problems: Problems): Dict {
  const document = copy(from) as Dict; // a copy of a mapping is one
  refuseKeys(document, { models: 'swarm runs services alone; run the model as one of them' }, [], problems);
  for (const [section, canonical] of Object.entries(SECTIONS)) {
    const members = member(document, section);
    if (!isDict(members)) continue;
    for (const [name, value] of Object.entries(members))
      if (isDict(value)) members[name] = canonical(value, { ...paths, path: [section, name], problems });
  }
  return castTexts(document, [], problems) as Dict; // as before
}

const SECTIONS: Readonly<Record<string, (value: Dict, place: ServicePlace) => Dict>> = {
  services: canonicalService,
  networks: canonicalNetwork,
  volumes: labelled,
  secrets: canonicalFile,
  configs: canonicalFile,
};

function labelled(value: Dict): Dict {
  change(value, 'labels', toMapping);
  return value;
}

function canonicalNetwork(network: Dict, { path, problems }: ServicePlace): Dict {
  ignoreKeys(network, { enable_ipv4: 'swarm has no such setting' }, path, problems);
  if (isDict(network.ipam)) ignoreKeys(network.ipam, { options: 'swarm has no such setting in this format' }, [...path, 'ipam'], problems);
  if (network.driver === 'bridge' && !network.external) {
    problems.warn(
      'network-driver',
      [...path, 'driver'],
      'the driver bridge is replaced by overlay: the network of a stack spans its nodes',
    );
    delete network.driver;
  }
  return labelled(network);
}

function canonicalFile(object: Dict, { rooted }: ServicePlace): Dict {
  change(object, 'file', (file) => (typeof file === 'string' ? rooted(file) : file));
  return labelled(object);
}

/** Numbers and truth values written as texts, which the specification allows, as what they say. */
function castTexts(value: Value, path: Path, problems: Problems): Value {
  if (Array.isArray(value)) return value.map((item, index) => castTexts(item, [...path, index], problems));
  if (isDict(value)) {
    const out = dict();
    for (const [key, item] of Object.entries(value)) out[key] = castTexts(item, [...path, key], problems);
    return out;
  }
  return typeof value === 'string' ? (castAt(path)?.cast(value) ?? value) : value;
}
