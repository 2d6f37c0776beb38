import type { AddressPool, FileObject, Model, Network, Volume } from '../model.ts';
import { looseClusterSpec } from '../schema/cluster-rules.ts';
import { validate } from '../schema/validate.ts';
import { isDict, record, type Value } from '../value.ts';
import { decodeService } from './decode-service.ts';
import { type Fields, present } from './fields.ts';

/** Every section of a document as the model has it; members that one dialect alone sends are read in that one. */
export function decodeModel(root: Fields, minor: number, dialect: 'docker' | 'spec' = 'docker'): Model {
  const declared = new Set(Object.keys(root.child('volumes')?.value ?? {}));
  const spec = dialect === 'spec';
  return {
    ...(spec && { dialect: 'spec' }),
    services: record(root.members('services').map(([name, fields]) => [name, decodeService(fields, declared, spec)])),
    networks: record(root.members('networks').map(([name, fields]) => [name, decodeNetwork(name, fields, minor, spec)])),
    volumes: record(root.members('volumes').map(([name, fields]) => [name, decodeVolume(name, fields, minor)])),
    secrets: record(root.members('secrets').map(([name, fields]) => [name, decodeFileObject(name, fields, 'secret', minor)])),
    configs: record(root.members('configs').map(([name, fields]) => [name, decodeFileObject(name, fields, 'config', minor)])),
  };
}

function decodeNetwork(key: string, fields: Fields, minor: number, spec: boolean): Network {
  const ipam = fields.child('ipam');
  return present<Network>({
    ...decodeName(key, fields, 'network', minor >= 5),
    driver: fields.text('driver'),
    driver_opts: fields.pairs('driver_opts'),
    ipam:
      ipam &&
      present<NonNullable<Network['ipam']>>({
        driver: ipam.text('driver'),
        config: ipam.children('config')?.map((pool) => decodePool(pool, spec)),
      }),
    internal: fields.boolean('internal'),
    enable_ipv6: spec ? fields.boolean('enable_ipv6') : undefined,
    attachable: fields.boolean('attachable'),
    labels: fields.pairs('labels'),
  });
}

function decodePool(pool: Fields, spec: boolean): AddressPool {
  return present<AddressPool>({
    subnet: pool.text('subnet'),
    gateway: spec ? pool.text('gateway') : undefined,
    ip_range: spec ? pool.text('ip_range') : undefined,
    aux_addresses: spec ? pool.pairs('aux_addresses') : undefined,
  });
}

function decodeVolume(key: string, fields: Fields, minor: number): Volume {
  const cluster: Value = fields.given('x-cluster-spec') ?? null;
  if (minor < 10) validate(cluster, looseClusterSpec, minor, fields.at('x-cluster-spec'), fields.problems);
  const volume = present<Volume>({
    ...decodeName(key, fields, 'volume', minor >= 4),
    driver: fields.text('driver'),
    driver_opts: fields.pairs('driver_opts'),
    labels: fields.pairs('labels'),
    cluster: isDict(cluster) ? cluster : undefined,
  });
  if (!volume.external) return volume;
  for (const option of ['driver', 'driver_opts', 'labels'] as const)
    if (Object.keys(volume[option] ?? {}).length > 0)
      fields.problems.add(
        fields.at(option),
        `conflicts with external: an external volume is made elsewhere, so its ${option} cannot be set here`,
      );
  return volume;
}

function decodeFileObject(key: string, fields: Fields, kind: 'secret' | 'config', minor: number): FileObject {
  const object = present<FileObject>({
    ...decodeName(key, fields, kind, minor >= 5),
    file: fields.text('file'),
    labels: fields.pairs('labels'),
    driver: fields.text('driver'),
    driver_opts: fields.pairs('driver_opts'),
    template_driver: fields.text('template_driver'),
  });
  if (!object.external && object.driver && object.file)
    fields.problems.add(fields.at('driver'), `conflicts with file: the content of a ${kind} comes from one of them`);
  return object;
}

/** `name` and `external` with the old form `external: {name: …}`; an external object without a name has its key as its name. */
function decodeName(
  key: string,
  fields: Fields,
  kind: string,
  deprecated: boolean,
): { name: string | undefined; external: boolean | undefined } {
  const name = fields.text('name');
  const value = fields.given('external');
  const old = isDict(value) ? fields.child('external')?.text('name') : undefined;
  const external = isDict(value) ? true : fields.boolean('external');
  if (!external) return { name, external };
  if (old && name) fields.problems.add(fields.at('external'), 'external.name and name are both given; keep name alone');
  if (old && deprecated)
    fields.problems.warn(
      'external-name',
      fields.at('external'),
      `${kind} ${key}: external.name is deprecated, write external: true and name`,
    );
  return { name: name || old || key, external };
}
