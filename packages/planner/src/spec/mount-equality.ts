import type { Mount } from '@hivekeep/compose';
import { FIELD_SINCE, type LateField } from './api-level.ts';
import { sameMap, sameValue } from './value-equality.ts';

/**
 * Whether two lists of mounts are the same to a daemon of this API level, whatever their order. The daemon stores an empty type as
 * `bind`, empty bind options not at all, and reads back `rprivate` where a bind has options without a propagation.
 */
export function sameMounts(
  desired: readonly Mount[] | null | undefined,
  live: readonly Mount[] | null | undefined,
  minor: number,
): boolean {
  const wanted = desired ?? [];
  const found = live ?? [];
  if (wanted.length !== found.length) return false;
  return wanted.every((mount, index) => {
    const inPlace = found[index];
    const other = inPlace?.Target === mount.Target ? inPlace : found.find((candidate) => candidate.Target === mount.Target);
    return other !== undefined && sameMount(mount, other, minor);
  });
}

function sameMount(desired: Mount, live: Mount, minor: number): boolean {
  return (
    (desired.Type || 'bind') === (live.Type || 'bind') &&
    sameValue(desired.Source, live.Source) &&
    sameValue(desired.ReadOnly, live.ReadOnly) &&
    sameBindOptions(desired, live, minor) &&
    sameVolumeOptions(desired, live, minor) &&
    sameTmpfsOptions(desired, live, minor)
  );
}

function lateEqual(field: LateField, minor: number, desired: unknown, live: unknown): boolean {
  return minor < FIELD_SINCE[field] || sameValue(desired, live);
}

function sameBindOptions(desired: Mount, live: Mount, minor: number): boolean {
  const want = desired.BindOptions;
  const have = live.BindOptions;
  if (!want && !have) return true;
  return (
    (want?.Propagation || 'rprivate') === (have?.Propagation || 'rprivate') &&
    sameValue(want?.NonRecursive, have?.NonRecursive) &&
    lateEqual('mounts.bind.createMountpoint', minor, want?.CreateMountpoint, have?.CreateMountpoint) &&
    lateEqual('mounts.bind.readOnlyNonRecursive', minor, want?.ReadOnlyNonRecursive, have?.ReadOnlyNonRecursive) &&
    lateEqual('mounts.bind.readOnlyForceRecursive', minor, want?.ReadOnlyForceRecursive, have?.ReadOnlyForceRecursive)
  );
}

function sameVolumeOptions(desired: Mount, live: Mount, minor: number): boolean {
  const want = desired.VolumeOptions;
  const have = live.VolumeOptions;
  if (!want && !have) return true;
  return (
    sameValue(want?.NoCopy, have?.NoCopy) &&
    sameMap(want?.Labels, have?.Labels) &&
    sameValue(want?.DriverConfig?.Name, have?.DriverConfig?.Name) &&
    sameMap(want?.DriverConfig?.Options, have?.DriverConfig?.Options) &&
    lateEqual('mounts.volume.subpath', minor, want?.Subpath, have?.Subpath)
  );
}

function sameTmpfsOptions(desired: Mount, live: Mount, minor: number): boolean {
  const want = desired.TmpfsOptions;
  const have = live.TmpfsOptions;
  if (!want && !have) return true;
  return (
    sameValue(want?.SizeBytes, have?.SizeBytes) &&
    sameValue(want?.Mode, have?.Mode) &&
    lateEqual('mounts.tmpfs.options', minor, want?.Options, have?.Options)
  );
}
