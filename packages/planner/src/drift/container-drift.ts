import type { ContainerSpec, ObjectReference } from '@hivekeep/compose';
import { IMAGE_LABEL, STACK_LABEL } from '../labels.ts';
import { FIELD_SINCE } from '../spec/api-level.ts';
import { isolationText } from '../spec/container-rules.ts';
import { sameImage } from '../spec/image-reference.ts';
import { sameValue } from '../spec/value-equality.ts';
import { compareHealthcheck, type FieldTable, mapOf } from './field-table.ts';

export const STACK_LABELS: ReadonlySet<string> = new Set([STACK_LABEL, IMAGE_LABEL]);

/** Values of variables may be secrets: only that one is set, absent or changed is ever told. */
function compareEnv(table: FieldTable, desired: readonly string[] | null | undefined, live: readonly string[] | null | undefined): void {
  const parse = (env: readonly string[] | null | undefined): Map<string, string> =>
    new Map((env ?? []).map((entry) => [entry.split('=', 1)[0] ?? entry, entry.includes('=') ? entry.slice(entry.indexOf('=') + 1) : '']));
  const wanted = parse(desired);
  const found = parse(live);
  for (const key of [...new Set([...wanted.keys(), ...found.keys()])].sort()) {
    if (wanted.get(key) === found.get(key)) continue;
    const [inWanted, inFound] = [wanted.has(key), found.has(key)];
    table.text(`env[${key}]`, inWanted ? 'set' : 'absent', inWanted && inFound ? 'changed' : inFound ? 'set' : 'absent');
  }
}

function mountTexts(container: ContainerSpec): Map<string, string> {
  return new Map(
    (container.Mounts ?? []).map((mount) => [
      mount.Target,
      `${mount.Type || 'bind'}:${mount.Source || '(anonymous)'}${mount.ReadOnly ? ' (read-only)' : ''}`,
    ]),
  );
}

/** Targets by object name; one without a file target is skipped, but for a config's runtime target. */
function targets(references: readonly (ObjectReference & { readonly name: string })[]): Map<string, string> {
  const byName = new Map<string, string[]>();
  for (const reference of references) {
    const target = reference.File?.Name ?? (reference.Runtime ? '(runtime)' : undefined);
    if (target !== undefined) byName.set(reference.name, [...(byName.get(reference.name) ?? []), target]);
  }
  return new Map([...byName].map(([name, list]) => [name, list.sort().join(', ')]));
}

function secretTargets(container: ContainerSpec): Map<string, string> {
  return targets((container.Secrets ?? []).map((reference) => ({ ...reference, name: reference.SecretName })));
}

function configTargets(container: ContainerSpec): Map<string, string> {
  return targets((container.Configs ?? []).map((reference) => ({ ...reference, name: reference.ConfigName })));
}

function member(value: unknown, key: string): string {
  const found = typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)).get(key) : undefined;
  return found === undefined || found === null || found === false ? '' : String(found);
}

function credentialText(value: unknown, configNames: ReadonlyMap<string, string>): string {
  const config = member(value, 'Config');
  if (config) return `config=${configNames.get(config) ?? config}`;
  if (member(value, 'File')) return `file=${member(value, 'File')}`;
  return member(value, 'Registry') ? `registry=${member(value, 'Registry')}` : '';
}

function selinuxText(value: unknown): string {
  if (member(value, 'Disable')) return 'disabled';
  const parts = ['User', 'Role', 'Type', 'Level'].map((key) => member(value, key));
  return parts.every((part) => part === '') ? '' : parts.join(':');
}

function seccompText(value: unknown): string {
  return `${member(value, 'Mode')}${member(value, 'Profile') ? ' (custom profile)' : ''}`;
}

