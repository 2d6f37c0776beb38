import type { SnapshotIndex } from '../snapshot-index.ts';
import type { ReleaseInput } from './release-input.ts';

function liveVersions(stack: string, index: SnapshotIndex): string {
  return (index.servicesByStack.get(stack) ?? [])
    .map((service) => `${service.id}:${service.version}`)
    .sort()
    .join(',');
}

/**
 * A text that is equal for two inputs only if `planRelease` gives the same plan for both, as far as the release's own artifact, records,
 * intents and live services go: a caller may keep a plan under it. `policyKey` stands for all the rest (allow list, own stack, other
 * controllers, secrets at hand, configs, secrets and networks of the swarm), which the caller hashes once for all releases.
 */
export function planKey(
  artifactDigest: string,
  policyKey: string,
  input: Pick<ReleaseInput, 'release' | 'records' | 'intents' | 'index' | 'epoch'>,
): string {
  const { release, records, intents, index, epoch } = input;
  const newest = records[0]?.revision ?? 0;
  const open = intents.map((intent) => `${intent.name}:${intent.epoch}`).join(',');
  return [artifactDigest, release.name, newest, records.length, open, epoch, liveVersions(release.name, index), policyKey].join('|');
}
