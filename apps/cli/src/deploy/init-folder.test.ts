import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempDir } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { initFolder } from './init-folder.ts';

const NOW = new Date('2026-06-01T00:00:00Z');
const LATER = new Date('2028-03-01T00:00:00Z');
const GIVEN = { image: 'hivekeep:1', appsetRepo: 'https://git.test/set.git', gatewayNames: ['hive.test'] };

interface Stack {
  services: Record<
    string,
    { ports?: unknown; secrets?: { source: string }[]; volumes?: unknown[]; user?: string; deploy?: { endpoint_mode?: string } }
  >;
  secrets: Record<string, { file: string; name: string }>;
}

describe('the folder of an installation', () => {
  const read = async (dir: string, name: string) => readFile(join(dir, name), 'utf8');
  const stack = async (dir: string, name = 'stack.yml') => parse(await read(dir, name)) as Stack;

  test('made twice it is the same; what is told later changes only what depends on it', async () => {
    await using dir = await tempDir();
    const first = await initFolder({ path: dir.path, given: GIVEN, now: NOW });
    expect(first.written).toContain('stack.yml');
    expect((await initFolder({ path: dir.path, given: {}, now: NOW })).written).toEqual([]);
    expect((await initFolder({ path: dir.path, given: { prune: true }, now: NOW })).written).toEqual(['answers.json', 'stack.yml']);
  });

  test('a secret that is there is never replaced, whatever is asked for', async () => {
    await using dir = await tempDir();
    await initFolder({ path: dir.path, given: GIVEN, now: NOW });
    await writeFile(join(dir.path, 'secrets/admin-token'), 'chosen by a person');
    const names = await readdir(join(dir.path, 'secrets'));
    const before = await Promise.all(names.map((name) => read(dir.path, `secrets/${name}`)));
    await initFolder({ path: dir.path, given: { image: 'hivekeep:2', swarm: 'main', controllerId: 'x' }, now: NOW });
    expect(await Promise.all(names.map((name) => read(dir.path, `secrets/${name}`)))).toEqual(before);
  });

  test('another content has another name on the swarm, which does not tell the content', async () => {
    await using dir = await tempDir();
    await using other = await tempDir();
    for (const { path } of [dir, other]) await initFolder({ path, given: GIVEN, gitToken: 'weak', now: NOW });
    const name = async (path: string) => (await stack(path)).secrets['git-token']?.name;
    expect(await name(dir.path)).toMatch(/^hivekeep-git-token-[0-9a-f]{12}$/);
    expect(await name(dir.path)).not.toBe(await name(other.path));
    const before = await name(dir.path);
    await initFolder({ path: dir.path, given: {}, gitToken: 'other', now: NOW });
    expect(await name(dir.path)).not.toBe(before);
  });

  test('secrets are files for their owner, and stand in no other file', async () => {
    await using dir = await tempDir();
    await initFolder({ path: dir.path, given: { ...GIVEN, swarms: ['berlin'], hubNames: ['hub.test'] }, gitToken: 'canary-71', now: NOW });
    const names = await readdir(join(dir.path, 'secrets'));
    const secrets = await Promise.all(names.map((name) => read(dir.path, `secrets/${name}`)));
    for (const name of names) expect((await stat(join(dir.path, 'secrets', name))).mode & 0o777, name).toBe(0o600);
    for (const file of ['stack.yml', 'gateway.yml', 'hub.yml', 'nats.conf', 'answers.json', 'swarms/berlin/stack.yml']) {
      const text = await read(dir.path, file);
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  });

  test('certificates are for the names that were told, signed by the own authority, and renewed in time', async () => {
    await using dir = await tempDir();
    await initFolder({ path: dir.path, given: GIVEN, now: NOW });
    const authority = new X509Certificate(await read(dir.path, 'ca.crt'));
    const gateway = async () => new X509Certificate(await read(dir.path, 'gateway.crt'));
    const first = await gateway();
    expect(first.checkIssued(authority) && first.verify(authority.publicKey)).toBe(true);
    expect(first.checkHost('hive.test')).toBe('hive.test');
    await initFolder({ path: dir.path, given: { gatewayNames: ['hive.test', '10.0.0.7'] }, now: NOW });
    const second = await gateway();
    expect(second.checkIP('10.0.0.7')).toBe('10.0.0.7');
    await initFolder({ path: dir.path, given: {}, now: NOW });
    expect((await gateway()).serialNumber).toBe(second.serialNumber);
    await initFolder({ path: dir.path, given: {}, now: LATER });
    expect((await gateway()).serialNumber).not.toBe(second.serialNumber);
    expect(new X509Certificate(await read(dir.path, 'nats.crt')).checkHost('nats')).toBe('nats');
  });

  test('publishes nothing, keeps the engine and the secrets from who does not need them', async () => {
    await using dir = await tempDir();
    await initFolder({ path: dir.path, given: GIVEN, now: NOW });
    const { services } = await stack(dir.path);
    const withSocket = Object.keys(services).filter((name) =>
      services[name]?.volumes?.some((volume) => JSON.stringify(volume).includes('docker.sock')),
    );
    expect(withSocket).toEqual(['reconciler', 'node-agent']);
    const secretsOf = (name: string) => services[name]?.secrets?.map(({ source }) => source);
    expect(secretsOf('node-agent')).toEqual(['seed-node-agent-default']);
    expect(secretsOf('gateway')).toEqual(['seed-gateway', 'admin-token']);
    for (const service of Object.values(services)) expect([service.ports, service.deploy?.endpoint_mode]).toEqual([undefined, 'dnsrr']);
    expect(services.source?.user).toBe('65532');
  });

  test('another swarm gets a folder of its own with its own users alone', async () => {
    await using dir = await tempDir();
    await initFolder({ path: dir.path, given: { ...GIVEN, swarms: ['berlin'], hubNames: ['hub.test'] }, now: NOW });
    expect(await readdir(join(dir.path, 'swarms/berlin/secrets'))).toEqual(['seed-node-agent-berlin', 'seed-reconciler-berlin']);
    const { services } = await stack(dir.path, 'swarms/berlin/stack.yml');
    expect(Object.keys(services)).toEqual(['reconciler', 'node-agent']);
    expect(await read(dir.path, 'nats.conf')).toContain('# reconciler-berlin');
  });

  test.each([
    [{ appsetRepo: 'https://git.test/set.git' }, /cannot be used/],
    [{ image: 'hivekeep:1' }, /expected an app set/],
    [{ ...GIVEN, pruneVolumes: true }, /cannot be used/],
    [{ ...GIVEN, swarms: ['berlin'] }, /--hub-name/],
  ])('answers that do not fit are refused: %o', async (given, message) => {
    await using dir = await tempDir();
    await expect(initFolder({ path: dir.path, given, now: NOW })).rejects.toMatchObject({
      code: 'usage/invalid',
      message: expect.stringMatching(message),
    });
  });
});
