import { labels } from '@hivekeep/application';
import type { DaemonCall, Lab } from '@hivekeep/testkit';
import { isOfLoad, turnOf } from './load.ts';

/** What the swarm has before the writes that are judged. */
export interface Before {
  /** Name of each service, config, secret and network, by id. */
  readonly names: ReadonlyMap<string, string>;
  /** The turn that the load was at. */
  readonly turn: number;
}

/** An application that left the set: its release, and when that was committed, in milliseconds of `performance.now`. */
export interface Departure {
  readonly release: string;
  readonly at: number;
  /** What lies between the two loads that must lack it, in milliseconds. */
  readonly intervalMs: number;
}

interface Spec {
  readonly Name?: string;
  readonly Labels?: Readonly<Record<string, string>>;
}

export async function namesOf({ managers: [manager] }: Lab): Promise<ReadonlyMap<string, string>> {
  if (!manager) throw new Error('expected a lab with a manager');
  const { docker } = manager;
  const [services, configs, secrets, networks] = await Promise.all([
    docker.listServices(),
    docker.listConfigs(),
    docker.listSecrets(),
    docker.listNetworks(),
  ]);
  const named = [...services, ...configs, ...secrets].map(({ ID, Spec }) => [ID, Spec?.Name ?? ''] as const);
  return new Map([...named, ...networks.map(({ Id, Name }) => [Id, Name] as const)]);
}

/**
 * Of what the daemons were asked and did, in order: services written without a change, back to an older turn, by somebody whose epoch was
 * over or outside the load, and deletions of what did not leave, or without the two signals. Bookkeeping and records that a newer one has
 * replaced may go.
 */
export function wrongWrites(writes: readonly DaemonCall[], before: Before, departure?: Departure): string[] {
  const names = new Map(before.names);
  const turns = new Map<string, number>();
  const wrong: string[] = [];
  let epoch = 0;
  let marked = false;
  for (const write of writes.filter(({ status = 0 }) => status >= 200 && status < 300)) {
    const [, kind = '', id = '', verb] = write.path.split('/');
    const spec = (write.body ?? {}) as Spec; // what the daemon took
    const say = (text: string) => wrong.push(`${write.method} ${write.path} ${spec.Name ?? names.get(id) ?? ''}: ${text}`);
    if (write.method === 'DELETE') {
      const reason = mayGo(names.get(id), names, departure && { ...departure, marked }, write.at);
      if (reason !== undefined) say(reason);
      names.delete(id);
      continue;
    }
    if (id === 'create')
      names.set((write.answer as { ID?: string; Id?: string }).ID ?? (write.answer as { Id?: string }).Id ?? '', spec.Name ?? '');
    else if (spec.Name !== undefined) names.set(id, spec.Name); // its create may have been given up unanswered
    marked ||= departure !== undefined && (spec.Labels?.['com.hivekeep.state.sweep'] ?? '').includes(`"${departure.release}":`);
    if (kind !== 'services') continue;
    if (!isOfLoad(spec.Name ?? '') && spec.Name !== `${departure?.release}_web`) {
      say('is none of the load');
      continue;
    }
    const [turn = 0, was = before.turn] = [turnOf(spec), turns.get(spec.Name ?? '')];
    if (verb !== 'update' || turn <= was) say(`turn ${turn} was written over turn ${was}`);
    turns.set(spec.Name ?? '', turn);
    const own = Number(spec.Labels?.[labels.epoch] ?? 0);
    if (own < epoch) say(`epoch ${own} wrote after epoch ${epoch}`);
    epoch = Math.max(epoch, own);
  }
  return wrong;
}

/** Why an object must not have been deleted. */
function mayGo(
  name: string | undefined,
  names: ReadonlyMap<string, string>,
  departure: (Departure & { readonly marked: boolean }) | undefined,
  at: number,
): string | undefined {
  if (name === undefined) return 'nobody knows what it was';
  if (name.startsWith('hivekeep.')) return undefined;
  const record = /^(swarmcli\.release\.(.*)\.v)(\d+)$/.exec(name);
  const [, prefix = '', release, revision] = record ?? [];
  const newer = [...names.values()].some((other) => other.startsWith(prefix) && Number(other.slice(prefix.length)) > Number(revision));
  if (record && newer) return undefined;
  if (!departure || !(release === departure.release || name.startsWith(`${departure.release}_`))) return 'it was declared';
  if (!departure.marked) return 'its sweep was not marked before';
  const since = at - departure.at;
  return since >= departure.intervalMs ? undefined : `it had left ${Math.round(since)} ms before, which is no two loads`;
}
