import { HivekeepError } from '@hivekeep/contracts';
import type { VolumeFacts } from '@hivekeep/planner';
import { stackVolumes } from '../apply/trim-history.ts';
import type { Registrations } from '../registrations.ts';
import type { World } from '../world.ts';

/**
 * What the swarm says about volumes beside the tickets: which names the release's own records declare, which services mount
 * now, and which other releases declare or mount, records of whoever stamped them, manifests not recorded yet and what an application may mount included.
 * Throws `swarm/invalid` or `compose/invalid` where a record or its manifest can't be read: what it declares is unknown then, never nothing.
 */
export function volumeFacts(release: string, world: World, registrations: Registrations): Omit<VolumeFacts, 'tickets'> {
  const [unreadable] = world.unreadable;
  if (unreadable) throw new HivekeepError('swarm/invalid', `${unreadable.message}; it may declare volumes: repair or remove it`);
  const namedByRelease = new Set<string>();
  const declaredByOthers = new Map<string, string>();
  for (const [name, records] of world.records) {
    for (const { record } of records) {
      for (const volume of stackVolumes(record)) {
        if (name !== release) declaredByOthers.set(volume.name, name);
        else if (!volume.external) namedByRelease.add(volume.name);
      }
    }
  }
  for (const entry of registrations.all()) {
    // What its newest commit declares may not be known (its build fails): what it may mount counts as declared.
    for (const volume of entry.spec.allow.volumes ?? []) declaredByOthers.set(volume, entry.name);
    for (const { artifact, objects } of entry.plan?.releases ?? []) {
      if (artifact.name !== release) for (const volume of objects.volumes) declaredByOthers.set(volume.name, artifact.name);
    }
  }
  const mountedNow = new Set<string>();
  for (const { spec } of world.index.snapshot.services) {
    for (const mount of spec.TaskTemplate.ContainerSpec?.Mounts ?? [])
      if (mount.Type === 'volume' && mount.Source) mountedNow.add(mount.Source);
  }
  return { namedByRelease, mountedNow, declaredByOthers };
}
