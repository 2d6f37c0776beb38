import { type Content, type Declared, HOME, validSet } from './repository.ts';
import type { SimulatedReconciler } from './simulated-reconciler.ts';
import { World } from './world.ts';

const APPLICATIONS = ['blog', 'data', 'mail', 'shop', 'wiki'];
const OTHER_SWARM = 'other';
const MOVES = 18;
/** How long a history may take to come to rest, milliseconds. */
const SETTLE_MS = 360_000;
const SETTLE_STEP_MS = 15_000;

export interface Outcome {
  readonly violations: readonly string[];
  readonly log: readonly string[];
}

/** One random history, from its first application to a world at rest. Equal seeds give equal histories. */
export async function runHistory(seed: number): Promise<Outcome> {
  const world = new World(seed, 1 + (seed % 3));
  await populate(world);
  for (let move = 0; move < MOVES && world.properties.violations.length === 0; move += 1) {
    step(world);
    await world.time.pass(world.random.chance(0.3) ? world.random.between(0, 800) : world.random.between(800, 12_000));
  }
  if (world.properties.violations.length === 0) await settle(world);
  for (const reconciler of world.reconcilers) reconciler.crash();
  return { violations: world.properties.violations, log: world.log };
}

async function populate(world: World): Promise<void> {
  const { random } = world;
  const files = new Map(APPLICATIONS.map((name) => [name, { version: 1, volume: random.chance(0.8), replicas: random.between(0, 2) }]));
  world.commit({ set: APPLICATIONS.filter(() => random.chance(0.7)).map((name) => at(name, HOME)), files });
  await world.time.pass(random.between(4_000, 20_000));
}

function at(name: string, swarm: string): Declared {
  return { name, release: name, swarm };
}

type Move = (world: World) => void;

function step(world: World): void {
  const name = world.random.weighted(weights);
  world.say(name);
  moves[name](world);
}

const weights = {
  add: 6,
  remove: 10,
  update: 3,
  'rename an application': 2,
  'swap releases': 1,
  'move to the other swarm': 4,
  'mount the volume of another': 2,
  'break the file': 3,
  'rewrite history': 3,
  'empty the set': 1,
  'cut a source from Git': 4,
  'take a source away': 1,
  'heal the sources': 3,
  'stop a reconciler': 2,
  'crash at a write': 5,
  'crash now': 3,
  'suspend a machine': 4,
  'stop a process': 2,
  'wake the suspended': 6,
  'isolate a manager': 3,
  'cut a reconciler from the bus': 1,
  'heal managers and bus': 3,
  'start reconcilers': 6,
  'writes land late': 4,
  'writes go well': 3,
  'delete the lease': 3,
  'touch a service': 2,
  'node down': 3,
  'node up': 3,
  'remove a node that is down': 2,
  'replace a node': 2,
  'drain a node': 2,
  'restart an agent': 3,
  'stop an agent': 2,
  'the person agrees': 3,
} as const;

function here(world: World): Declared[] {
  return validSet(world.repository.head).filter(({ swarm }) => swarm === HOME);
}

function withSet(world: World, change: (set: Declared[]) => Declared[]): void {
  world.commit({ set: change([...validSet(world.repository.head)]) });
}

function withContent(world: World, name: string, change: (content: Content) => Content): void {
  const { files, set } = world.repository.head;
  const content = files.get(name) ?? { version: 0, volume: true, replicas: 1 };
  world.commit({ set, files: new Map([...files, [name, change(content)]]) });
}

function living(world: World): SimulatedReconciler[] {
  return world.reconcilers.filter(({ host }) => !host.dead && !host.suspended);
}

/** The active one more often: what happens to a standby matters less. */
function victim(world: World): SimulatedReconciler | undefined {
  return (world.random.chance(0.7) ? world.active : undefined) ?? world.random.pick(living(world));
}

function isolate(world: World): void {
  const manager = victim(world)?.manager;
  if (manager) manager.isolated ??= { objects: world.swarm.remember(), until: world.time.now + 18_000 };
}

function forAll<T>(of: readonly T[], change: (one: T) => void): void {
  for (const one of of) change(one);
}

