import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CapabilityName, capabilitiesOf, capabilityRules } from '@hivekeep/swarm';
import { withoutCapability } from '@hivekeep/swarm/testing';
import { aSpec, tempDir } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import type { ApplicationPlan } from './passes/application-plan.ts';
import { observeApplication } from './passes/observe-application.ts';
import { departedRelease, type EngineUnderTest, engineUnderTest, wantedApplication } from './testing/engine-under-test.ts';

const signal = new AbortController().signal;
const stackLabel = 'com.docker.stack.namespace';
const SHOP = aSpec({ name: 'shop', driftDetection: 'live', syncPolicy: { automated: true, historyMax: 1 } });

/** A release with a config whose name follows its content, as it is in its n-th version. */
function shop(version: number) {
  const name = `shop_c-00000000000${version}`;
  const web = `web: {image: nginx, configs: [{source: c, target: /c}], volumes: ["data:/data"]}`;
  const manifest = `services: {${web}}\nconfigs: {c: {name: ${name}}}\nvolumes: {data: {}}\n`;
  return wantedApplication(SHOP, manifest, { files: { [name]: Buffer.from(`${version}`).toString('base64') } });
}

const rules = ({ releases }: ApplicationPlan): string =>
  [...new Set(releases.flatMap(({ plan }) => plan.refusals.map(({ rule }) => rule)))].join();

async function apply({ engine }: EngineUnderTest, wanted: ReturnType<typeof shop>): Promise<string> {
  const plan = await engine.planApply(wanted);
  if (rules(plan) !== '') return rules(plan);
  await engine.apply({ plan, mayBegin: () => true, signal });
  return '';
}

/** What becomes of an object that no kept record names any more. */
async function upgrade(test: EngineUnderTest): Promise<string> {
  for (const version of [1, 2]) expect(await apply(test, shop(version))).toBe('');
  const stays = test.daemon.objects('configs').some(({ Spec }) => Spec.Name === 'shop_c-000000000001');
  if (!stays) return 'removed';
  return test.warnings.some((warning) => warning.includes('shop_c-000000000001')) ? 'reported' : 'unnoticed';
}

async function observe({ engine, backend, daemon }: EngineUnderTest) {
  const Target = daemon.add('networks', { Name: 'other', Labels: {} });
  const [service] = daemon.objects('services').filter(({ Spec }) => Spec.Name === 'shop_web');
  if (service) Object.assign(service.Spec, { Mode: { Replicated: { Replicas: 3 } } });
  const template: object = Reflect.get(service?.Spec ?? {}, 'TaskTemplate');
  Reflect.set(template, 'Networks', [{ Target }]);
  const plan = await engine.planApply(shop(2));
  const { world } = plan;
  const status = observeApplication({ plan, world, backend, lastSync: undefined, hold: undefined, apiVersion: '1.41', now: Date.now() });
  return { health: status.health.state, drift: status.drift?.state, fields: JSON.stringify(status.releases), status };
}

async function writeBetween(test: EngineUnderTest): Promise<string> {
  test.daemon.behave = ({ method, path }) => {
    if (method === 'POST' && path.startsWith('/services/') && path.endsWith('/update'))
      test.daemon.relabel('services', 'shop_web', (labels) => ({ ...labels, by: 'hand' }));
    return 'pass';
  };
  await expect(apply(test, shop(3))).rejects.toMatchObject({ code: 'swarm/conflict' });
  test.daemon.behave = () => 'pass';
  await test.told();
  return test.events.includes('out-of-band-write shop') ? 'reported' : 'not reported';
}

async function pull(test: EngineUnderTest): Promise<string> {
  const spec = aSpec({ name: 'private', registryAuth: 'reg' });
  const refused = await apply(test, wantedApplication(spec, 'services: {web: {image: "reg.test/web"}}'));
  if (refused !== '') return refused;
  const created = test.daemon.calls.find(({ path, body }) => path === '/services/create' && body.includes('private_web'));
  return created?.headers['x-registry-auth'] ? 'with credentials' : 'anonymous';
}

