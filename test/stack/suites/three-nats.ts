import { eventually, type Lab, type LabNode, useLab } from '@hivekeep/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventFollower, holesIn } from '../support/event-follower.ts';
import { type Installation, installation } from '../support/installation.ts';
import { containersOf, covered, settled } from '../support/observe.ts';
import { replicated } from '../support/stacks.ts';

const COPIES = 3;
const NATS_MS = 180_000;

/** An installation of its own, on a swarm beside the lab of the others. */
export function threeNats(): void {
  let lab: Lab;
  let hive: Installation;

  beforeAll(async () => {
    const others = await useLab({ nodes: 5, managers: 3 });
    for (const service of await others.node(1).docker.listServices()) await others.node(1).docker.getService(service.ID).remove();
    lab = await useLab({ nodes: COPIES, managers: COPIES, beside: true });
    hive = await installation(lab, '--nats-nodes', String(COPIES));
  });
  afterAll(async () => {
    await hive?.[Symbol.asyncDispose]();
    await lab?.down();
  });

  test('one of the servers is lost, whichever leads, and comes back: commits are deployed all the time and no event is lost', async () => {
    const { declare, deploy, docker } = hive;
    const commit = async (text: string) => settled(hive, 'shop', await declare(['shop'], { 'shop.yaml': replicated(2, text) }));
    for (const { name } of lab.nodes) await docker(1, 'node', 'update', '--label-add', 'hivekeep.nats=true', name);
    await deploy();
    await covered(hive, COPIES, 'default', NATS_MS);
    await commit('one');
    const before = await jetStream(hive, lab.node(1));
    expect(before.copies).toEqual({ 'hk-events': COPIES, 'KV_hk-artifacts': COPIES, 'KV_hk-presence': COPIES, 'KV_hk-views': COPIES });
    await using events = new EventFollower(hive);
    const heard = async () => {
      await commit(`heard ${events.heard.length} ${performance.now()}`); // two tasks are replaced one after the other: it may take 10 s
      return events.heard.length > 0;
    };
    await eventually(heard, { timeoutMs: NATS_MS });

    const lost = lab.nodes.find(({ name }) => name === before.leader);
    if (!lost) throw new Error(`the server that leads is '${before.leader}', no node of the lab`);
    await docker(1, 'node', 'update', '--label-rm', 'hivekeep.nats', lost.name);
    for (const id of await containersOf(lost, 'nats')) await lost.docker.getContainer(id).kill();
    await commit('two');
    expect(await containersOf(lost, 'nats')).toEqual([]);
    await covered(hive, COPIES);

    await docker(1, 'node', 'update', '--label-add', 'hivekeep.nats=true', lost.name);
    await eventually(() => jetStream(hive, lost), { timeoutMs: NATS_MS, intervalMs: 1_000 });
    await commit('three');

    const last = (await hive.application('shop')).status.sync.revision;
    await eventually(() => events.heard.some(({ event }) => event?.type === 'sync-succeeded' && event.revision === last));
    expect(holesIn(events.heard)).toEqual([]);
    expect(events.heard.filter(({ event }) => event === undefined)).toEqual([]);
  });
}

/** Who leads JetStream, and how many copies of each stream there are, as the server on a node says. */
async function jetStream({ docker }: Installation, node: LabNode): Promise<{ leader: string; copies: Record<string, number> }> {
  const [container = ''] = await containersOf(node, 'nats');
  const text = await docker(node, 'exec', container, 'wget', '-q', '-O-', 'http://127.0.0.1:8222/jsz?accounts=1&streams=1&config=1');
  const { meta_cluster, account_details } = JSON.parse(text) as {
    meta_cluster?: { leader?: string };
    account_details: { stream_detail: { name: string; config: { num_replicas: number } }[] }[];
  };
  const streams = account_details.flatMap(({ stream_detail }) => stream_detail);
  if (!meta_cluster?.leader || streams.length === 0) throw new Error(`the server on ${node.name} knows no leader or no stream: ${text}`);
  return { leader: meta_cluster.leader, copies: Object.fromEntries(streams.map(({ name, config }) => [name, config.num_replicas])) };
}
