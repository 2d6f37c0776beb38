import { eventually } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { type Installation, NATS_NODE } from '../support/installation.ts';
import { metricsOf, OWN_SERVICES } from '../support/metrics.ts';
import { containersOf, covered, gone, settled, volumesOf } from '../support/observe.ts';
import { everywhere, replicated } from '../support/stacks.ts';

/** From nothing to a stack that does its job. */
export function scenario(hive: () => Installation): void {
  test('deploy check says what is missing, and after the deployment that nothing is', async () => {
    const { hivekeep, folder, docker, deploy } = hive();
    const before = await hivekeep('deploy', 'check', folder);
    expect(before.code).toBe(1);
    expect(before.text).toMatch(/MISSING {2}expected 1 node with the label hivekeep.nats=true, found none/);
    expect(before.text).toMatch(/MISSING {2}service hivekeep_reconciler is not there/);

    await docker(1, 'node', 'update', '--label-add', 'hivekeep.nats=true', `node${NATS_NODE}`);
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
    const { docker, lab } = hive();
    for (const service of OWN_SERVICES) {
      const texts = await metricsOf(hive(), service);
      expect(texts.length, service).toBe(service === 'node-agent' ? 5 : 2);
      for (const text of texts) expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
      for (const node of lab.nodes)
        for (const container of await containersOf(node, service))
          await docker(node, 'exec', container, 'hivekeep', 'healthcheck', '--server', 'http://127.0.0.1:9464');
    }
    const [agent = ''] = await metricsOf(hive(), 'node-agent');
    expect(agent).toMatch(/^hivekeep_calls_answered_total\{call="node-agent.stack-volumes",outcome="ok"\} [1-9]/m);
  });
}
