import { parse } from 'yaml';

/** What a stack file of ours declares: services, names of secrets and configs, and ports by service. */
export interface Wanted {
  readonly services: readonly string[];
  readonly objects: readonly string[];
  readonly ports: readonly { readonly service: string; readonly port: number }[];
}

type Named = Record<string, { name?: string }>;
interface StackFile {
  readonly services: Record<string, { ports?: { published: number }[] }>;
  readonly secrets?: Named;
  readonly configs?: Named;
}

/** Reads a stack file or an overlay, as `deploy init` makes them. */
export function wantedOf(text: string): Wanted {
  const { services, secrets = {}, configs = {} } = parse(text) as StackFile; // made by us
  return {
    services: Object.keys(services),
    objects: [...Object.values(secrets), ...Object.values(configs)].flatMap(({ name }) => name ?? []),
    ports: Object.entries(services).flatMap(([service, { ports = [] }]) => ports.map(({ published }) => ({ service, port: published }))),
  };
}
