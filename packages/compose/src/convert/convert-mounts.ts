import type { Mount } from '../engine.ts';
import type { ServiceVolume, Volume } from '../model.ts';
import { member } from '../value.ts';
import type { ConvertContext } from './context.ts';
import { scopedName, stackLabels } from './scope.ts';
import { omitEmpty, wireInt } from './wire.ts';

type Option = 'bind' | 'volume' | 'tmpfs';

/** Mounts of a service, in the order of the file. */
export function convertMounts(context: ConvertContext, service: string, volumes: readonly ServiceVolume[]): Mount[] {
  return volumes.flatMap((volume, index) => {
    const mount = convertMount(context, volume);
    if (!('error' in mount)) return [mount];
    context.problems.add(['services', service, 'volumes', index], mount.error);
    return [];
  });
}

function convertMount(context: ConvertContext, volume: ServiceVolume): Mount | { error: string } {
  switch (volume.type ?? 'volume') {
    case 'volume':
      return refuseOptions(volume, ['tmpfs', 'bind']) ?? volumeMount(context, volume);
    case 'bind':
      return refuseOptions(volume, ['volume', 'tmpfs']) ?? sourceRequired(volume) ?? bindMount(volume);
    case 'npipe':
      return sourceRequired(volume) ?? refuseOptions(volume, ['volume', 'tmpfs']) ?? bindMount(volume);
    case 'tmpfs':
      return refuseOptions(volume, ['bind', 'volume']) ?? tmpfsMount(volume);
    case 'image':
      return sourceRequired(volume) ?? refuseOptions(volume, ['bind', 'volume', 'tmpfs']) ?? baseMount(volume);
    case 'cluster':
      return sourceRequired(volume) ?? refuseOptions(volume, ['tmpfs', 'bind', 'volume']) ?? clusterMount(context, volume);
    default:
      return { error: `expected the type volume, bind, tmpfs, npipe, image or cluster, found ${JSON.stringify(volume.type)}` };
  }
}

function refuseOptions(volume: ServiceVolume, options: readonly Option[]): { error: string } | undefined {
  const found = options.find((option) => volume[option] !== undefined);
  return found && { error: `${found} options are incompatible with type ${volume.type}` };
}

function sourceRequired(volume: ServiceVolume): { error: string } | undefined {
  return volume.source ? undefined : { error: `a ${volume.type} mount needs a source` };
}

function baseMount(volume: ServiceVolume): Mount {
  return omitEmpty<Mount>({
    Type: volume.type,
    Source: volume.source,
    Target: volume.target,
    ReadOnly: volume.read_only,
    Consistency: volume.consistency,
  });
}

function bindMount(volume: ServiceVolume): Mount {
  const mount = baseMount(volume);
  return volume.bind ? { ...mount, BindOptions: omitEmpty<Record<string, unknown>>({ Propagation: volume.bind.propagation }) } : mount;
}

function tmpfsMount(volume: ServiceVolume): Mount | { error: string } {
  if (volume.source) return { error: 'a tmpfs mount has no source' };
  const mount = baseMount(volume);
  if (!volume.tmpfs) return mount;
  return {
    ...mount,
    TmpfsOptions: omitEmpty<NonNullable<Mount['TmpfsOptions']>>({
      SizeBytes: wireInt(volume.tmpfs.size),
      Mode: wireInt(volume.tmpfs.mode),
    }),
  };
}

function volumeMount(context: ConvertContext, volume: ServiceVolume): Mount | { error: string } {
  const mount = baseMount(volume);
  if (!volume.source) return mount;
  const definition = findVolume(context, volume.source);
  if ('error' in definition) return definition;
  const Source = scopedName(context.stack, volume.source, definition.name);
  const own = omitEmpty<NonNullable<Mount['VolumeOptions']>>({ NoCopy: volume.volume?.nocopy, Subpath: volume.volume?.subpath });
  if (definition.external) return { ...mount, Source, VolumeOptions: own };
  const { driver, driver_opts: options } = definition;
  const hasDriver = driver !== undefined || options !== undefined;
  return {
    ...mount,
    Source,
    VolumeOptions: {
      ...own,
      Labels: stackLabels(context.stack, definition.labels),
      ...(hasDriver && {
        DriverConfig: {
          ...(driver !== undefined && { Name: driver }),
          ...(options && Object.keys(options).length > 0 && { Options: options }),
        },
      }),
    },
  };
}

function clusterMount(context: ConvertContext, volume: ServiceVolume): Mount | { error: string } {
  const mount = { ...baseMount(volume), ClusterOptions: {} };
  const source = volume.source ?? '';
  if (source.startsWith('group:')) return mount;
  const definition = findVolume(context, source);
  return 'error' in definition ? definition : { ...mount, Source: scopedName(context.stack, source, definition.name) };
}

function findVolume(context: ConvertContext, source: string): Volume | { error: string } {
  const definition = member(context.model.volumes, source);
  return definition ?? { error: `the volume ${JSON.stringify(source)} is not declared under the top-level volumes` };
}
