import { labels } from '@hivekeep/application';
import type { SweepItem } from '@hivekeep/contracts';
import { eventually, type LabNode, testImage, useLab } from '@hivekeep/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, installation, settled } from './support/installation.ts';

const SERVICES = ['gateway', 'nats', 'node-agent', 'reconciler', 'source'];

/** A small service on every node with a volume there. */
const everywhere = (text: string) =>
  JSON.stringify({
    services: {
      web: {
        image: testImage,
        command: ['sleep', '100000'],
        init: true,
        stop_grace_period: '1s',
        environment: { TEXT: text },
        configs: [{ source: 'page', target: '/page' }],
        volumes: ['data:/data'],
        deploy: { mode: 'global' },
      },
    },
    configs: { page: { file: './page.txt' } },
    volumes: { data: {} },
  });
const replicated = (replicas: number) =>
  JSON.stringify({
    services: { web: { image: testImage, command: ['sleep', '100000'], init: true, stop_grace_period: '1s', deploy: { replicas } } },
  });

/** The tests build on each other: what one installs, the next changes. */
describe('the services as a stack on three managers and two workers', () => {
  let hive: Installation;
  const nodes = () => hive.lab.nodes;
  const engine = () => hive.lab.node(1).docker;
  const volumesOf = async (release: string, on: readonly LabNode[] = nodes()) => {
    const found = await Promise.all(
      on.map(async ({ docker, name }) => {
        const { Volumes: volumes } = await docker.listVolumes({ filters: { label: [`com.docker.stack.namespace=${release}`] } });
        return volumes.map((volume) => `${name}/${volume.Name}`);
      }),
    );
    return found.flat().sort();
  };
  const recordsOf = async (release: string) => {
    const configs = await engine().listConfigs({ filters: { label: [`${labels.record.release}=${release}`] } });
    return configs.map(({ Spec }) => Spec?.Name ?? '').sort();
  };
  const gone = (release: string, timeoutMs = 90_000) =>
    eventually(
      async () => {
        const services = await engine().listServices({ filters: { label: [`com.docker.stack.namespace=${release}`] } });
        const left = [services.length, await volumesOf(release), await recordsOf(release)];
        if (JSON.stringify(left) !== '[0,[],[]]')
          throw new Error(`${JSON.stringify(left)} is left; prune says ${JSON.stringify(await hive.prune())}`);
      },
      { timeoutMs, intervalMs: 500 },
    );
  const sweep = (release: string, is: (item: SweepItem) => boolean, timeoutMs = 60_000) =>
    eventually(
      async () => {
        const { items } = await hive.prune();
        const item = items.find((one) => one.release === release);
        if (item && is(item)) return item;
        throw new Error(`prune says ${JSON.stringify(items)}`);
      },
      { timeoutMs, intervalMs: 500 },
    );
  const covered = (count: number) =>
    eventually(
      async () => {
        const { state, view } = await hive.swarm();
        const found = view?.nodes.filter((node) => node.covered).length;
        if (state !== 'ok' || found !== count) throw new Error(`${state}: ${JSON.stringify(view?.nodes)}`);
      },
      { timeoutMs: 90_000, intervalMs: 500 },
    );

  beforeAll(async () => {
    hive = await installation(await useLab({ nodes: 5, managers: 3 }));
  });
  afterAll(() => hive?.[Symbol.asyncDispose]());

  test('deploy check says what is missing, and after the deployment that nothing is', async () => {
    const before = await hive.hivekeep('deploy', 'check', hive.folder);
    expect(before.code).toBe(1);
    expect(before.text).toMatch(/MISSING {2}expected 1 node with the label hivekeep.nats=true, found none/);
    expect(before.text).toMatch(/MISSING {2}service hivekeep_reconciler is not there/);

    await hive.docker(1, 'node', 'update', '--label-add', 'hivekeep.nats=true', 'node1');
    await hive.deploy();
    await eventually(async () => expect(await hive.hivekeep('deploy', 'check', hive.folder)).toMatchObject({ code: 0 }), {
      timeoutMs: 120_000,
      intervalMs: 2_000,
    });
    await covered(5);
  });

  test('one commit deploys; the next rolls out; a change by hand is reported; what leaves is gone with its volumes on every node', async () => {
    const first = await hive.declare(['shop', 'notes'], {
      'shop.yaml': replicated(2),
      'notes.yaml': everywhere('one'),
      'page.txt': 'hello',
    });
    await settled(hive, 'shop', first);
    await settled(hive, 'notes', first);
    const next = await hive.declare(['shop', 'notes'], { 'notes.yaml': everywhere('two') });
    await settled(hive, 'notes', next);
    expect(await volumesOf('notes')).toEqual(nodes().map(({ name }) => `${name}/notes_data`));

    await hive.docker(1, 'service', 'scale', '--detach', 'shop_web=4');
    await eventually(async () => expect((await hive.application('shop')).status.drift?.state).toBe('detected'), { timeoutMs: 30_000 });

    await hive.declare(['shop']);
    await gone('notes');
    expect(await hive.docker(1, 'service', 'inspect', '--format', '{{.Spec.Mode.Replicated.Replicas}}', 'shop_web')).toBe('4\n');
  });

  test('every service tells its health and its numbers, without a secret', async () => {
    const said = await Promise.all(nodes().map((node) => metricsOn(hive, node)));
    const byService = Object.assign({}, ...said) as Record<string, string>;
    expect(Object.keys(byService).sort()).toEqual(SERVICES.filter((name) => name !== 'nats'));
    for (const text of Object.values(byService)) expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(byService.source).toMatch(/^hivekeep_builds_total\{outcome="ok"\} [1-9]/m);
    expect(byService['node-agent']).toMatch(/^hivekeep_calls_answered_total\{call="node-agent.stack-volumes",outcome="ok"\} [1-9]/m);
    expect(byService.gateway).toMatch(
      /^hivekeep_http_requests_total\{method="GET",route="\/api\/v1\/applications\/:app",status="200"\} [1-9]/m,
    );
  });

  test('a sweep that cannot reach every node says which and why, keeps the record, and ends when they are back', async () => {
    await hive.declare(['shop', 'vault'], { 'vault.yaml': everywhere('one') });
    await settled(hive, 'vault');
    const [, , silent, drained, cut] = nodes() as [LabNode, LabNode, LabNode, LabNode, LabNode];
    const agent = await agentOn(silent);
    await silent.docker.getContainer(agent).pause();
    await hive.docker(1, 'node', 'update', '--availability', 'drain', drained.name);
    await cut.cut();
    const reasons = async () => Object.fromEntries((await hive.swarm()).view?.nodes.map((node) => [node.hostname, node.reason]) ?? []);
    await eventually(
      async () =>
        expect(await reasons()).toEqual({ node1: undefined, node2: undefined, node3: 'no agent', node4: 'drained', node5: 'down' }),
      { timeoutMs: 60_000 },
    );

    await hive.declare(['shop']);
    const item = await sweep('vault', ({ uncovered }) => uncovered.length === 3);
    expect(Object.fromEntries(item.uncovered.map(({ hostname, reason }) => [hostname, reason]))).toEqual({
      node3: 'no agent',
      node4: 'drained',
      node5: 'down',
    });
    await eventually(async () => expect(await volumesOf('vault', nodes().slice(0, 2))).toEqual([]), { timeoutMs: 30_000 });
    expect(await recordsOf('vault')).not.toEqual([]);

    await silent.docker.getContainer(agent).unpause();
    await hive.docker(1, 'node', 'update', '--availability', 'active', drained.name);
    await cut.heal();
    await gone('vault', 120_000);
    await covered(5);
  });

  test('a node that was removed and came back as another keeps the record until it is forgotten', async () => {
    await hive.declare(['shop', 'vault']);
    await settled(hive, 'vault');
    const replaced = hive.lab.node(5);
    const { Swarm: before } = await replaced.docker.info();
    await hive.docker(5, 'swarm', 'leave', '--force');
    await eventually(
      async () => expect(await hive.docker(1, 'node', 'inspect', '--format', '{{.Status.State}}', before.NodeID)).toBe('down\n'),
      { timeoutMs: 30_000 },
    );
    await hive.docker(1, 'node', 'rm', before.NodeID);
    await hive.lab.restore();
    await covered(5);

    await hive.declare(['shop']);
    const item = await sweep('vault', ({ uncovered, state }) => uncovered.length === 1 && state !== 'stack');
    expect(item.uncovered).toEqual([expect.objectContaining({ node: before.NodeID, reason: 'left' })]);
    await eventually(async () => expect(await volumesOf('vault')).toEqual([]), { timeoutMs: 60_000 });
    expect(await recordsOf('vault')).not.toEqual([]);

    await hive.post('/prune/forget-node', { node: before.NodeID });
    await gone('vault');
  });
});

/** The container of our agent on a node. */
async function agentOn(node: LabNode): Promise<string> {
  const [container] = await node.docker.listContainers({ filters: { label: ['com.docker.swarm.service.name=hivekeep_node-agent'] } });
  if (!container) throw new Error(`${node.name} runs no agent`);
  return container.Id;
}

/** What the services on a node answer at `/metrics`, by service. */
async function metricsOn(hive: Installation, node: LabNode): Promise<Record<string, string>> {
  const containers = await node.docker.listContainers({ filters: { label: ['com.docker.stack.namespace=hivekeep'] } });
  const texts: Record<string, string> = {};
  for (const { Id, Labels } of containers) {
    const service = (Labels['com.docker.swarm.service.name'] ?? '').replace('hivekeep_', '');
    if (service === 'nats') continue;
    texts[service] = await hive.docker(node.index, 'exec', Id, 'wget', '-q', '-O-', 'http://127.0.0.1:9464/metrics');
    await hive.docker(node.index, 'exec', Id, 'hivekeep', 'healthcheck', '--server', 'http://127.0.0.1:9464');
  }
  return texts;
}
