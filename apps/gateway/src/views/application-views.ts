import { initialStatus, type Spec, type SwarmEntry, type View } from '@hivekeep/contracts';
import type { HeldApplication } from './view-store.ts';

/** An application as the app set names it; `swarm` is empty for the home one. */
export interface NamedApplication {
  readonly name: string;
  readonly swarm: string;
}

/** An application, where it is, and what may be said of it now. */
export interface ApplicationEntry {
  readonly name: string;
  readonly swarm: string;
  readonly view: View;
}

/**
 * Every application in the order of the app set, then those only a swarm still knows. What a swarm that is not `ok` said
 * last is told as unknown; an application nobody looks after is listed too, with the reason.
 */
export function applicationEntries(
  named: readonly NamedApplication[],
  held: readonly HeldApplication[],
  swarms: readonly SwarmEntry[],
): ApplicationEntry[] {
  const bySwarm = new Map(swarms.map((swarm) => [swarm.name, swarm]));
  const home = swarms.find((swarm) => swarm.home)?.name ?? '';
  const left = new Map(held.map((entry) => [keyOf(entry), entry]));
  const declared = named.map(({ name, swarm: destination }) => {
    const swarm = destination === '' ? home : destination;
    const found = left.get(keyOf({ swarm, name }));
    left.delete(keyOf({ swarm, name }));
    return found ? judged(found, bySwarm.get(swarm)) : unseen(name, destination, bySwarm.get(swarm));
  });
  return [...declared, ...[...left.values()].map((entry) => judged(entry, bySwarm.get(entry.swarm)))];
}

const keyOf = ({ swarm, name }: { swarm: string; name: string }) => `${swarm}/${name}`;

function judged(entry: HeldApplication, swarm: SwarmEntry | undefined): ApplicationEntry {
  return swarm?.state === 'ok' ? entry : { ...entry, view: { ...entry.view, status: unknownStatus(entry.view.status, swarm) } };
}

/** The last word stays readable (revision, last sync) but nothing in it is synced or healthy any more. */
function unknownStatus(last: View['status'], swarm: SwarmEntry | undefined): View['status'] {
  const message = swarm?.message ?? 'the state of its swarm is unknown';
  const health = { state: 'unknown' as const, message };
  return {
    ...last,
    sync: { ...last.sync, state: 'unknown' },
    health: { ...last.health, ...health },
    ...(last.drift && { drift: { ...last.drift, state: 'unknown' as const, message } }),
    ...(last.releases && {
      releases: last.releases.map((release) => ({
        ...release,
        sync: 'unknown' as const,
        health: { ...release.health, ...health },
        services: release.services.map((service) => ({ ...service, health: 'unknown' as const })),
      })),
    }),
    error: message,
    code: 'swarm/unreachable',
  };
}

function unseen(name: string, destination: string, swarm: SwarmEntry | undefined): ApplicationEntry {
  const waiting = swarm?.state === 'ok';
  const spec: Spec = {
    name,
    source: { repoURL: '', revision: '' },
    allow: {},
    destination: destination === '' ? {} : { swarm: destination },
    syncPolicy: { automated: false },
    driftDetection: 'manifest',
  };
  const reason = swarm?.message ?? 'no reconciler runs with --home, so nobody serves applications without a destination';
  return {
    name,
    swarm: swarm?.name ?? destination,
    view: {
      spec,
      status: { ...initialStatus(), ...(waiting ? {} : { error: reason, code: swarm ? 'swarm/unreachable' : 'swarm/unknown' }) },
    },
  };
}
