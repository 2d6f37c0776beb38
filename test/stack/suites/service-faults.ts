import { setTimeout as sleep } from 'node:timers/promises';
import { consistently, eventually, type LabNode } from '@hivekeep/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AcceptedSyncs } from '../support/accepted-syncs.ts';
import { EventFollower, holesIn } from '../support/event-follower.ts';
import { type Installation, NATS_NODE } from '../support/installation.ts';
import { allAt, Load } from '../support/load.ts';
import { containersOf, covered, gone, settled } from '../support/observe.ts';
import { namesOf, wrongWrites } from '../support/wrong-writes.ts';

const long = process.env.HIVEKEEP_TEST_LONG === '1';
const LONG_MS = 120_000;
/** How long the managers may take after the heal to elect a leader, and all to converge then, and how long nothing more may be written. Milliseconds. */
const ELECTED_MS = 120_000;
const CONVERGED_MS = 60_000;
const STILL_MS = 15_000;
const GONE_MS = 120_000;
/** What was killed is killed again after so long. */
const KILL_EVERY_MS = 20_000;
/** What the installation is told for loads of the app set. */
const INTERVAL_MS = 5_000;
const LEAVER = 'leaver';

interface Fault {
  readonly name: string;
  /** How long it lasts in a short run, in milliseconds; without it, in long ones alone. */
  readonly shortMs?: number;
  /** Nobody can take a sync while it lasts. */
  readonly deaf?: true;
  /** Gives what heals it. */
  begin(hive: Installation): Promise<() => Promise<unknown>>;
}

const onActive =
  (begin: (node: LabNode, hive: Installation) => Promise<void>, heal: typeof begin): Fault['begin'] =>
  async (hive) => {
    const node = await activeNode(hive);
    await begin(node, hive);
    return () => heal(node, hive);
  };

async function killAll(service: string, { lab }: Installation): Promise<void> {
  for (const node of lab.nodes)
    for (const id of await containersOf(node, service))
      await node.docker
        .getContainer(id)
        .kill()
        .catch(() => undefined); // it just ended
}

/** Every container of a service, again and again, and a last time when it is healed. */
const killed =
  (service: string): Fault['begin'] =>
  async (hive) => {
    await killAll(service, hive);
    const timer = setInterval(() => void killAll(service, hive), KILL_EVERY_MS);
    return async () => {
      clearInterval(timer);
      await killAll(service, hive);
    };
  };

const moveLeader: Fault['begin'] = async ({ docker, lab }) => {
  const names = (await docker(1, 'node', 'ls', '--format', '{{.ManagerStatus}} {{.Hostname}}')).trim().split('\n');
  const leader = names.find((line) => line.startsWith('Leader'))?.split(' ')[1] ?? '';
  const other = lab.managers.find(({ name }) => name !== leader)?.index ?? 1;
  await docker(other, 'node', 'demote', leader);
  return () => docker(other, 'node', 'promote', leader);
};

const clockOff = (offset: string): Fault['begin'] =>
  onActive(
    (node, { clocks }) => clocks.set(node, offset),
    (node, { clocks }) => clocks.set(node, '+0'),
  );

const faults: readonly Fault[] = [
  {
    name: "the active reconciler's node is killed",
    shortMs: 10_000,
    begin: onActive(
      (node) => node.kill(),
      (node) => node.start(),
    ),
  },
  {
    name: "the active reconciler's node is cut off",
    shortMs: 8_000,
    begin: onActive(
      (node) => node.cut(),
      (node) => node.heal(),
    ),
  },
  { name: 'the leader is moved', shortMs: 4_000, begin: moveLeader },
  {
    name: 'the quorum is lost',
    shortMs: 8_000,
    deaf: true,
    begin: async ({ lab }) => {
      const cut = lab.managers.slice(1);
      for (const node of cut) await node.cut();
      return async () => {
        for (const node of cut) await node.heal();
      };
    },
  },
  {
    name: "the active reconciler's node is frozen",
    begin: onActive(
      (node) => node.freeze(),
      (node) => node.thaw(),
    ),
  },
  {
    name: "the active reconciler's engine is paused",
    begin: onActive(
      (node) => node.pause(),
      (node) => node.resume(),
    ),
  },
  { name: 'NATS is killed', begin: killed('nats') },
  {
    name: 'the leader is moved while NATS starts', // swarm's DNS then never learns of it
    begin: async (hive) => {
      const node = hive.lab.node(NATS_NODE);
      await killAll('nats', hive);
      const starting = () => containersOf(node, 'nats', { health: 'starting' }).then(([id]) => id ?? false);
      const lost = await eventually(starting, { timeoutMs: 60_000, intervalMs: 100 });
      const back = await moveLeader(hive);
      return async () => {
        expect(await containersOf(node, 'nats')).not.toContain(lost);
        await back();
      };
    },
  },
  {
    name: 'NATS is cut off',
    deaf: true,
    begin: async ({ lab }) => {
      await lab.node(NATS_NODE).cut();
      return () => lab.node(NATS_NODE).heal();
    },
  },
  {
    name: 'the volume of NATS is wiped',
    deaf: true,
    begin: async ({ docker, lab }) => {
      const node = lab.node(NATS_NODE);
      const back = () => docker(1, 'node', 'update', '--label-add', 'hivekeep.nats=true', node.name);
      const wipe = async () => {
        // tasks that have ended hold it, too
        for (const id of await containersOf(node, 'nats', { all: true })) await node.docker.getContainer(id).remove();
        await node.docker.getVolume('hivekeep_nats').remove();
      };
      await docker(1, 'node', 'update', '--label-rm', 'hivekeep.nats', node.name);
      await eventually(wipe, { timeoutMs: 120_000, intervalMs: 500 }).catch(async (error: unknown) => {
        await back();
        throw error;
      });
      return back;
    },
  },
  {
    name: 'every source is killed in the middle of a fetch',
    begin: async (hive) => {
      await hive.entrance.stallFetch();
      return killed('source')(hive);
    },
  },
  { name: 'every gateway is killed', begin: killed('gateway') },
  { name: "the active reconciler's wall clock is 10 minutes ahead", begin: clockOff('+10m') },
  { name: "the active reconciler's wall clock is 10 minutes behind", begin: clockOff('-10m') },
];

