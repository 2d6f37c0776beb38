import type { ReleaseInput, ReleaseIntent } from './release-input.ts';

/** Of revisions that were begun after the newest record: until they are settled the swarm may hold part of one. */
export function openIntents({ records, intents }: ReleaseInput): ReleaseIntent[] {
  const recorded = records[0]?.revision ?? 0;
  return intents.filter((intent) => intent.revision > recorded);
}
