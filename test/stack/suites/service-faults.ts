import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type LabNode } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import type { Installation } from '../support/installation.ts';
import { allAt, deployed, Load } from '../support/load.ts';
import { containersOf } from '../support/observe.ts';

const long = process.env.HIVEKEEP_TEST_LONG === '1';
/** How long the load goes on before, during and after a fault, and how long all may take to converge after the heal. Milliseconds. */
const PHASE_MS = long ? 40_000 : 6_000;
const CONVERGED_MS = 60_000;
const STILL_MS = 8_000;

/** A fault, and what heals it. */
type Fault = (hive: Installation) => Promise<() => Promise<void>>;

const onActive =
  (begin: (node: LabNode) => Promise<void>, heal: (node: LabNode) => Promise<void>): Fault =>
  async (hive) => {
    const node = await activeNode(hive);
    await begin(node);
    return () => heal(node);
  };

const killed =
  (service: string): Fault =>
  async ({ lab }) => {
    for (const node of lab.nodes) for (const id of await containersOf(node, service)) await node.docker.getContainer(id).kill();
    return async () => undefined;
  };

const faults: Record<string, Fault> = {
  "the active reconciler's node is cut off": onActive(
    (node) => node.cut(),
    (node) => node.heal(),
  ),
  ...(long && {
    'NATS is killed': killed('nats'),
    "the active reconciler's node is killed": onActive(
      (node) => node.kill(),
      (node) => node.start(),
    ),
    "the active reconciler's node is frozen": onActive(
      (node) => node.freeze(),
      (node) => node.thaw(),
    ),
    "the active reconciler's engine is paused": onActive(
      (node) => node.pause(),
      (node) => node.resume(),
    ),
    'the quorum is lost': async ({ lab }) => {
      const cut = lab.managers.slice(1);
      for (const node of cut) await node.cut();
      return async () => {
        for (const node of cut) await node.heal();
      };
    },
    'the leader is moved': async ({ docker, lab }) => {
      const names = (await docker(1, 'node', 'ls', '--format', '{{.ManagerStatus}} {{.Hostname}}')).trim().split('\n');
      const leader = names.find((line) => line.startsWith('Leader'))?.split(' ')[1] ?? '';
      const other = lab.managers.find(({ name }) => name !== leader)?.index ?? 1;
      await docker(other, 'node', 'demote', leader);
      return async () => void (await docker(other, 'node', 'promote', leader));
    },
    'the volume of NATS is wiped': async ({ docker, lab }) => {
      await docker(1, 'node', 'update', '--label-rm', 'hivekeep.nats', 'node1');
      await eventually(() => lab.node(1).docker.getVolume('hivekeep_nats').remove(), { timeoutMs: 120_000, intervalMs: 500 });
      return async () => void (await docker(1, 'node', 'update', '--label-add', 'hivekeep.nats=true', 'node1'));
    },
    'every source is killed': killed('source'),
    'every gateway is killed': killed('gateway'),
  }),
};

/** Twenty applications change once a second while something breaks. */
export function serviceFaults(hive: () => Installation): void {
  test.each(Object.entries(faults))('%s: all converge to the last commit, and then nothing more is written', async (_, fault) => {
    const load = await Load.start(hive());
    await sleep(PHASE_MS);
    const heal = await fault(hive());
    await sleep(PHASE_MS);
    await heal();
    const commit = await load.stop();
    await eventually(() => allAt(hive(), commit), { timeoutMs: CONVERGED_MS, intervalMs: 1_000 });
    const after = await deployed(hive());
    expect(new Set(Object.values(after).map(({ text }) => text)).size).toBe(1);
    await sleep(STILL_MS);
    expect(await deployed(hive())).toEqual(after);
  });
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