/** Twenty applications change once a second while something breaks, and in long runs one more leaves meanwhile. */
export function serviceFaults(hive: () => Installation): void {
  let load: Load;
  let follower: EventFollower;
  beforeAll(async () => {
    follower = new EventFollower(hive());
    load = await Load.start(hive());
  });
  afterAll(() => follower?.[Symbol.asyncDispose]());

  const cases = faults.filter(({ shortMs }) => long || shortMs !== undefined).map((fault) => [fault.name, fault] as const);
  test.each(cases)(
    '%s: all converge to the last commit, and nothing is lost or written that need not be',
    async (name, fault) => {
      const { log, lab } = hive();
      await lab.restore();
      if (long) {
        await covered(hive(), lab.nodes.length);
        await settled(hive(), LEAVER, await load.join(LEAVER));
      }
      const before = { names: await namesOf(lab), turn: load.last.turn };
      log.forget();
      load.run();
      const heal = await fault.begin(hive());
      const syncs = new AcceptedSyncs(hive());
      const departure = long ? { release: LEAVER, at: load.leave(LEAVER), intervalMs: INTERVAL_MS } : undefined;
      await sleep(long ? LONG_MS : fault.shortMs);
      const synced = syncs.stop();
      await heal();
      const healed = stopwatch();
      const last = await load.stop();
      await eventually(() => lab.node(1).docker.listNodes(), { timeoutMs: ELECTED_MS, intervalMs: 500 });
      const elected = stopwatch();
      await eventually(() => allAt(hive(), last), { timeoutMs: CONVERGED_MS, intervalMs: 500 });
      const times = `converged ${healed()} s after the heal, ${elected()} s after the swarm had a leader`;
      await synced;
      await eventually(async () => expect([syncs.lost(follower), await noted(hive())]).toEqual([[], []]), { timeoutMs: CONVERGED_MS });
      const wrong = () => [...wrongWrites(log.writes(), before, departure), ...holesIn(follower.heard)];
      if (long) {
        if (!fault.deaf) expect(syncs.accepted.size).toBeGreaterThan(0);
        await gone(hive(), LEAVER, GONE_MS);
        await consistently(() => expect(wrong()).toEqual([]), STILL_MS, 1_000);
      }
      expect(wrong()).toEqual([]);
      console.log(`${name}: ${times}; ${syncs.accepted.size} syncs accepted, ${log.writes().length} writes`);
    },
    600_000,
  );
}

/** Gives the seconds since now. */
function stopwatch(): () => number {
  const started = performance.now();
  return () => Math.round((performance.now() - started) / 1_000);
}

/** Applications on whose state a sync is still noted. */
async function noted({ lab }: Installation): Promise<string[]> {
  const configs = await lab.node(1).docker.listConfigs({ filters: { label: ['com.hivekeep.state.sync'] } });
  return configs.map(({ Spec }) => Spec?.Name ?? '');
}

/** The node whose reconciler holds the lease, as its own numbers say. */
async function activeNode({ lab, docker }: Installation): Promise<LabNode> {
  return eventually(
    async () => {
      for (const node of lab.managers)
        for (const id of await containersOf(node, 'reconciler')) {
          const text = await docker(node, 'exec', id, 'wget', '-q', '-O-', 'http://127.0.0.1:9464/metrics');
          if (/^hivekeep_lease_held 1$/m.test(text)) return node;
        }
      return false;
    },
    { timeoutMs: 90_000, intervalMs: 1_000 },
  );
}
