import type { Mount, ServiceSpec } from '@hivekeep/compose';
import { isZero } from './value-equality.ts';

/** Minor number of an Engine API version: 41 of `1.41`. Anything else counts as 0: no late field is relied upon. */
export function apiMinor(apiVersion: string): number {
  const [major, minor] = apiVersion.split('.');
  return major === '1' ? Number(minor) || 0 : 0;
}

/** First API minor of each field that came after 1.41 (Docker Engine API version history; 44 is engine 25, 48 engine 28). */
export const FIELD_SINCE = {
  'healthcheck.startInterval': 44,
  oomScoreAdj: 46,
  'privileges.seccomp': 44,
  'privileges.apparmor': 44,
  'privileges.noNewPrivileges': 44,
  'mounts.bind.createMountpoint': 44,
  'mounts.bind.readOnlyNonRecursive': 44,
  'mounts.bind.readOnlyForceRecursive': 44,
  'mounts.volume.subpath': 45,
  'mounts.tmpfs.options': 46,
  'mounts.image.subpath': 48,
} as const;
export type LateField = keyof typeof FIELD_SINCE;

/** A swarm keeps no consistency of a mount at any version: it is dropped on the way in. */
const NEVER_KEPT = 'mounts.consistency';

function lateMountFields(mount: Mount): [LateField, unknown][] {
  return [
    ['mounts.bind.createMountpoint', mount.BindOptions?.CreateMountpoint],
    ['mounts.bind.readOnlyNonRecursive', mount.BindOptions?.ReadOnlyNonRecursive],
    ['mounts.bind.readOnlyForceRecursive', mount.BindOptions?.ReadOnlyForceRecursive],
    ['mounts.volume.subpath', mount.VolumeOptions?.Subpath],
    ['mounts.tmpfs.options', mount.TmpfsOptions?.Options],
    ['mounts.image.subpath', mount.ImageOptions?.Subpath],
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
  for (const mount of container.Mounts ?? []) {
    for (const [field, value] of lateMountFields(mount)) note(field, value);
    if (mount.Consistency && mount.Consistency !== 'default') found.add(NEVER_KEPT);
  }
  return [...found];
}
