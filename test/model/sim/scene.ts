import { labels as keys } from '@hivekeep/application';
import { expect } from 'vitest';
import { settle } from './history.ts';
import { type Content, type Declared, HOME } from './repository.ts';
import { type Change, type Kind, stackOf } from './simulated-swarm.ts';
import { World } from './world.ts';

export const MINUTE = 60_000;
/** Longer than from one load of the app set to the next. */
export const LOAD = 16_000;
export const content: Content = { version: 1, volume: true, replicas: 3 };
export let world: World;

/** A world as it begins, which is played in from now on. */
export function build(...from: ConstructorParameters<typeof World>): World {
  world = new World(...from);
  return world;
}

/** A world at rest in which `names` are deployed, each with a volume on every node. */
export async function deployed(
  names: readonly string[],
  ...options: ConstructorParameters<typeof World> extends [number, number, ...infer O] ? O : never
) {
  build(1, 2, ...options);
  declare(names, new Map(names.map((name) => [name, content])));
  await world.time.pass(20_000);
  for (const name of names) expect(volumes(name)).toHaveLength(3);
  return world;
}

export const at = (name: string, more: Partial<Declared> = {}): Declared => ({ name, release: name, swarm: HOME, ...more });

export function declare(set: readonly (string | Declared)[], files = world.repository.head.files): void {
  world.commit({ set: set.map((one) => (typeof one === 'string' ? at(one) : one)), files });
}

/** Nodes that have a release's volume. */
export function volumes(release: string): string[] {
  return world.nodes.filter((node) => node.volumes.has(`${release}_data`)).map(({ id }) => id);
}

export function names(kind: Kind, release: string): string[] {
  const of = world.swarm
    .objects(kind)
    .filter((object) => (stackOf(object) ?? object.Spec.Labels?.[keys.record.release] ?? object.Spec.Labels?.[keys.release]) === release);
  return of.map(({ Spec }) => Spec.Name).sort();
}

export function records(release: string): string[] {
  return names('configs', release).filter((name) => name.startsWith('swarmcli.release.'));
}

export function holder() {
  const { active } = world;
  if (!active) throw new Error('nobody holds the lease');
  return active;
}

/** Every change of the swarm from now on, with its moment. */
export function changes(): (Change & { readonly at: number })[] {
  const seen: (Change & { readonly at: number })[] = [];
  const { swarm, time } = world;
  const { onChange } = swarm;
  swarm.onChange = (change) => {
    seen.push({ ...change, at: time.now });
    onChange(change);
  };
  return seen;
}

export const isLease = ({ before, after }: Change): boolean => (after ?? before)?.Spec.Name.startsWith('hivekeep.lease.') === true;

/** Lets time pass, to the second, until it has come to that. */
export async function until(holds: () => boolean): Promise<void> {
  for (let passed = 0; !holds(); passed += 1_000) {
    if (passed > 5 * MINUTE) throw new Error('it does not come to that');
    await world.time.pass(1_000);
  }
}

/** `meanwhile` is out of sight of one source, which is then the only one: it builds, but has the app set of before and can't ask for a newer one. */
export async function leaveASourceBehind(meanwhile: () => Promise<void>): Promise<void> {
  const [knows, behind] = world.sources;
  if (!knows || !behind) throw new Error('no sources');
  behind.host.run(() => void behind.appSet.load());
  await world.time.pass(1_000);
  Object.assign(behind, { reachesAppSet: false, present: false });
  await meanwhile();
  Object.assign(knows, { present: false });
  Object.assign(behind, { present: true });
}

const traces = new Map<string, () => Promise<void>>();

export function trace(name: string, play: () => Promise<void>): void {
  traces.set(name, play);
}

export const traceNames = (): string[] => [...traces.keys()];

/** Plays a scripted history, named by the beginning of its name, heals all and waits for rest. Throws when it does not come out as it must. */
export async function playTrace(name: string): Promise<void> {
  try {
    for (const [full, play] of traces) if (full.startsWith(name)) await play();
    await settle(world);
  } finally {
    for (const one of world.reconcilers) one.crash();
  }
  expect(world.properties.violations).toEqual([]);
}
