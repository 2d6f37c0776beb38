/**
 * Whether an agent's version is too old for its reconciler: another major version, or more than one minor version behind.
 * Nodes are updated one after the other, so the version before works with this one. What is no version number is not judged.
 */
export function isTooOld(agent: string, own: string): boolean {
  const [a, b] = [agent, own].map((version) => /^(\d+)\.(\d+)\./.exec(version)?.slice(1).map(Number));
  if (!a || !b) return false;
  const [[agentMajor = 0, agentMinor = 0], [ownMajor = 0, ownMinor = 0]] = [a, b];
  return agentMajor < ownMajor || (agentMajor === ownMajor && agentMinor < ownMinor - 1);
}
