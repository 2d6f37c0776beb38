import type { ServiceSpec, StackObjects } from '@hivekeep/compose';
import { describe, expect, it } from 'vitest';
import { CREATED_LABEL, EPOCH_LABEL, OWNER_LABEL, SECRET_DIGEST_LABEL, STACK_LABEL } from '../labels.ts';
import type { LiveNetwork, LiveObject, SwarmSnapshot } from '../live.ts';
import type { Step } from '../plan.ts';
import { liveService, spec } from '../testing/builders.ts';
import { intent, objects, record, releaseInput } from '../testing/release-input.ts';
import { planRelease } from './plan-release.ts';

const web = spec('shop_web');
const stamp = 'cd/c1/shop:release/shop';
const ours = { [STACK_LABEL]: 'shop' };
const network = (rest: Partial<LiveNetwork> = {}): LiveNetwork => ({
  id: 'n1',
  name: 'shop_default',
  driver: 'overlay',
  scope: 'swarm',
  attachable: false,
  internal: false,
  ingress: false,
  labels: ours,
  options: {},
  createdAt: 0,
  ...rest,
});
const object = (name: string, rest: Partial<LiveObject> = {}): LiveObject => ({
  id: `id-${name}`,
  name,
  version: 3,
  labels: ours,
  createdAt: 0,
  ...rest,
});
const summary = (steps: readonly Step[]): string[] => steps.map((step) => `${step.action} ${step.kind} ${step.name}`);
const rules = (plan: { refusals: readonly { rule?: string | undefined }[] }): (string | undefined)[] =>
  plan.refusals.map(({ rule }) => rule);

describe('the action of a release', () => {
  const declared = objects({ services: [web] });
  const live = { services: [liveService(web)] };
  const plan = (parts: Parameters<typeof releaseInput>[0]) =>
    planRelease(releaseInput({ objects: declared, live, records: [record()], ...parts }));
  const release = releaseInput().release;
  it.each<[string, Parameters<typeof releaseInput>[0], string, RegExp]>([
    ['no record', { records: [], live: {} }, 'install', /not installed/],
    ['an uninstalled record', { records: [record({ status: 'uninstalled' })] }, 'install', /not installed/],
    ['nothing of it on the swarm', { live: {} }, 'install', /none of its services/],
    ['an equal record', {}, 'unchanged', /^$/],
    ['a manifest that parses to the same', { release: { ...release, manifest: 'm1\n' } }, 'unchanged', /^$/],
    ['another manifest', { release: { ...release, manifest: 'm2' } }, 'upgrade', /manifest/],
    [
      'another chart version',
      { release: { ...release, chart: { ...release.chart, version: '2' } } },
      'upgrade',
      /chart version: 0.0.0 -> 2/,
    ],
    ['other files', { release: { ...release, files: { a: 'x' } } }, 'upgrade', /files/],
    ['other values', { release: { ...release, values: { a: { b: 1 } } } }, 'upgrade', /values/],
    [
      'values in another order',
      { records: [record({ values: { b: 1, a: 2 } })], release: { ...release, values: { a: 2, b: 1 } } },
      'unchanged',
      /^$/,
    ],
    ['B65 an application renamed', { records: [record({ owner: 'cd/c1/old:release/shop' })] }, 'upgrade', /owner/],
    ['a record nobody stamped', { records: [record({ owner: undefined })] }, 'unchanged', /^$/],
    ['another wave', { release: { ...release, wave: 3 } }, 'unchanged', /^$/],
  ])('%s: %s', (_, parts, action, reasons) => {
    const result = plan(parts);
    expect([result.action, result.reasons.join('; ')]).toEqual([action, expect.stringMatching(reasons)]);
    expect(result.refusals).toEqual([]);
    if (action === 'unchanged') expect(result.steps).toEqual([]);
  });

  it('finishes a revision that was begun and never recorded, or finds it equal and settles it', () => {
    const intents = [intent({ epoch: 6 })];
    const half = { services: [liveService({ ...web, Mode: { Replicated: { Replicas: 9 } } })] };
    expect(plan({ intents, live: half })).toMatchObject({
      action: 'upgrade',
      reasons: [expect.stringContaining('revision 2')],
      settles: ['hivekeep.intent.shop.v2'],
    });
    expect(plan({ intents })).toMatchObject({ action: 'unchanged', steps: [], settles: ['hivekeep.intent.shop.v2'] });
    expect(plan({ intents: [intent({ epoch: 8 })] }).settles).toBeUndefined();
  });

  it('writes an equal service again, as it is, while a hung write of a revision that was begun may still land over it', () => {
    const names = { services: ['shop_web'] };
    const running = liveService({ ...web, TaskTemplate: { ...web.TaskTemplate, ForceUpdate: 3 } }, { version: 10 });
    const hung = plan({ intents: [intent({ version: 11, names })], live: { services: [running] } });
    expect(hung).toMatchObject({ action: 'upgrade', settles: ['hivekeep.intent.shop.v2'] });
    expect(hung.steps).toEqual([
      expect.objectContaining({
        action: 'update',
        version: 10,
        restarts: false,
        spec: { ...running.spec, Labels: { ...web.Labels, [OWNER_LABEL]: stamp, [EPOCH_LABEL]: '7' } },
        reasons: [expect.stringContaining('revision 2 may still be under way')],
      }),
    ]);
    const settled = (parts: Parameters<typeof intent>[0], records = [record()]) => plan({ intents: [intent(parts)], records }).action;
    expect(settled({ version: 9, names })).toBe('unchanged');
    expect(settled({ version: 11 })).toBe('unchanged');
    expect(settled({ version: 11, names }, [record({ revision: 2 })])).toBe('unchanged');
  });

  it('leaves a job that a hung write may change: it would run again', () => {
    const job = spec('shop_web', {}, { Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } } });
    const intents = [intent({ version: 11, names: { services: ['shop_web'] } })];
    const parts = { objects: objects({ services: [job] }), live: { services: [liveService(job)] } };
    expect(plan({ ...parts, intents })).toMatchObject({ action: 'unchanged', steps: [] });
  });
});

