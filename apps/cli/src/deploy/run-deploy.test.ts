import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeEngine } from '@hivekeep/swarm/testing';
import { tempDir } from '@hivekeep/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { initFolder } from './init-folder.ts';
import { check } from './run-deploy.ts';

const DAY_MS = 86_400_000;

test('deploy check reads the overlays that the swarm uses, and warns of certificates that end soon', async () => {
  await using dir = await tempDir();
  await using engine = await FakeEngine.start();
  const made = new Date(Date.now() - (825 - 30) * DAY_MS);
  await initFolder({
    path: dir.path,
    given: { image: 'hivekeep:1', appsetRepo: 'https://git.test/set.git', gatewayNames: ['hive.test'] },
    now: made,
  });
  const checked = async () => {
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    const ok = await check(dir.path, { dockerHost: `unix://${engine.socket}` });
    const text = written.mock.calls.join('');
    written.mockRestore();
    return { ok, text };
  };

  const before = await checked();
  expect(before.ok).toBe(false);
  expect(before.text).toMatch(/^WARNING {2}nats\.crt ends on /m);
  expect(before.text).toMatch(/^WARNING {2}gateway\.crt ends on /m);
  expect(before.text).toMatch(/^MISSING {2}service hivekeep_gateway is not there/m);
  expect(before.text).not.toMatch(/gateway-key|ca\.crt/);

  const { configs } = parse(await readFile(join(dir.path, 'gateway.yml'), 'utf8')) as { configs: Record<string, { name: string }> };
  const swarm = engine.client(1_000);
  onTestFinished(() => swarm.close());
  const labels = { 'com.docker.stack.namespace': 'hivekeep' };
  await swarm.createConfig({ Name: configs['gateway-crt']?.name ?? '', Labels: labels, Data: 'YQ==' });
  const { text } = await checked();
  expect(text).toMatch(/^MISSING {2}hivekeep-gateway-key-\w+ is not on the swarm\n.*-c stack\.yml -c gateway\.yml hivekeep$/m);
});
