import type { ReleaseArtifact } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { EPOCH_LABEL, OWNER_LABEL } from '../labels.ts';
import { spec } from '../testing/builders.ts';
import { objects, record, releaseInput } from '../testing/release-input.ts';
import { planRelease } from './plan-release.ts';
import type { RecordedRelease, ReleaseInput } from './release-input.ts';

const compose = releaseInput().release;
const chart: ReleaseArtifact = { ...compose, chart: { name: 'web', version: '1.0.0', ref: 'main/web' }, values: { a: 1 } };
const declared = objects({ services: [spec('shop_web')], externals: { networks: ['edge'], secrets: [], configs: [] } });
const edge = { name: 'edge', driver: 'overlay', attachable: true, autoCreate: true };
const requiring = (network: Partial<typeof edge> & { description?: string }): ReleaseArtifact => ({
  ...chart,
  requirements: { networks: [{ ...edge, ...network }], secrets: [], configs: [] },
});

function plan(release: ReleaseArtifact, parts: Partial<ReleaseInput> = {}) {
  return planRelease(releaseInput({ release, objects: declared, allow: { networks: ['edge'] }, ...parts }));
}

describe('an external network that is missing', () => {
  it.each<[string, ReleaseArtifact, { Driver: string; Attachable: boolean }]>([
    ['without requirements', chart, { Driver: 'overlay', Attachable: true }],
    ['as it is required', requiring({ driver: 'weave', attachable: false }), { Driver: 'weave', Attachable: false }],
  ])('is made for a chart, %s, and belongs to no stack', (_name, release, wanted) => {
    const [step] = plan(release).steps;
    expect(step).toEqual({
      kind: 'network',
      action: 'create',
      name: 'edge',
      managed: true,
      reasons: ['external and missing'],
      spec: { Name: 'edge', ...wanted, Labels: { [OWNER_LABEL]: 'cd/c1/shop:release/shop', [EPOCH_LABEL]: '7' } },
    });
  });

  it.each<[string, ReleaseArtifact, RegExp]>([
    ['a compose source', compose, /create it: docker network create --driver overlay edge$/],
    [
      'a chart that wants it made by hand',
      requiring({ autoCreate: false, description: 'for all' }),
      /edge \(for all\) does not exist; create it: .*--attachable edge$/,
    ],
  ])('is refused for %s', (_name, release, message) => {
    expect(plan(release).refusals).toMatchObject([{ rule: 'plan/external-missing', message: expect.stringMatching(message) }]);
  });

  it('is refused when the application may not use it', () => {
    expect(plan(chart, { allow: {} }).refusals.map(({ rule }) => rule)).toEqual(['policy/foreign-object']);
  });
});

describe('a chart that asks for a newer engine', () => {
  const newer = { ...chart, chart: { ...chart.chart, swarmcliVersion: '>= 99' } };
  const allowed = { objects: objects({ services: [spec('shop_web')] }) };
  it('is refused, unless nothing of it would be written', () => {
    expect(plan(newer, allowed).refusals).toMatchObject([{ rule: 'policy/engine-level', message: expect.stringContaining('>= 99') }]);
    expect(plan({ ...chart, chart: { ...chart.chart, swarmcliVersion: '>= 2.1.1' } }, allowed).refusals).toEqual([]);
    expect(plan({ ...chart, chart: { ...chart.chart, swarmcliVersion: 'nonsense' } }, allowed).refusals).toEqual([]);
  });
});

describe('what makes a release of a chart another one', () => {
  const recorded = (rest: Partial<RecordedRelease> = {}) => [
    record({ chart: { name: 'web', version: '1.0.0' }, values: { a: 1 }, ...rest }),
  ];
  const none = objects();
  const reasons = (release: ReleaseArtifact, rest?: Partial<RecordedRelease>) =>
    plan(release, { objects: none, records: recorded(rest) }).reasons;

  it.each<[string, ReleaseArtifact, Partial<RecordedRelease>, string[]]>([
    ['another version', { ...chart, chart: { ...chart.chart, version: '1.1.0' } }, {}, ['chart version: 1.0.0 -> 1.1.0']],
    ['another name', { ...chart, chart: { ...chart.chart, name: 'w' } }, {}, ['chart: web -> w']],
    ['other values, read by a template or not', { ...chart, values: { a: 2 } }, {}, ['values']],
    ['another file', { ...chart, files: { 'files/a': 'Yg==' } }, { files: { 'files/a': 'YQ==' } }, ['files']],
    ['an owner of before', chart, { owner: 'cd/c1/other:release/shop' }, ['owner: cd/c1/other:release/shop -> cd/c1/shop:release/shop']],
    ['another repository', { ...chart, chart: { ...chart.chart, ref: 'x/web', repo: 'x', repoURL: 'https://x.example' } }, {}, []],
    ['another application version', { ...chart, chart: { ...chart.chart, appVersion: '9' } }, {}, []],
    ['other requirements', requiring({ driver: 'weave' }), {}, []],
    ['another wave', { ...chart, wave: 3 }, {}, []],
    ['an int for a float', { ...chart, values: { a: 1n } }, {}, []],
    ['no owner', chart, { owner: undefined }, []],
  ])('%s', (_name, release, rest, expected) => {
    expect(reasons(release, rest)).toEqual(expected);
  });
});
