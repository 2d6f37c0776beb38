import type { Presence, SwarmEntry } from '@hivekeep/contracts';
import type { HeldSwarm } from './view-store.ts';

export interface SwarmFacts {
  readonly held: ReadonlyMap<string, HeldSwarm>;
  /** Empty when presence itself could not be read lately: who was not heard is silent. */
  readonly presences: readonly Presence[];
  /** When a reconciler of a swarm was last present, in ms since the epoch; kept when it is gone. */
  readonly presentAt: ReadonlyMap<string, number>;
  /** Swarms that applications name. */
  readonly named: readonly string[];
  /** ms since the epoch. */
  readonly now: number;
  readonly silentAfterMs: number;
}

/**
 * Every swarm that is served or named. `ok` needs both signs of life: the presence of an active reconciler, and a view
 * that is not older than the bound. Only then does anything the swarm said before count as its present state.
 */
export function swarmEntries(facts: SwarmFacts): SwarmEntry[] {
  const reconcilers = facts.presences.filter((presence) => presence.service === 'reconciler' && presence.swarm !== undefined);
  const served = reconcilers.map((presence) => presence.swarm as string);
  const names = new Set([...facts.held.keys(), ...served, ...facts.named]);
  return [...names].sort().map((name) =>
    entry(
      name,
      reconcilers.filter((presence) => presence.swarm === name),
      facts,
    ),
  );
}

function entry(name: string, reconcilers: readonly Presence[], facts: SwarmFacts): SwarmEntry {
  const held = facts.held.get(name);
  const heard = Math.min(facts.now, Math.max(held?.heardAt ?? 0, facts.presentAt.get(name) ?? 0));
  const lastHeardAt = heard > 0 ? new Date(heard).toISOString() : undefined;
  return {
    name,
    home: held?.view.home ?? reconcilers.some((presence) => presence.home === true),
    ...judge(name, held, reconcilers, lastHeardAt, facts),
    ...(lastHeardAt && { lastHeardAt }),
    ...(held && { view: held.view }),
  };
}

function judge(
  name: string,
  held: HeldSwarm | undefined,
  reconcilers: readonly Presence[],
  lastHeardAt: string | undefined,
  { now, silentAfterMs }: SwarmFacts,
): Pick<SwarmEntry, 'state' | 'message'> {
  if (held === undefined && reconcilers.length === 0)
    return { state: 'unserved', message: `no reconciler serves swarm '${name}': start one with --swarm ${name}` };
  const since = `last heard ${lastHeardAt ?? 'never'}`;
  if (!reconcilers.some((presence) => presence.active === true))
    return {
      state: 'silent',
      message:
        reconcilers.length > 0
          ? `swarm '${name}' has only standby reconcilers; ${since}`
          : `the reconciler of swarm '${name}' is silent; ${since}`,
    };
  if (held === undefined) return { state: 'unknown', message: `the reconciler of swarm '${name}' has not reported yet` };
  if (now - held.heardAt > silentAfterMs)
    return {
      state: 'silent',
      message: `the reconciler of swarm '${name}' is there but has reported nothing since ${new Date(held.heardAt).toISOString()}`,
    };
  return { state: held.view.state, ...(held.view.message !== undefined && { message: held.view.message }) };
}