describe('the writes of a release', () => {
  it('creates networks, secrets, configs, then services by wave and name, each with its owner and epoch', () => {
    const declared = objects({
      networks: [{ Name: 'shop_default', Labels: ours }],
      secrets: [{ Name: 'shop_key', Labels: ours }],
      configs: [{ Name: 'shop_site', Labels: ours, Data: 'eA==' }],
      services: [spec('shop_a'), spec('shop_c'), spec('shop_b')],
      waves: { shop_a: 1, shop_b: -1, shop_c: 1 },
    });
    const release = { ...releaseInput().release, secrets: [{ name: 'shop_key', digest: 'd1' }] };
    const plan = planRelease(releaseInput({ objects: declared, release, secretsAvailable: new Set(['shop_key']) }));
    expect(summary(plan.steps)).toEqual([
      'create network shop_default',
      'create secret shop_key',
      'create config shop_site',
      'create service shop_b',
      'create service shop_a',
      'create service shop_c',
    ]);
    for (const step of plan.steps) {
      const labels = 'spec' in step ? step.spec.Labels : {};
      expect(labels).toMatchObject({ [OWNER_LABEL]: stamp, [EPOCH_LABEL]: '7', [STACK_LABEL]: 'shop' });
    }
    expect(plan.steps[0]).toMatchObject({ spec: { Driver: 'overlay' } });
    expect(plan.steps[1]).toMatchObject({
      needsContent: true,
      spec: { Labels: { [SECRET_DIGEST_LABEL]: 'd1', [CREATED_LABEL]: expect.stringMatching(/^\d{4}-.*Z$/) } },
    });
    const service = plan.steps[3];
    expect(service?.kind === 'service' && service.spec.TaskTemplate).toEqual(spec('shop_b').TaskTemplate);
  });

  const update = (wanted: ServiceSpec, running: ServiceSpec) => {
    const plan = planRelease(
      releaseInput({
        objects: objects({ services: [wanted] }),
        live: { services: [liveService(running)] },
        records: [record({ manifest: 'm0' })],
      }),
    );
    expect(plan.refusals).toEqual([]);
    return plan.steps;
  };
  it('does not write a service that is equal, whoever owns it', () => {
    expect(update(web, web)).toEqual([]);
    expect(update(web, { ...web, Labels: { ...web.Labels, [OWNER_LABEL]: 'cd/c1/old:release/shop', [EPOCH_LABEL]: '1' } })).toEqual([]);
  });
  it('writes what differs over what runs: B17 its force counter, B16 its digest, the index it was planned from', () => {
    const digest = `app:1@sha256:${'c'.repeat(64)}`;
    const running = spec('shop_web', { Image: digest }, { template: { ForceUpdate: 4 } });
    const [step] = update(spec('shop_web', { Env: ['A=1'] }), running);
    expect(step).toMatchObject({ action: 'update', id: 'id-shop_web', version: 10, restarts: true, reasons: ['env'], liveSpec: running });
    expect(step).toMatchObject({
      spec: { TaskTemplate: { ForceUpdate: 4, ContainerSpec: { Image: digest, Env: ['A=1'] } }, Labels: { [OWNER_LABEL]: stamp } },
    });
  });
  it('B45 writes a count without a restart; B16 puts back an image that was changed by hand', () => {
    expect(update(spec('shop_web', {}, { Mode: { Replicated: { Replicas: 3 } } }), web)).toMatchObject([
      { reasons: ['mode'], restarts: false },
    ]);
    expect(update(web, spec('shop_web', { Image: `app:2@sha256:${'d'.repeat(64)}` }))).toMatchObject([
      { spec: { TaskTemplate: { ContainerSpec: { Image: 'app:1' } } } },
    ]);
  });
  it('B18 writes over a live service without a container', () => {
    expect(update(web, { ...web, TaskTemplate: {} })).toMatchObject([{ action: 'update' }]);
  });
  it('B41 refuses another mode', () => {
    const input = releaseInput({
      objects: objects({ services: [spec('shop_web', {}, { Mode: { Global: {} } })] }),
      live: { services: [liveService(web)] },
      records: [record({ manifest: 'm0' })],
    });
    expect(rules(planRelease(input))).toEqual(['plan/service-mode']);
  });
});

