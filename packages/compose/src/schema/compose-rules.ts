import { clusterSpec } from './cluster-rules.ts';
import { any, boolean, either, KEY, list, map, nothing, number, object, since, string } from './rule.ts';
import { listOrMap, NAME, service } from './service-rules.ts';

const external = either(boolean, object({ name: string }));
/** Secrets and configs let other keys beside the name through. */
const fileExternal = either(boolean, object({ name: string }, { openSince: 0 }));
const driverOpts = map(either(string, number), KEY, { open: true });
const extensions = { extensionsSince: 7, specification: ['content', 'environment', 'enable_ipv4', 'enable_ipv6'] };

const network = either(
  object(
    {
      name: since(5, string),
      driver: string,
      driver_opts: driverOpts,
      ipam: object({ driver: string, config: list(object({ subnet: string }), false) }),
      external,
      internal: boolean,
      attachable: since(2, boolean),
      labels: listOrMap,
    },
    extensions,
  ),
  nothing,
);

const volume = either(
  object(
    {
      name: since(4, string),
      driver: string,
      driver_opts: driverOpts,
      external,
      labels: listOrMap,
      'x-cluster-spec': since(10, clusterSpec),
    },
    extensions,
  ),
  nothing,
);

const secret = object(
  {
    name: since(5, string),
    file: string,
    external: fileExternal,
    labels: listOrMap,
    driver: since(8, string),
    driver_opts: since(8, driverOpts),
    template_driver: since(8, string),
  },
  extensions,
);

const config = object(
  { name: since(5, string), file: string, external: fileExternal, labels: listOrMap, template_driver: since(8, string) },
  extensions,
);

/** A compose file of version 3.x, as the docker CLI accepts it. */
export const composeFile = object(
  {
    version: any,
    services: map(service, NAME),
    networks: map(network, NAME, { open: true }),
    volumes: map(volume, NAME),
    secrets: since(1, map(secret, NAME)),
    configs: since(3, map(config, NAME)),
  },
  { extensionsSince: 4, specification: ['name', 'include', 'models'] },
);
