import type { NodeCoverage } from '@hivekeep/contracts';
import type { LiveNode } from '../live.ts';

/** What a node's agent answered to the question for a stack's volumes, in this term. */
export type NodeAnswer = 'answered' | 'no agent' | 'old version';

export interface CoverageFacts {
  /** The manager's node list, read after the last answer. */
  readonly listedNow: readonly LiveNode[];
  /** Node ids listed at any time since the release's first record, with the hostname they had. */
  readonly everListed: ReadonlyMap<string, string>;
  /** Nodes a person gave up for good. */
  readonly forgotten: ReadonlySet<string>;
  readonly answers: ReadonlyMap<string, NodeAnswer>;
}

function whyUncovered(node: LiveNode | undefined, answer: NodeAnswer | undefined): string {
  if (!node) return 'left';
  if (answer === 'old version') return 'old version';
  if (node.state === 'down') return 'down';
  return node.availability === 'drain' ? 'drained' : 'no agent';
}

/**
 * Every node that may hold volumes of a release, and whether it was asked: those listed now and those listed before, since a node that was
 * removed while it was down comes back under a new id with its volumes. Sorted by id.
 */
export function coverage({ listedNow, everListed, forgotten, answers }: CoverageFacts): NodeCoverage[] {
  const listed = new Map(listedNow.map((node) => [node.id, node]));
  const ids = [...new Set([...listed.keys(), ...everListed.keys()])].filter((id) => !forgotten.has(id)).sort();
  return ids.map((id) => {
    const node = listed.get(id);
    const hostname = node?.hostname ?? everListed.get(id) ?? '';
    if (answers.get(id) === 'answered') return { id, hostname, covered: true };
    return { id, hostname, covered: false, reason: whyUncovered(node, answers.get(id)) };
  });
}