describe('objects that exist already', () => {
  const hash = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
  const plan = (declared: Partial<StackObjects>, live: Partial<SwarmSnapshot>, rest: Parameters<typeof releaseInput>[0] = {}) =>
    planRelease(releaseInput({ objects: objects(declared), live, ...rest }));
  const config = { configs: [{ Name: 'shop_site', Labels: ours, Data: 'eA==' }] };
  const secret = { secrets: [{ Name: 'shop_key', Labels: ours }] };
  const release = { ...releaseInput().release, secrets: [{ name: 'shop_key', digest: 'd1' }] };

  it('B21 leaves a network of the stack, warning of what differs', () => {
    expect(plan({ networks: [{ Name: 'shop_default' }] }, { networks: [network()] })).toMatchObject({
      steps: [],
      refusals: [],
      warnings: [],
    });
    const result = plan({ networks: [{ Name: 'shop_default', Attachable: true }] }, { networks: [network()] });
    expect(result).toMatchObject({ steps: [], warnings: [expect.stringContaining('attachable false, wanted true')] });
  });
  it('11.14 refuses a network name that is taken, saying what it is', () => {
    const result = plan(
      { networks: [{ Name: 'shop_default' }] },
      { networks: [network({ labels: {}, driver: 'bridge', scope: 'local' })] },
    );
    expect(result.refusals).toMatchObject([
      { rule: 'plan/network-taken', message: expect.stringContaining('a bridge network of scope local without a stack label') },
    ]);
  });
  it('B28 wants external networks, secrets and configs to exist', () => {
    const externals = { externals: { networks: ['shop_n', 'none', 'shop_l'], secrets: ['shop_s'], configs: ['shop_c'] } };
    const result = plan(externals, { networks: [network({ name: 'shop_l', scope: 'local' })] });
    expect(rules(result).sort()).toEqual([
      'plan/external-missing',
      'plan/external-missing',
      'plan/external-missing',
      'plan/external-scope',
    ]);
  });
  it('B19 uses a config with the same data and refuses other data', () => {
    expect(plan(config, { configs: [object('shop_site', { dataHash: hash })] })).toMatchObject({ steps: [], refusals: [] });
    expect(rules(plan(config, { configs: [object('shop_site', { dataHash: 'other' })] }))).toEqual(['plan/config-content']);
    expect(rules(plan(config, { configs: [object('shop_site', { dataHash: hash, templating: 'golang' })] }))).toEqual([
      'plan/config-content',
    ]);
  });
  it('B20 rewrites labels of its own object, keeping the created marker', () => {
    const live = object('shop_site', { dataHash: hash, labels: { ...ours, old: '1', [CREATED_LABEL]: 't', [OWNER_LABEL]: 'x' } });
    const [step] = plan(config, { configs: [live] }).steps;
    expect(step).toMatchObject({ action: 'relabel', id: 'id-shop_site', version: 3 });
    expect(step?.action === 'relabel' && step.labels).toEqual({ ...ours, [CREATED_LABEL]: 't', [OWNER_LABEL]: stamp, [EPOCH_LABEL]: '7' });
  });
  it('11.22 never relabels what is not its own: uses it when allowed, else refuses', () => {
    const live = { configs: [object('shop_site', { dataHash: hash, labels: { [STACK_LABEL]: 'blog' } })] };
    expect(rules(plan(config, live))).toContain('plan/object-taken');
    expect(plan(config, live, { allow: { configs: ['shop_site'] } })).toMatchObject({
      steps: [],
      refusals: [],
      warnings: [expect.stringContaining('of the stack blog')],
    });
    const byHand = { configs: [object('shop_site', { dataHash: hash, labels: {} })] };
    expect(plan(config, byHand)).toMatchObject({ steps: [], refusals: [], warnings: [expect.stringContaining('made by hand')] });
  });
  it('compares secrets by their digest label alone', () => {
    const live = (digest?: string) => ({
      secrets: [object('shop_key', { labels: { ...ours, ...(digest && { [SECRET_DIGEST_LABEL]: digest }) } })],
    });
    expect(plan(secret, live('d1'), { release })).toMatchObject({ steps: [], refusals: [], warnings: [] });
    expect(rules(plan(secret, live('d2'), { release }))).toEqual(['plan/secret-content']);
    expect(plan(secret, live(), { release })).toMatchObject({
      steps: [],
      refusals: [],
      warnings: [expect.stringContaining('cannot be read back')],
    });
    expect(rules(plan(secret, {}, { release }))).toEqual(['plan/secret-missing']);
  });
});

