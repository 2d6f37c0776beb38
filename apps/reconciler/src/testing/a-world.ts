import { indexSnapshot } from '@hivekeep/planner';
import type { World } from '../world.ts';

/** A look at a swarm on which nothing is, but for what the test says. */
export function aWorld(more: Partial<World> = {}): World {
  const nothing = { takenAt: 0, services: [], networks: [], configs: [], secrets: [], nodes: [], tasks: [] };
  return {
    index: indexSnapshot(nothing),
    records: new Map(),
    intents: new Map(),
    states: new Map(),
    marked: new Set(),
    unreadable: [],
    recordUsage: { bytes: 0 },
    ...more,
  };
}
