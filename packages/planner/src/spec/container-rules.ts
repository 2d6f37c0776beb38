import type { ContainerSpec, HealthConfig } from '@hivekeep/compose';
import { FIELD_SINCE } from './api-level.ts';
import { sameImage } from './image-reference.ts';
import { sameMounts } from './mount-equality.ts';
import { type NameIndex, sameConfigReferences, sameSecretReferences } from './reference-equality.ts';
import { sameMap, sameSet, sameValue } from './value-equality.ts';

/** What a comparison needs beside the two specs. */
export interface CompareContext extends NameIndex {
  /** Minor of the daemon's API: 41 of 1.41. */
  readonly minor: number;
}

/** One field: its name and whether two specs hold the same there. */
export type Rule<T> = readonly [field: string, same: (desired: T, live: T, context: CompareContext) => boolean];

function sameHealthcheck(desired: HealthConfig | null | undefined, live: HealthConfig | null | undefined, minor: number): boolean {
  if (!desired || !live) return (desired ?? null) === (live ?? null);
  return (
    sameValue(desired.Test, live.Test) &&
    sameValue(desired.Interval, live.Interval) &&
    sameValue(desired.Timeout, live.Timeout) &&
    sameValue(desired.StartPeriod, live.StartPeriod) &&
    sameValue(desired.Retries, live.Retries) &&
    (minor < FIELD_SINCE['healthcheck.startInterval'] || sameValue(desired.StartInterval, live.StartInterval))
  );
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function sameCredentialSpec(desired: unknown, live: unknown, names: NameIndex): boolean {
  const want = member(desired, 'Config');
  const have = member(live, 'Config');
  const sameConfig = sameValue(want, have) || (typeof want === 'string' && names.configIds.get(want) === have);
  return (
    sameConfig &&
    sameValue(member(desired, 'File'), member(live, 'File')) &&
    sameValue(member(desired, 'Registry'), member(live, 'Registry'))
  );
}

/** The daemon keeps two isolations by name, in any case; whatever else is written becomes its default. */
export function isolationText(isolation: string | undefined): string {
  const lower = isolation?.toLowerCase() ?? '';
  return lower === 'hyperv' || lower === 'process' ? lower : 'default';
}

function ulimitTexts(container: ContainerSpec): string[] {
  return (container.Ulimits ?? []).map((limit) => `${limit.Name}=${limit.Soft}:${limit.Hard}`);
}

/** A field this daemon may be too old to keep, compared only where it can. */
function late(field: keyof typeof FIELD_SINCE, value: (container: ContainerSpec) => unknown): Rule<ContainerSpec> {
  return [field, (desired, live, { minor }) => minor < FIELD_SINCE[field] || sameValue(value(desired), value(live))];
}

/**
 * Every field of a container that we send. A missing value equals its zero except where the daemon tells them apart: `init`, the grace
 * period and the presence of a healthcheck.
 */
export const CONTAINER_RULES: readonly Rule<ContainerSpec>[] = [
  ['image', (desired, live) => sameImage(desired.Image, live.Image)],
  ['containerLabels', (desired, live) => sameMap(desired.Labels, live.Labels)],
  ['command', (desired, live) => sameValue(desired.Command, live.Command)],
  ['args', (desired, live) => sameValue(desired.Args, live.Args)],
  ['hostname', (desired, live) => sameValue(desired.Hostname, live.Hostname)],
  ['env', (desired, live) => sameSet(desired.Env, live.Env)],
  ['workingDir', (desired, live) => sameValue(desired.Dir, live.Dir)],
  ['user', (desired, live) => sameValue(desired.User, live.User)],
  ['groups', (desired, live) => sameSet(desired.Groups, live.Groups)],
  ['privileges.credentialSpec', (d, l, names) => sameCredentialSpec(d.Privileges?.CredentialSpec, l.Privileges?.CredentialSpec, names)],
  ['privileges.selinux', (desired, live) => sameValue(desired.Privileges?.SELinuxContext, live.Privileges?.SELinuxContext)],
  late('privileges.seccomp', (container) => container.Privileges?.Seccomp),
  late('privileges.apparmor', (container) => container.Privileges?.AppArmor),
  late('privileges.noNewPrivileges', (container) => container.Privileges?.NoNewPrivileges),
  ['init', (desired, live) => (desired.Init ?? null) === (live.Init ?? null)],
  ['stopSignal', (desired, live) => sameValue(desired.StopSignal, live.StopSignal)],
  ['tty', (desired, live) => sameValue(desired.TTY, live.TTY)],
  ['openStdin', (desired, live) => sameValue(desired.OpenStdin, live.OpenStdin)],
  ['readOnly', (desired, live) => sameValue(desired.ReadOnly, live.ReadOnly)],
  ['mounts', (desired, live, { minor }) => sameMounts(desired.Mounts, live.Mounts, minor)],
  ['stopGracePeriod', (desired, live) => (desired.StopGracePeriod ?? null) === (live.StopGracePeriod ?? null)],
  ['healthcheck', (desired, live, { minor }) => sameHealthcheck(desired.Healthcheck, live.Healthcheck, minor)],
  ['hosts', (desired, live) => sameSet(desired.Hosts, live.Hosts)],
  ['dns', (desired, live) => sameValue(desired.DNSConfig, live.DNSConfig)],
  ['secrets', (desired, live, names) => sameSecretReferences(desired.Secrets, live.Secrets, names)],
  ['configs', (desired, live, names) => sameConfigReferences(desired.Configs, live.Configs, names)],
  ['isolation', (desired, live) => isolationText(desired.Isolation) === isolationText(live.Isolation)],
  ['sysctls', (desired, live) => sameMap(desired.Sysctls, live.Sysctls)],
  ['capabilityAdd', (desired, live) => sameSet(desired.CapabilityAdd, live.CapabilityAdd)],
  ['capabilityDrop', (desired, live) => sameSet(desired.CapabilityDrop, live.CapabilityDrop)],
  ['ulimits', (desired, live) => sameSet(ulimitTexts(desired), ulimitTexts(live))],
  late('oomScoreAdj', (container) => container.OomScoreAdj),
];