describe('whose a stack is', () => {
  const running = (labels: Record<string, string> = {}) => ({ services: [liveService({ ...web, Labels: { ...web.Labels, ...labels } })] });
  const plan = (parts: Parameters<typeof releaseInput>[0]) =>
    rules(planRelease(releaseInput({ objects: objects({ services: [web] }), live: running(), ...parts })));
  const changed = (owner: string | undefined) => [record({ manifest: 'm0', owner })];
  it.each<[string, Parameters<typeof releaseInput>[0], string[]]>([
    ['B14 services nobody recorded', {}, ['policy/foreign-stack']],
    ['B14 a record by another tool', { records: changed('apply/x:release/shop') }, []],
    ['an intent of ours', { intents: [intent()] }, []],
    ['an intent of another controller', { intents: [intent({ owner: 'cd/c2/shop:release/shop' })] }, ['policy/foreign-stack']],
    ['our owner label', { live: running({ [OWNER_LABEL]: stamp }) }, []],
    ['a copied owner label', { live: running({ [OWNER_LABEL]: 'cd/c1/shop:release/blog' }) }, ['policy/foreign-stack']],
    [
      'a living controller',
      { records: changed('cd/c2/shop:release/shop'), others: { living: new Set(['c2']), takeOver: true } },
      ['policy/other-controller'],
    ],
    ['a dead controller', { records: changed('cd/c2/shop:release/shop') }, ['policy/other-controller']],
    ['a dead controller taken over', { records: changed('cd/c2/shop:release/shop'), others: { living: new Set(), takeOver: true } }, []],
    [
      'services of a living controller without a record',
      { live: running({ [OWNER_LABEL]: 'cd/c2/a:release/shop' }), others: { living: new Set(['c2']), takeOver: true } },
      ['policy/other-controller', 'policy/foreign-stack'],
    ],
    [
      'a service of that name in another stack',
      { records: changed(stamp), live: { services: [liveService({ ...web, Labels: { [STACK_LABEL]: 'blog' } })] } },
      ['plan/service-taken'],
    ],
  ])('%s', (_, parts, expected) => {
    expect(plan(parts)).toEqual(expected);
  });
});
