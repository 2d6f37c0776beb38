import { z } from 'zod';
import type { StackObjects } from '../api.ts';
import type { ConfigSpec, NetworkCreate, SecretSpec, ServiceSpec } from '../engine.ts';
import { Problems } from '../problems.ts';
import { imageToSend } from './image-reference.ts';
import { IMAGE_LABEL, isBuiltInNetwork, NAMESPACE_LABEL } from './scope.ts';

const labels = z.record(z.string(), z.string()).nullish();
const ExistingObject = z.object({ Name: z.string(), Scope: z.string().optional(), Labels: labels });
const ExistingService = z.object({
  Name: z.string(),
  Labels: labels,
  TaskTemplate: z
    .object({ ContainerSpec: z.object({ Image: z.string().optional() }).nullish(), ForceUpdate: z.number().optional() })
    .default({}),
});
const Existing = z.array(z.union([z.string(), ExistingObject])).optional();

/** What a swarm has before a stack is deployed: names, or objects with their scope and labels; services with their spec. */
export const Externals = z.object({
  networks: Existing,
  secrets: Existing,
  configs: Existing,
  services: z.array(z.object({ Spec: ExistingService })).optional(),
});
export type Externals = z.infer<typeof Externals>;
type ExistingObject = z.infer<typeof ExistingObject>;

export interface SentObjects {
  readonly networks: NetworkCreate[];
  readonly secrets: SecretSpec[];
  readonly configs: ConfigSpec[];
  readonly services: ServiceSpec[];
}

/**
 * What would be sent to a swarm that has `externals`: networks of the stack that exist are left out, a service whose image
 * did not change keeps the image it runs. Throws `compose/invalid` when something external is missing.
 */
export function applyExternals(stack: string, objects: StackObjects, externals: Externals): SentObjects {
  const problems = new Problems();
  requireNetworks(objects, externals, problems);
  requireFiles(objects, externals, 'secrets', problems);
  requireFiles(objects, externals, 'configs', problems);
  problems.refuse();
  const existing = new Set(
    (externals.networks ?? [])
      .map(asObject)
      .filter((network) => network.Labels?.[NAMESPACE_LABEL] === stack)
      .map((network) => network.Name),
  );
  return {
    networks: objects.networks.filter((network) => !existing.has(network.Name)),
    secrets: objects.secrets,
    configs: objects.configs,
    services: objects.services.map((service) => keepImage(stack, service, externals)),
  };
}

function requireNetworks(objects: StackObjects, externals: Externals, problems: Problems): void {
  const networks = new Map((externals.networks ?? []).map(asObject).map((network) => [network.Name, network]));
  for (const name of objects.externals.networks) {
    if (isBuiltInNetwork(name)) continue;
    const network = networks.get(name);
    const scope = network?.Scope ?? 'swarm';
    if (!network) problems.add([], `the external network ${JSON.stringify(name)} does not exist; create it with the scope swarm first`);
    else if (scope !== 'swarm') problems.add([], `the external network ${JSON.stringify(name)} has the scope ${scope}, expected swarm`);
  }
}

function requireFiles(objects: StackObjects, externals: Externals, kind: 'secrets' | 'configs', problems: Problems): void {
  const names = new Set([...(externals[kind] ?? []).map((object) => asObject(object).Name), ...objects[kind].map((object) => object.Name)]);
  for (const name of objects.externals[kind])
    if (!names.has(name)) problems.add([], `the external ${kind.slice(0, -1)} ${JSON.stringify(name)} does not exist`);
}

function keepImage(stack: string, service: ServiceSpec, externals: Externals): ServiceSpec {
  const existing = externals.services?.find(({ Spec }) => Spec.Name === service.Name && Spec.Labels?.[NAMESPACE_LABEL] === stack)?.Spec;
  if (!existing) return service;
  const unchanged = existing.Labels?.[IMAGE_LABEL] === service.Labels?.[IMAGE_LABEL];
  const image = unchanged ? existing.TaskTemplate.ContainerSpec?.Image : undefined;
  return {
    ...service,
    TaskTemplate: {
      ...service.TaskTemplate,
      ContainerSpec: { ...service.TaskTemplate.ContainerSpec, ...(image !== undefined && { Image: imageToSend(image) }) },
      ForceUpdate: existing.TaskTemplate.ForceUpdate ?? 0,
    },
  };
}

function asObject(object: string | ExistingObject): ExistingObject {
  return typeof object === 'string' ? { Name: object } : object;
}
