import type { NodeCoverage, Presence } from '@hivekeep/contracts';
import type { LiveNode } from '@hivekeep/planner';
import { isTooOld } from './agent-version.ts';

/** Whether a listed node can be asked for its volumes, and why not. `version`: the reconciler's own. Pure. */
export function nodeCoverage(node: LiveNode, agents: readonly Presence[], version: string): NodeCoverage {
  const base = { id: node.id, hostname: node.hostname };
  const agent = agents.find((each) => each.node?.id === node.id);
  if (agent) return isTooOld(agent.version, version) ? { ...base, covered: false, reason: 'old version' } : { ...base, covered: true };
  if (node.state === 'down') return { ...base, covered: false, reason: 'down' };
  return { ...base, covered: false, reason: node.availability === 'drain' ? 'drained' : 'no agent' };
}
