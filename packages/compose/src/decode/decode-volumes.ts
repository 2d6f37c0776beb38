import type { ServiceVolume } from '../model.ts';
import { anyCase, type Fields, fieldsOf, present } from './fields.ts';
import { parseVolumeSpec } from './volume-spec.ts';

/** `volumes` of a service, short forms parsed. `declared` are the keys of the document's top-level volumes. */
export function decodeVolumes(service: Fields, declared: ReadonlySet<string>, spec = false): ServiceVolume[] | undefined {
  return service.list('volumes')?.map((item, index) => {
    const path = [...service.at('volumes'), index];
    if (typeof item !== 'string') return decodeLongVolume(fieldsOf(item, path, service.problems), spec);
    const named = declared.has(item.charAt(0)) && item.charAt(1) === ':' && !service.problems.deviate('volume-single-letter', path);
    const volume = parseVolumeSpec(item, named ? item.charAt(0) : undefined);
    if (!('error' in volume)) return volume;
    service.problems.add(path, volume.error);
    return {};
  });
}

function decodeLongVolume(fields: Fields, spec: boolean): ServiceVolume {
  const options = (kind: string, keys: readonly string[]) => {
    const child = fields.child(kind);
    return child && anyCase(child, keys);
  };
  const bind = options('bind', ['propagation']);
  const volume = options('volume', ['nocopy', 'subpath']);
  const tmpfs = options('tmpfs', ['size', 'mode']);
  return present<ServiceVolume>({
    type: fields.text('type'),
    source: fields.text('source'),
    target: fields.text('target'),
    read_only: fields.boolean('read_only'),
    consistency: fields.text('consistency'),
    bind: bind && present<{ propagation?: string }>({ propagation: bind.text('propagation') }),
    volume: volume && present<NonNullable<ServiceVolume['volume']>>({ nocopy: volume.boolean('nocopy'), subpath: volume.text('subpath') }),
    tmpfs:
      tmpfs &&
      present<NonNullable<ServiceVolume['tmpfs']>>({ size: tmpfs.integer('size'), mode: spec ? tmpfs.integer('mode') : undefined }),
  });
}
