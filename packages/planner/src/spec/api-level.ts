import type { Mount, ServiceSpec } from '@hivekeep/compose';
import { isZero } from './value-equality.ts';

/** Minor number of an Engine API version: 41 of `1.41`. Anything else counts as 0: no late field is relied upon. */
export function apiMinor(apiVersion: string): number {
  const [major, minor] = apiVersion.split('.');
  return major === '1' ? Number(minor) || 0 : 0;
}

/** The API has the field, and a swarm drops it on the way in (engine 28.5, API 1.51). */
const NEVER_KEPT = Number.POSITIVE_INFINITY;

/**
 * First API minor from which a swarm keeps a field that it did not keep at 1.41. Found by writing each through every version
 * that an engine 28.5 speaks (1.41 to 1.51), and through engines 20.10 (1.41) and 26.1 (1.45).
 */
export const FIELD_SINCE = {
  'healthcheck.startInterval': 44,
  oomScoreAdj: 46,
  'privileges.seccomp': 44,
  'privileges.apparmor': 44,
  'privileges.noNewPrivileges': 44,
  'mounts.bind.createMountpoint': NEVER_KEPT,
  'mounts.bind.readOnlyNonRecursive': NEVER_KEPT,
  'mounts.bind.readOnlyForceRecursive': NEVER_KEPT,
  'mounts.consistency': NEVER_KEPT,
  'mounts.volume.subpath': 45,
  'mounts.tmpfs.options': 46,
} as const;
export type LateField = keyof typeof FIELD_SINCE;

function lateMountFields(mount: Mount): [LateField, unknown][] {
  return [
    ['mounts.bind.createMountpoint', mount.BindOptions?.CreateMountpoint],
    ['mounts.bind.readOnlyNonRecursive', mount.BindOptions?.ReadOnlyNonRecursive],
    ['mounts.bind.readOnlyForceRecursive', mount.BindOptions?.ReadOnlyForceRecursive],
    ['mounts.consistency', mount.Consistency === 'default' ? undefined : mount.Consistency],
    ['mounts.volume.subpath', mount.VolumeOptions?.Subpath],
    ['mounts.tmpfs.options', mount.TmpfsOptions?.Options],
  ];
}

/**
 * Fields of a wanted service that the daemon drops, by the names `specChanges` gives them. They take no part in the comparison,
 * since a live spec can never hold them and every tick would write again; each deserves a warning.
 */
export function unsupportedFields(desired: ServiceSpec, minor: number): string[] {
  const container = desired.TaskTemplate.ContainerSpec;
  if (!container) return [];
  const found = new Set<string>();
  const note = (field: LateField, value: unknown): void => {
    if (FIELD_SINCE[field] > minor && !isZero(value)) found.add(field);
  };
  note('healthcheck.startInterval', container.Healthcheck?.StartInterval);
  note('oomScoreAdj', container.OomScoreAdj);
  note('privileges.seccomp', container.Privileges?.Seccomp);
  note('privileges.apparmor', container.Privileges?.AppArmor);
  note('privileges.noNewPrivileges', container.Privileges?.NoNewPrivileges);
  for (const mount of container.Mounts ?? []) for (const [field, value] of lateMountFields(mount)) note(field, value);
  return [...found];
}
