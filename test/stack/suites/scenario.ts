import { eventually, type LabNode } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import type { Installation } from '../support/installation.ts';
import { containersOf, covered, gone, settled, volumesOf } from '../support/observe.ts';
import { everywhere, replicated } from '../support/stacks.ts';

const OWN_SERVICES = ['gateway', 'node-agent', 'reconciler', 'source'];

/** From nothing to a stack that does its job. */
export function scenario(hive: () => Installation): void {
  test('deploy check says what is missing, and after the deployment that nothing is', async () => {
    const { hivekeep, folder, docker, deploy } = hive();
    const before = await hivekeep('deploy', 'check', folder);
    expect(before.code).toBe(1);
    expect(before.text).toMatch(/MISSING {2}expected 1 node with the label hivekeep.nats=true, found none/);
    expect(before.text).toMatch(/MISSING {2}service hivekeep_reconciler is not there/);

    await docker(1, 'node', 'update', '--label-add', 'hivekeep.nats=true', 'node1');
    await deploy();
    await eventually(async () => expect(await hivekeep('deploy', 'check', folder)).toMatchObject({ code: 0 }), {
      timeoutMs: 120_000,
      intervalMs: 2_000,
    });
    await covered(hive(), 5);
  });

  test('a commit deploys; the next rolls out; a change by hand is reported; what leaves is gone with its volumes on every node', async () => {
    const { declare, application, docker, lab } = hive();
    const files = { 'shop.yaml': replicated(2), 'notes.yaml': everywhere('one'), 'page.txt': 'hello' };
    const first = await declare(['shop', 'notes'], files);
    await settled(hive(), 'shop', first);
    await settled(hive(), 'notes', first);
    const next = await declare(['shop', 'notes'], { 'notes.yaml': everywhere('two') });
    await settled(hive(), 'notes', next);
    expect(await volumesOf(lab.nodes, 'notes')).toEqual(lab.nodes.map(({ name }) => `${name}/notes_data`));

    await docker(1, 'service', 'scale', '--detach', 'shop_web=4');
    await declare(['shop']);
    await eventually(async () => expect((await application('shop')).status.drift?.state).toBe('detected'), { timeoutMs: 90_000 });
    await gone(hive(), 'notes');
    expect(await docker(1, 'service', 'inspect', '--format', '{{.Spec.Mode.Replicated.Replicas}}', 'shop_web')).toBe('4\n');
    await docker(1, 'service', 'scale', '--detach', 'shop_web=2');
  });

  test('every service tells its health and its numbers', async () => {
    const said = await Promise.all(hive().lab.nodes.map((node) => metricsOn(hive(), node)));
    const byService = Object.assign({}, ...said) as Record<string, string>;
    expect(Object.keys(byService).sort()).toEqual(OWN_SERVICES);
    for (const text of Object.values(byService)) expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(byService['node-agent']).toMatch(/^hivekeep_calls_answered_total\{call="node-agent.stack-volumes",outcome="ok"\} [1-9]/m);
  });
}

/** What the services on a node answer at `/metrics`, by service; each must be well. */
async function metricsOn({ docker }: Installation, node: LabNode): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const service of OWN_SERVICES)
    for (const container of await containersOf(node, service)) {
      texts[service] = await docker(node.index, 'exec', container, 'wget', '-q', '-O-', 'http://127.0.0.1:9464/metrics');
      await docker(node.index, 'exec', container, 'hivekeep', 'healthcheck', '--server', 'http://127.0.0.1:9464');
    }
  return texts;
}