/** An empty struct round-trips and a missing one means the same to the engine, so presence alone is no drift. */
function comparePrivileges(table: FieldTable, desired: ContainerSpec, live: ContainerSpec, context: ContainerDriftContext): void {
  const want = desired.Privileges ?? {};
  const have = live.Privileges ?? {};
  table.text(
    'privileges.credentialSpec',
    credentialText(want.CredentialSpec, context.configNames),
    credentialText(have.CredentialSpec, context.configNames),
  );
  if (context.minor >= FIELD_SINCE['privileges.noNewPrivileges']) {
    table.flag('privileges.noNewPrivileges', Boolean(want.NoNewPrivileges), Boolean(have.NoNewPrivileges));
    table.text('privileges.seccomp', seccompText(want.Seccomp), seccompText(have.Seccomp));
    table.text('privileges.apparmor', member(want.AppArmor, 'Mode'), member(have.AppArmor, 'Mode'));
  }
  table.text('privileges.selinux', selinuxText(want.SELinuxContext), selinuxText(have.SELinuxContext));
}

function compareDns(table: FieldTable, desired: ContainerSpec, live: ContainerSpec): void {
  const [want, have] = [desired.DNSConfig, live.DNSConfig];
  if (sameValue(want, have) || !table.both('dns', want, have)) return;
  table.set('dns.nameservers', want?.Nameservers, have?.Nameservers);
  table.set('dns.search', want?.Search, have?.Search);
  table.set('dns.options', want?.Options, have?.Options);
}

function ulimitTexts(container: ContainerSpec): Map<string, string> {
  return new Map((container.Ulimits ?? []).map((limit) => [limit.Name, `${limit.Soft}:${limit.Hard}`]));
}

export interface ContainerDriftContext {
  readonly minor: number;
  /** Config id to name, for credential specs. */
  readonly configNames: ReadonlyMap<string, string>;
}

function initText(init: boolean | null | undefined): string {
  return init === null || init === undefined ? '(unset)' : String(init);
}

/** What the process runs as: image, environment, command and the like. */
export function compareProcess(table: FieldTable, desired: ContainerSpec, live: ContainerSpec): void {
  if (desired.Image && !sameImage(desired.Image, live.Image)) table.text('image', desired.Image, live.Image ?? '');
  compareEnv(table, desired.Env, live.Env);
  table.list('command', desired.Command, live.Command);
  table.list('args', desired.Args, live.Args);
  table.text('user', desired.User ?? '', live.User ?? '');
  table.text('workingDir', desired.Dir ?? '', live.Dir ?? '');
  table.text('hostname', desired.Hostname ?? '', live.Hostname ?? '');
  table.text('stopSignal', desired.StopSignal ?? '', live.StopSignal ?? '');
  table.duration('stopGracePeriod', desired.StopGracePeriod, live.StopGracePeriod);
  table.flag('readOnly', desired.ReadOnly, live.ReadOnly);
  table.flag('tty', desired.TTY, live.TTY);
  table.flag('openStdin', desired.OpenStdin, live.OpenStdin);
  table.text('init', initText(desired.Init), initText(live.Init));
}

/** What the container is given and held to: mounts, references, healthcheck, limits, privileges. */
export function compareContainer(table: FieldTable, desired: ContainerSpec, live: ContainerSpec, context: ContainerDriftContext): void {
  table.keyed('mounts', mountTexts(desired), mountTexts(live));
  table.keyed('secrets', secretTargets(desired), secretTargets(live));
  table.keyed('configs', configTargets(desired), configTargets(live));
  compareHealthcheck(table, desired.Healthcheck, live.Healthcheck, context.minor >= FIELD_SINCE['healthcheck.startInterval']);
  table.set('hosts', desired.Hosts, live.Hosts);
  table.set('groups', desired.Groups, live.Groups);
  table.set('capabilityAdd', desired.CapabilityAdd, live.CapabilityAdd);
  table.set('capabilityDrop', desired.CapabilityDrop, live.CapabilityDrop);
  table.keyed('sysctls', mapOf(desired.Sysctls), mapOf(live.Sysctls));
  table.keyed('ulimits', ulimitTexts(desired), ulimitTexts(live));
  compareDns(table, desired, live);
  table.keyed('containerLabels', mapOf(desired.Labels, STACK_LABELS), mapOf(live.Labels, STACK_LABELS));
  table.text('isolation', isolationText(desired.Isolation), isolationText(live.Isolation));
  if (context.minor >= FIELD_SINCE.oomScoreAdj) table.number('oomScoreAdj', desired.OomScoreAdj, live.OomScoreAdj);
  comparePrivileges(table, desired, live, context);
}
