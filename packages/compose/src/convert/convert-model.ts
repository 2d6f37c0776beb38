import type { StackObjects, VolumeUse } from '../api.ts';
import type { Model } from '../model.ts';
import { compareText } from '../order.ts';
import type { Problems } from '../problems.ts';
import { member } from '../value.ts';
import type { ConvertContext } from './context.ts';
import { type Contents, convertConfigs, convertSecrets } from './convert-files.ts';
import { convertNetworks, usedNetworks } from './convert-networks.ts';
import { convertService } from './convert-service.ts';
import { imageProblem } from './image-reference.ts';
import { scopedName } from './scope.ts';
import { serviceWaves } from './service-waves.ts';

export interface ModelInput {
  readonly stack: string;
  readonly model: Model;
  readonly contents: { readonly configs: Contents; readonly secrets: Contents };
  /** Where to say what is odd; the caller has its warnings. */
  readonly problems: Problems;
}

/** The swarm objects of a model. Throws `compose/invalid` with everything that cannot be converted. */
export function convertModel({ stack, model, contents, problems }: ModelInput): StackObjects {
  const context: ConvertContext = { stack, model, problems };
  const services = Object.entries(model.services);
  for (const [name, service] of services) {
    const problem = imageProblem(service.image);
    if (problem !== undefined) problems.add(['services', name, 'image'], problem);
  }
  const { networks, externals } = convertNetworks(context);
  for (const section of ['configs', 'secrets'] as const) refuseSharedNames(context, section, Object.keys(model[section]));
  refuseSharedNames(context, 'networks', usedNetworks(model));
  const objects: StackObjects = {
    networks,
    secrets: convertSecrets(context, contents.secrets),
    configs: convertConfigs(context, contents.configs),
    services: services.map(([name, service]) => convertService(context, name, service)).sort((a, b) => compareText(a.Name, b.Name)),
    externals: {
      networks: externals,
      secrets: externalNames(context, 'secrets'),
      configs: externalNames(context, 'configs'),
    },
    volumes: volumeUses(context),
    waves: serviceWaves(context),
  };
  problems.refuse();
  return objects;
}

/** An object of the stack is made once: no two of these keys may have one name. */
function refuseSharedNames(
  { stack, model, problems }: ConvertContext,
  section: 'configs' | 'secrets' | 'networks',
  keys: readonly string[],
): void {
  const taken = new Map<string, string>();
  for (const key of keys) {
    const definition = member(model[section], key);
    if (definition?.external) continue;
    const name = scopedName(stack, key, definition?.name);
    const other = taken.get(name);
    if (other !== undefined && !problems.deviate('name-twice', [section, key]))
      problems.add([section, key], `expected a name of its own, found ${JSON.stringify(name)}, which is the name of ${section}.${other}`);
    taken.set(name, key);
  }
}

function externalNames(context: ConvertContext, kind: 'secrets' | 'configs'): string[] {
  const used = Object.values(context.model.services).flatMap((service) => [
    ...(service[kind] ?? []).map((reference) => reference.source ?? ''),
    ...(kind === 'configs' && service.credential_spec?.config ? [service.credential_spec.config] : []),
  ]);
  const names = used.flatMap((source) => {
    const object = member(context.model[kind], source);
    return object?.external ? [scopedName(context.stack, source, object.name)] : [];
  });
  return [...new Set(names)].sort(compareText);
}

/** Volumes declared at the top level and mounted ones; a declared one that nothing mounts has no service and no path. */
function volumeUses({ stack, model }: ConvertContext): VolumeUse[] {
  const mounted = Object.entries(model.services).flatMap(([service, { volumes = [] }]) =>
    volumes
      .filter((volume) => ['volume', 'cluster'].includes(volume.type ?? 'volume') && volume.source)
      .map((volume) => ({ key: volume.source ?? '', service, path: volume.target ?? '' })),
  );
  const keys = new Set(mounted.map((use) => use.key));
  const unused = Object.keys(model.volumes).filter((key) => !keys.has(key));
  return [...mounted, ...unused.map((key) => ({ key, service: '', path: '' }))]
    .flatMap(({ key, service, path }): VolumeUse[] => {
      const volume = member(model.volumes, key);
      if (!volume) return [];
      return [
        {
          name: scopedName(stack, key, volume.name),
          external: volume.external ?? false,
          ...(volume.driver !== undefined && { driver: volume.driver }),
          ...(volume.driver_opts && { driverOpts: volume.driver_opts }),
          service,
          path,
        },
      ];
    })
    .sort((a, b) => compareText(a.name, b.name) || compareText(a.service, b.service) || compareText(a.path, b.path));
}