/** How each ability shows on a swarm whose backend lacks one of them. */
async function features(missing: CapabilityName | undefined, registryAuthDir: string) {
  await using test = await engineUnderTest({
    narrow: (backend) => (missing ? withoutCapability(backend, missing) : backend),
    registryAuthDir,
  });
  const { engine, daemon } = test;
  daemon.volumes = [{ Name: 'shop_data', Labels: { [stackLabel]: 'shop' } }];
  daemon.add('configs', { Name: 'outside', Labels: {}, Data: 'eA==' });
  daemon.add('services', { Name: 'blog_stranger', Labels: { [stackLabel]: 'blog' }, ...{ TaskTemplate: {} } });
  const planned = async (spec: Parameters<typeof wantedApplication>[0], manifest: string) =>
    rules(await engine.planApply(wantedApplication(spec, manifest)));
  const external = 'services: {web: {image: nginx, configs: [outside]}}\nconfigs: {outside: {external: true}}\n';
  const secret = (name: string) => `services: {web: {image: nginx, secrets: [key]}}\nsecrets: {key: {external: true, name: ${name}}}\n`;
  daemon.add('secrets', { Name: 'vault_key', Labels: {} });
  daemon.add('secrets', { Name: 'own-secret', Labels: {} });
  const dropped = await upgrade(test);
  const { health, drift, fields, status } = await observe(test);
  return {
    shown: (status.missingCapabilities ?? []).map(({ capability }) => capability).join(),
    seen: {
      LiveDrift: drift,
      NetworkNamer: fields.includes('networks') ? 'compared' : 'not compared',
      StackServicesReader: health === 'unknown' ? 'unknown' : 'known',
      dropped,
      OutOfBand: await writeBetween(test),
      StacksReader: await planned(aSpec({ name: 'blog' }), 'services: {web: {image: nginx}}'),
      AllowedReferences: await planned(aSpec({ name: 'linked', allow: { configs: ['outside'] } }), external),
      ForbidSecrets: await planned(aSpec({ name: 'vault' }), secret('vault_key')),
      ownSecret: await planned(aSpec({ name: 'thief', allow: { secrets: ['own-secret'] } }), secret('own-secret')),
      RegistryAuth: await pull(test),
      SwarmSizer: (await engine.uninstall({ ...departedRelease('shop', true), signal })).action,
    },
  };
}

const WHOLE = {
  LiveDrift: 'detected',
  NetworkNamer: 'compared',
  StackServicesReader: 'known',
  dropped: 'removed',
  OutOfBand: 'reported',
  StacksReader: 'policy/foreign-stack',
  AllowedReferences: '',
  ForbidSecrets: '',
  ownSecret: 'policy/own-object',
  RegistryAuth: 'with credentials',
  SwarmSizer: 'done',
};

/** What is lost without each, and nothing else. */
const LOST: Record<CapabilityName, Partial<typeof WHOLE>> = {
  LiveDrift: { LiveDrift: 'unknown', NetworkNamer: 'not compared' },
  DeclaredLister: { dropped: 'unnoticed' },
  ResourceLister: { dropped: 'unnoticed' },
  ResourceRemover: { dropped: 'reported' },
  NetworkNamer: { NetworkNamer: 'not compared' },
  StackServicesReader: { StackServicesReader: 'unknown' },
  StacksReader: { StacksReader: '' },
  SwarmSizer: { SwarmSizer: 'hold' },
  RegistryAuth: { RegistryAuth: 'capability/RegistryAuth' },
  AllowedReferences: { AllowedReferences: 'policy/foreign-object' },
  ForbidSecrets: { ForbidSecrets: 'capability/ForbidSecrets', ownSecret: 'policy/own-object,capability/ForbidSecrets' },
  OutOfBand: { OutOfBand: 'not reported' },
};

const names = Object.keys(capabilityRules) as CapabilityName[];

it.concurrent.each([...names, 'nothing' as const])('a backend that lacks %s loses that one feature, and says so', async (lacks) => {
  const missing = lacks === 'nothing' ? undefined : lacks;
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'reg'), JSON.stringify({ auths: { 'reg.test': { auth: Buffer.from('u:p').toString('base64') } } }));
  const { seen, shown } = await features(missing, dir.path);
  expect(seen).toEqual({ ...WHOLE, ...(missing && LOST[missing]) });
  expect(shown).toBe(missing ?? '');
});

it('names what each missing ability costs', () => {
  const bare = { target: { swarm: 'here' }, snapshot: () => Promise.reject(new Error('not asked')) };
  for (const { name, present, costs } of capabilitiesOf(bare))
    expect([name, present, costs]).toEqual([name, false, capabilityRules[name].costs]);
});