const moves: Record<keyof typeof weights, Move> = {
  add: (world) => {
    const gone = APPLICATIONS.filter((name) => !here(world).some((one) => one.release === name || one.name === name));
    const name = world.random.pick(gone);
    if (name) withSet(world, (set) => [...set.filter((one) => one.name !== name && one.release !== name), at(name, HOME)]);
  },
  remove: (world) => {
    const one = world.random.pick(validSet(world.repository.head));
    if (one) withSet(world, (set) => set.filter(({ name }) => name !== one.name));
  },
  update: (world) => {
    const one = world.random.pick(here(world));
    if (one)
      withContent(world, one.name, (content) => ({ ...content, version: world.random.between(1, 4), volume: world.random.chance(0.8) }));
  },
  'rename an application': (world) => {
    const one = world.random.pick(here(world));
    if (!one) return;
    const name = one.name.endsWith('-2') ? one.release : `${one.release}-2`;
    const { files } = world.repository.head;
    const content = files.get(one.name);
    if (validSet(world.repository.head).some((other) => other.name === name) || !content) return;
    const set = validSet(world.repository.head).map((other) => (other === one ? { ...one, name } : other));
    world.commit({ set, files: new Map([...files, [name, content]]) });
  },
  'swap releases': (world) => {
    const [a, b] = here(world);
    if (a && b)
      withSet(world, (set) =>
        set.map((one) => (one === a ? { ...a, release: b.release } : one === b ? { ...b, release: a.release } : one)),
      );
  },
  'move to the other swarm': (world) => {
    const one = world.random.pick(here(world));
    if (one) withSet(world, (set) => set.map((other) => (other === one ? { ...one, swarm: OTHER_SWARM } : other)));
  },
  'mount the volume of another': (world) => {
    const one = world.random.pick(here(world));
    const other = world.random.pick(APPLICATIONS);
    if (one && other && other !== one.release)
      withContent(world, one.name, (content) => ({ ...content, mounts: content.mounts ? undefined : `${other}_data` }));
  },
  'break the file': (world) => world.commit({ set: undefined }),
  'rewrite history': (world) => {
    const { head } = world.repository;
    const base = head.parent?.parent ?? head.parent;
    if (!base) return;
    const kept = world.random.chance(0.5) ? validSet(head) : validSet(base);
    world.commit({ set: kept.filter(() => world.random.chance(0.9)), files: head.files }, base);
  },
  'empty the set': (world) => withSet(world, (set) => set.filter(({ swarm }) => swarm !== HOME)),
  'cut a source from Git': (world) => {
    const source = world.random.pick(world.sources);
    if (source) source.reachesGit = false;
  },
  'take a source away': (world) => {
    const source = world.random.pick(world.sources);
    if (source) source.present = false;
  },
  'heal the sources': (world) =>
    forAll(world.sources, (source) => Object.assign(source, { reachesGit: true, reachesAppSet: true, present: true })),
  'stop a reconciler': (world) => void victim(world)?.stop(),
  'crash at a write': (world) => {
    const one = victim(world);
    if (one) one.dieAfter = world.random.between(0, 8);
  },
  'crash now': (world) => victim(world)?.crash(),
  'suspend a machine': (world) => victim(world)?.host.suspend(),
  'stop a process': (world) => {
    const host = victim(world)?.host;
    host?.suspend();
    if (host) host.clockMoves = true;
  },
  'wake the suspended': (world) => forAll(world.reconcilers, ({ host }) => host.resume()),
  'isolate a manager': isolate,
  'cut a reconciler from the bus': (world) => {
    const bus = victim(world)?.bus;
    if (bus) bus.cut = true;
  },
  'heal managers and bus': (world) => forAll(world.reconcilers, healed),
  'start reconcilers': (world) => forAll([...world.reconcilers.keys()], (index) => world.restart(index)),
  'writes land late': (world) => void Object.assign(world.trouble, { late: 0.08, unanswered: 0.08, lost: 0.05 }),
  'writes go well': (world) => void Object.assign(world.trouble, { late: 0, unanswered: 0, lost: 0 }),
  'delete the lease': (world) => world.swarm.removeByHand('configs', 'hivekeep.lease.default'),
  'touch a service': (world) => world.swarm.touch(),
  'node down': (world) => {
    const node = world.random.pick(world.nodes.filter(({ state, listed }) => state === 'ready' && listed));
    if (node) node.state = 'down';
    world.swarm.reschedule();
  },
  'node up': (world) => {
    forAll(world.nodes, (node) => Object.assign(node, { availability: 'active', state: node.listed ? 'ready' : node.state }));
    forAll(world.nodes, (node) => void (node.agent || node.startAgent()));
    world.swarm.reschedule();
  },
  'remove a node that is down': (world) => {
    const node = world.nodes.find(({ state, listed }) => state === 'down' && listed);
    if (!node) return;
    node.listed = false;
    // One that came and left while nobody was active was never seen by anyone.
    node.forgotten = world.knownNodes()[node.id] === undefined;
  },
  'replace a node': (world) => {
    const node = world.nodes.find(({ listed }) => !listed);
    if (!node) return;
    world.swarm.removeNode(node);
    world.addNode(node.volumes);
  },
  'drain a node': (world) => {
    const node = world.random.pick(world.nodes.filter(({ schedulable }) => schedulable));
    if (!node) return;
    node.availability = 'drain';
    node.stopAgent();
    world.swarm.reschedule();
  },
  'restart an agent': (world) => forAll(world.nodes.filter(({ agent }) => agent).slice(0, 1), (node) => node.startAgent()),
  'stop an agent': (world) => world.random.pick(world.nodes)?.stopAgent(),
  'the person agrees': (world) => world.personAgrees(false),
};

function healed({ manager, bus }: SimulatedReconciler): void {
  manager.isolated = undefined;
  bus.cut = false;
}

/** All is healthy and nothing changes any more: in the end everything is as the newest commit says. */
export async function settle(world: World): Promise<void> {
  world.say('all is healed');
  const { head } = world.repository;
  if (!head.set) world.commit({ set: validSet(head) });
  moves['heal the sources'](world);
  moves['writes go well'](world);
  forAll(world.reconcilers, ({ host }) => host.resume());
  forAll(world.reconcilers, healed);
  forAll(world.reconcilers, (one) => one.liveOn());
  moves['start reconcilers'](world);
  moves['node up'](world);
  let reason: string | undefined = 'it has not begun';
  for (let passed = 0; passed < SETTLE_MS && reason !== undefined && world.properties.violations.length === 0; passed += SETTLE_STEP_MS) {
    await world.time.pass(SETTLE_STEP_MS);
    // One that was told to stop before all was healed has ended only now; Swarm starts its task anew.
    moves['start reconcilers'](world);
    world.personAgrees(true);
    reason = world.properties.unsettled();
    if (reason) world.say(reason);
  }
  if (reason !== undefined && world.properties.violations.length === 0) world.properties.violations.push(`L1/S4 ${reason}`);
}
