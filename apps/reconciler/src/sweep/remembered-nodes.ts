import type { KnownNode } from '@hivekeep/swarm';
import type { World } from '../world.ts';

/** How far the clocks of two managers may be apart, in milliseconds: the two times compared here may be of different ones. */
const CLOCKS_APART_MS = 3_600_000;

/** Nodes that left and are remembered, from which on people are warned; the lease has room for some 2,000 nodes. */
const MANY = 500;

/** Says that many nodes which left are still waited for. Pure. */
export function manyLeft(known: Readonly<Record<string, KnownNode>>): string | undefined {
  const count = Object.values(known).filter(({ left, forgotten }) => left !== undefined && !forgotten).length;
  if (count < MANY) return undefined;
  return `${count} nodes that left may still hold volumes and are remembered; 'hivekeep prune forget-node ID' gives one up`;
}

/**
 * The nodes to remember after a look. One that left may come back under another id with its volumes, so it is kept until a person
 * has given it up, or every release there is was first installed after it had left. Pure.
 */
export function rememberedNodes(known: Readonly<Record<string, KnownNode>>, world: World, now: Date): Record<string, KnownNode> {
  const listed = world.index.snapshot.nodes;
  const ids = new Set(listed.map(({ id }) => id));
  const firstInstall = oldestInstall(world);
  const gone = Object.entries(known).flatMap(([id, node]) => {
    if (ids.has(id) || node.forgotten) return [];
    const left = node.left ?? now.toISOString();
    return Date.parse(left) + CLOCKS_APART_MS < firstInstall ? [] : [[id, { ...node, left }] as const];
  });
  const here = listed.map(({ id, hostname }) => {
    const { left: _, ...node } = known[id] ?? { hostname, since: now.toISOString() };
    return [id, node] as const;
  });
  return Object.fromEntries([...here, ...gone]);
}

/** When the oldest of all releases was first installed, in milliseconds; as long ago as can be where its first record is not kept. */
function oldestInstall({ records, intents, marked, unreadable }: World): number {
  if (intents.size > 0 || unreadable.length > 0 || [...marked].some((release) => !records.has(release))) return Number.NEGATIVE_INFINITY;
  const firsts = [...records.values()].map((kept) => {
    const oldest = kept.at(-1)?.record; // newest first
    return oldest?.revision === 1 ? Date.parse(oldest.created) : Number.NaN;
  });
  return firsts.some(Number.isNaN) ? Number.NEGATIVE_INFINITY : Math.min(...firsts);
}
