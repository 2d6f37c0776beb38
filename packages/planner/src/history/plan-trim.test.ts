import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PrunableObject, planHashedPrune, planTrim, type TrimmableRecord } from './plan-trim.ts';

const record = (revision: number, volumes: string[] = [], configs: string[] = []): TrimmableRecord => ({
  name: `swarmcli.release.shop.v${revision}`,
  revision,
  objects: { configs, secrets: [], volumes },
});
const revisions = (records: readonly TrimmableRecord[]): number[] => records.map(({ revision }) => revision);

describe('planTrim', () => {
  const records = [5, 4, 3, 2, 1].map((revision) => record(revision));
  it('keeps the newest and gives the rest oldest first', () => {
    expect(revisions(planTrim(records, 2, {}).remove)).toEqual([1, 2, 3]);
    expect(planTrim(records, 0, {})).toEqual({ remove: [], kept: [] });
  });
  it('keeps the target of a rollback and what runs', () => {
    const trim = planTrim(records, 1, { rollbackTargets: new Set([2]), runningRevision: 3 });
    expect(revisions(trim.remove)).toEqual([1, 4]);
    expect(trim.kept.map(({ reason }) => reason)).toEqual(['its specs run', 'it is the target of a rollback']);
  });
  it('keeps the last record that names a volume which exists, and only that one', () => {
    const named = [record(4), record(3, ['shop_data']), record(2, ['shop_data']), record(1, ['shop_old'])];
    expect(revisions(planTrim(named, 1, { existingVolumes: new Set(['shop_data']) }).remove)).toEqual([1, 2]);
    expect(revisions(planTrim(named, 1, {}).remove)).toEqual([2]);
  });
  it('never loses the newest record or the last mention of a volume', () => {
    const arbitrary = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.subarray(['a', 'b', 'c'])), {
      selector: ([revision]) => revision,
      minLength: 1,
    });
    fc.assert(
      fc.property(arbitrary, fc.integer({ min: 0, max: 5 }), fc.subarray(['a', 'b', 'c']), (pairs, historyMax, existing) => {
        const all = pairs.map(([revision, volumes]) => record(revision, volumes));
        const removed = new Set(planTrim(all, historyMax, { existingVolumes: new Set(existing) }).remove);
        const left = all.filter((one) => !removed.has(one));
        expect(Math.max(...revisions(left))).toBe(Math.max(...revisions(all)));
        for (const volume of existing) {
          const names = (some: readonly TrimmableRecord[]) => some.some((one) => one.objects.volumes.includes(volume));
          expect(names(left)).toBe(names(all));
        }
      }),
    );
  });
});

describe('planHashedPrune', () => {
  const object = (name: string, rest: Partial<PrunableObject> = {}): PrunableObject => ({
    kind: 'config',
    id: `id-${name}`,
    name,
    stack: 'shop',
    createdByUs: true,
    ...rest,
  });
  const none = { configs: new Set<string>(), secrets: new Set<string>() };
  it('takes hashed objects of ours that nothing names or mounts any more', () => {
    const [gone, kept, mounted] = ['shop_site-0123456789ab', 'shop_site-aaaaaaaaaaaa', 'shop_site-bbbbbbbbbbbb'];
    const objects = [gone, kept, mounted].map((name) => object(name as string));
    const pruned = planHashedPrune('shop', objects, [record(1, [], [kept as string])], { ...none, configs: new Set([mounted as string]) });
    expect(pruned.map(({ name }) => name)).toEqual([gone]);
  });
  it.each<[string, Partial<PrunableObject>]>([
    ['an adopted one', { createdByUs: false }],
    ['one of another stack', { stack: 'blog' }],
    ['one without a stack', { stack: undefined }],
    ['one with a name of its own', { name: 'shop_site' }],
  ])('leaves %s', (_, rest) => {
    expect(planHashedPrune('shop', [object('shop_site-0123456789ab', rest)], [], none)).toEqual([]);
  });
});
