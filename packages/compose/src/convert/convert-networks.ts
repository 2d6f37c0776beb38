import type { NetworkAttachment, NetworkCreate } from '../engine.ts';
import type { AddressPool, Model, Network, Service } from '../model.ts';
import { compareText } from '../order.ts';
import { member } from '../value.ts';
import type { ConvertContext } from './context.ts';
import { isBuiltInNetwork, scopedName, stackLabels } from './scope.ts';
import { nonEmpty } from './wire.ts';

/** Attachments of a service, sorted by target; without any it is attached to the stack's `default` network. */
export function convertAttachments(context: ConvertContext, name: string, service: Service): NetworkAttachment[] {
  const attachments = nonEmpty(service.networks) ?? { default: null };
  return Object.entries(attachments)
    .flatMap(([key, attachment]): NetworkAttachment[] => {
      const definition = member(context.model.networks, key);
      if (!definition && key !== 'default') {
        context.problems.add(
          ['services', name, 'networks'],
          `the network ${JSON.stringify(key)} is not declared under the top-level networks`,
        );
        return [];
      }
      const Target = scopedName(context.stack, key, definition?.name);
      const aliases = [...(attachment?.aliases ?? []), ...(isBuiltInNetwork(Target) ? [] : [name])];
      const options = nonEmpty(attachment?.driver_opts);
      return [{ Target, ...(aliases.length > 0 && { Aliases: aliases }), ...(options && { DriverOpts: options }) }];
    })
    .sort((a, b) => compareText(a.Target, b.Target));
}

/** The keys of the networks that some service uses. */
export function usedNetworks({ services }: Model): string[] {
  return [...new Set(Object.values(services).flatMap(({ networks }) => Object.keys(nonEmpty(networks) ?? { default: null })))];
}

/** The networks that some service uses: those to create, and the names of those that must exist. Both sorted by name. */
export function convertNetworks(context: ConvertContext): { networks: NetworkCreate[]; externals: string[] } {
  const networks: NetworkCreate[] = [];
  const externals = new Set<string>();
  for (const key of usedNetworks(context.model)) {
    const definition = member(context.model.networks, key) ?? {};
    if (definition.external) externals.add(scopedName(context.stack, key, definition.name));
    else networks.push(createNetwork(context.stack, key, definition));
  }
  return { networks: networks.sort((a, b) => compareText(a.Name, b.Name)), externals: [...externals].sort(compareText) };
}

function createNetwork(stack: string, key: string, definition: Network): NetworkCreate {
  return {
    Name: scopedName(stack, key, definition.name),
    Driver: definition.driver ?? 'overlay',
    Scope: '',
    ...(definition.enable_ipv6 && { EnableIPv6: true }),
    IPAM: convertIpam(definition.ipam),
    Internal: definition.internal ?? false,
    Attachable: definition.attachable ?? false,
    Ingress: false,
    ConfigOnly: false,
    ConfigFrom: null,
    Options: definition.driver_opts ?? null,
    Labels: stackLabels(stack, definition.labels),
  };
}

function convertIpam(ipam: Network['ipam']): NonNullable<NetworkCreate['IPAM']> | null {
  const pools = ipam?.config ?? [];
  if (!ipam?.driver && pools.length === 0) return null;
  return {
    Driver: ipam?.driver ?? '',
    Options: null,
    Config: pools.length > 0 ? pools.map(convertPool) : null,
  };
}

function convertPool({ subnet, gateway, ip_range: range, aux_addresses: addresses }: AddressPool): Record<string, unknown> {
  return {
    ...(subnet !== undefined && { Subnet: subnet }),
    ...(range !== undefined && { IPRange: range }),
    ...(gateway !== undefined && { Gateway: gateway }),
    ...(addresses && { AuxiliaryAddresses: addresses }),
  };
}
