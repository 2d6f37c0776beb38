import { describe, expect, it } from 'vitest';
import { type AppSetLoad, accumulateEvidence, departed, type Evidence, NO_EVIDENCE, undecidedApplications } from './evidence.ts';

const shop = { application: 'shop', release: 'shop' };
const INTERVAL = 60;
const here = [{ name: 'shop', releases: ['shop'] }];
const rest = [{ name: 'blog', releases: ['blog'] }];

function load(at: number, revision: string, applications: AppSetLoad['applications'], more: Partial<AppSetLoad> = {}): AppSetLoad {
  return { complete: true, git: true, descends: true, revision, at, applications, others: [], ...more };
}
const after = (...loads: AppSetLoad[]): Evidence => loads.reduce((evidence, one) => accumulateEvidence(evidence, one, [shop]), NO_EVIDENCE);
const state = (...loads: AppSetLoad[]) => departed(after(...loads), shop, INTERVAL).state;

describe('evidence that something left', () => {
  it.each<[string, AppSetLoad[], string]>([
    ['nothing loaded', [], 'silent'],
    ['declared', [load(0, 'c1', here)], 'declared'],
    ['missing once', [load(0, 'c1', rest)], 'waiting'],
    ['missing twice too soon', [load(0, 'c1', rest), load(59, 'c1', rest)], 'waiting'],
    ['missing twice an interval apart', [load(0, 'c1', rest), load(60, 'c1', rest)], 'departed'],
    ['missing in a descendant', [load(0, 'c1', rest), load(60, 'c2', rest)], 'departed'],
    [
      'T4 a source cut off that repeats an old commit',
      [load(0, 'c1', rest), load(60, 'c1', rest, { complete: false }), load(120, 'c1', rest, { complete: false })],
      'waiting',
    ],
    ['T4 silence first', [load(0, 'c1', rest, { complete: false })], 'silent'],
    [
      'T5 added again, then a broken file',
      [load(0, 'c1', rest), load(60, 'c2', here), load(120, 'c2', rest, { complete: false })],
      'declared',
    ],
    ['added and removed again starts anew', [load(0, 'c1', rest), load(60, 'c2', here), load(70, 'c3', rest)], 'waiting'],
    ['a force push starts anew', [load(0, 'c1', rest), load(60, 'x', rest, { descends: false })], 'waiting'],
    ['a line nobody can tell starts anew', [load(0, 'c1', rest), load(60, 'c2', rest, { descends: undefined })], 'waiting'],
    ['a file with other content starts anew', [load(0, 'h1', rest, { git: false }), load(60, 'h2', rest, { git: false })], 'waiting'],
    ['a file with the same content', [load(0, 'h1', rest, { git: false }), load(60, 'h1', rest, { git: false })], 'departed'],
    [
      'its release under another application',
      [load(0, 'c1', [{ name: 'renamed', releases: ['shop'] }]), load(60, 'c1', [{ name: 'renamed', releases: ['shop'] }])],
      'declared',
    ],
  ])('%s: %#', (_, loads, expected) => {
    expect(state(...loads)).toBe(expected);
  });

  it.each([
    ['its own', [{ name: 'other', releases: ['shop'] }], true],
    ["its application's, which deploys another one", [{ name: 'shop', releases: ['store'] }], false],
    ["its application's, of which nobody knows what it deploys", [{ name: 'shop', releases: undefined }], false],
  ])('says whether a release is declared by name: %s', (_, applications, named) => {
    expect(departed(after(load(0, 'c1', applications)), shop, INTERVAL)).toEqual({ state: 'declared', named });
  });

  it('takes two loads even without an interval', () => {
    expect(departed(after(load(5, 'c1', rest)), shop, 0).state).toBe('waiting');
    expect(departed(after(load(5, 'c1', rest), load(5, 'c1', rest)), shop, 0).state).toBe('departed');
  });
  it('T6 remembers a move, also after it left the other swarm', () => {
    const others = [{ name: 'shop', releases: [] }];
    const moved = after(load(0, 'c1', rest, { others }), load(60, 'c2', rest));
    expect(departed(moved, shop, INTERVAL)).toMatchObject({ state: 'departed', moved: true });
    const rewritten = after(load(0, 'c1', rest, { others }), load(60, 'x', rest, { descends: false }), load(120, 'y', rest));
    expect(departed(rewritten, shop, INTERVAL)).toMatchObject({ state: 'departed', moved: true });
  });
  it('tells a rewritten history only where it takes something away', () => {
    expect(after(load(0, 'c1', here), load(60, 'x', here, { descends: false })).rewritten).toBe(false);
    const rewritten = after(load(0, 'c1', here), load(60, 'x', rest, { descends: false }), load(120, 'y', rest));
    expect(rewritten.rewritten).toBe(true);
    expect(after(load(0, 'x', rest, { descends: false })).rewritten).toBe(true);
  });
  it('T3 begins with nothing, and a release it did not know at the load has to wait', () => {
    expect(departed(NO_EVIDENCE, shop, INTERVAL)).toEqual({ state: 'silent' });
    const unaware = accumulateEvidence(NO_EVIDENCE, load(0, 'c1', rest), []);
    expect(departed(unaware, shop, INTERVAL)).toMatchObject({ state: 'waiting', until: INTERVAL });
  });
  it('P02 names applications that nobody has planned', () => {
    expect(undecidedApplications(load(0, 'c1', [...rest, { name: 'new', releases: undefined }]))).toEqual(['new']);
  });
});
