import { reservedLabelPrefixes } from '@hivekeep/application';
import type { ServiceSpec } from '@hivekeep/compose';
import type { Issue } from '@hivekeep/contracts';
import { STACK_LABEL } from '../labels.ts';
import { ALLOW_FIELD, type GuardedKind, type PolicyInput, refusal, servicePath } from './policy-input.ts';

/** Something a stack names: declares, calls external, mounts or joins. */
interface NameUse {
  readonly kind: GuardedKind;
  readonly name: string;
  readonly path: string;
}

/** Names only controllers write: leases, intents, states, release records. Compared without regard to case. */
const RESERVED_NAMES = ['hivekeep.', 'swarmcli.release.'];
/** A network without an interface reaches nothing. */
const HARMLESS_NETWORKS: ReadonlySet<string> = new Set(['none']);

function credentialConfig(service: ServiceSpec): string | undefined {
  const spec = service.TaskTemplate.ContainerSpec?.Privileges?.CredentialSpec;
  const config = typeof spec === 'object' && spec !== null && 'Config' in spec ? spec.Config : undefined;
  return typeof config === 'string' && config !== '' ? config : undefined;
}

function serviceUses(service: ServiceSpec): NameUse[] {
  const container = service.TaskTemplate.ContainerSpec;
  const path = servicePath(service.Name);
  const credential = credentialConfig(service);
  return [
    ...(container?.Secrets ?? []).map((ref): NameUse => ({ kind: 'secret', name: ref.SecretName, path: `${path}.secrets` })),
    ...(container?.Configs ?? []).map((ref): NameUse => ({ kind: 'config', name: ref.ConfigName, path: `${path}.configs` })),
    ...(credential === undefined ? [] : [{ kind: 'config' as const, name: credential, path: `${path}.credential_spec` }]),
    ...(container?.Mounts ?? [])
      .filter((mount) => ['volume', 'cluster'].includes(mount.Type?.toLowerCase() ?? '') && mount.Source)
      .map((mount): NameUse => ({ kind: 'volume', name: mount.Source ?? '', path: `${path}.volumes` })),
    ...[...(service.TaskTemplate.Networks ?? []), ...(service.Networks ?? [])].map(
      (attachment): NameUse => ({ kind: 'network', name: attachment.Target, path: `${path}.networks` }),
    ),
  ];
}

function allUses({ objects }: PolicyInput): NameUse[] {
  const declared = (kind: GuardedKind, names: readonly string[], path: string): NameUse[] => names.map((name) => ({ kind, name, path }));
  return [
    ...objects.services.flatMap(serviceUses),
    ...declared('secret', [...objects.secrets.map(({ Name }) => Name), ...objects.externals.secrets], 'secrets'),
    ...declared('config', [...objects.configs.map(({ Name }) => Name), ...objects.externals.configs], 'configs'),
    ...declared('network', [...objects.networks.map(({ Name }) => Name), ...objects.externals.networks], 'networks'),
    ...objects.volumes.map((volume): NameUse => ({ kind: 'volume', name: volume.name, path: 'volumes' })),
  ];
}

function liveStack({ kind, name }: NameUse, { index }: PolicyInput): string | undefined {
  if (kind === 'secret') return index.secretByName.get(name)?.labels[STACK_LABEL];
  if (kind === 'config') return index.configByName.get(name)?.labels[STACK_LABEL];
  if (kind === 'network')
    return index.networksByName.get(name)?.find((network) => network.labels[STACK_LABEL] !== undefined)?.labels[STACK_LABEL];
  return undefined;
}

function isOwn(use: NameUse, input: PolicyInput): boolean {
  const { own } = input;
  if (use.kind === 'secret' && own.secrets.has(use.name)) return true;
  if (use.kind === 'config' && own.configs.has(use.name)) return true;
  if (use.kind === 'volume' && own.volumes.has(use.name)) return true;
  if (own.namespace === undefined) return false;
  return use.name === own.namespace || use.name.startsWith(`${own.namespace}_`) || liveStack(use, input) === own.namespace;
}

function isReserved({ kind, name }: NameUse): boolean {
  const lower = name.toLowerCase();
  return (kind === 'config' || kind === 'secret') && RESERVED_NAMES.some((prefix) => lower.startsWith(prefix));
}

function isPermitted(use: NameUse, input: PolicyInput): boolean {
  const { kind, name } = use;
  const { stack, allow } = input;
  if (name.startsWith(`${stack}_`) && (liveStack(use, input) ?? stack) === stack) return true;
  if (kind === 'network' && HARMLESS_NETWORKS.has(name)) return true;
  const lists = { secret: allow.secrets, config: allow.configs, volume: allow.volumes, network: allow.networks };
  return lists[kind]?.includes(name) ?? false;
}

function checkUse(use: NameUse, input: PolicyInput): Issue | undefined {
  const what = `${use.kind} '${use.name}'`;
  if (isReserved(use))
    return refusal(
      'reserved-name',
      use.path,
      `${what}: names under 'hivekeep.' and 'swarmcli.release.' belong to controllers; choose another`,
    );
  if (isOwn(use, input))
    return refusal('own-object', use.path, `${what} belongs to the controller itself; no application may use it, whatever it is allowed`);
  if (isPermitted(use, input)) return undefined;
  return refusal(
    'foreign-object',
    use.path,
    `${what} is not one of this release (named '${input.stack}_…') and not allowed; add it to ${ALLOW_FIELD[use.kind]} of the application, in the application set`,
  );
}

/**
 * Refuses names a release may not use: those of controllers and of this controller's own stack whatever `allow` says; those that are
 * neither scoped under the release nor allowed. Declaring a name counts like mounting it, since it adopts what is there.
 */
export function checkReferences(input: PolicyInput): Issue[] {
  const issues = new Map<string, Issue>();
  for (const use of allUses(input)) {
    const issue = checkUse(use, input);
    if (issue && !issues.has(`${use.kind}/${use.name}/${use.path}`)) issues.set(`${use.kind}/${use.name}/${use.path}`, issue);
  }
  return [...issues.values()];
}

/** Refuses labels on configs and secrets that would make them look like a controller's own. */
export function checkReservedLabels({ objects }: PolicyInput): Issue[] {
  const of = (kind: 'configs' | 'secrets', items: PolicyInput['objects']['configs'] | PolicyInput['objects']['secrets']): Issue[] =>
    items.flatMap((item) =>
      Object.keys(item.Labels ?? {})
        .filter((key) => reservedLabelPrefixes.some((prefix) => key.startsWith(prefix)))
        .map((key) => refusal('reserved-label', `${kind}.${item.Name}.labels`, `label '${key}' belongs to controllers; remove it`)),
    );
  return [...of('configs', objects.configs), ...of('secrets', objects.secrets)];
}
