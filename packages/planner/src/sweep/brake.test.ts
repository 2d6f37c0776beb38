import { describe, expect, it } from 'vitest';
import type { LiveNode } from '../live.ts';
import { node } from '../testing/builders.ts';
import { type BrakeFacts, brake, findApproval, isRequested, liveApprovals, requestApproval, useApproval } from './brake.ts';
import { coverage, type NodeAnswer } from './coverage.ts';
import { type VolumeFacts, volumesToRemove } from './volumes-to-remove.ts';

const names = (count: number, prefix = 'a'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const facts = (rest: Partial<BrakeFacts>): BrakeFacts => ({
  marked: [],
  departed: names(1),
  total: 40,
  empty: false,
  rewritten: false,
  firstContact: false,
  ...rest,
});

describe('brake', () => {
  it.each<[string, Partial<BrakeFacts>, boolean]>([
    ['one of 40', {}, false],
    ['8 of 40', { departed: names(8) }, false],
    ['9 of 40', { departed: names(9) }, true],
    ['3 of 4', { departed: names(3), total: 4 }, false],
    ['4 of 4', { departed: names(4), total: 4 }, true],
    ['40 cut to 3', { departed: names(37) }, true],
    ['few more while many are under way', { marked: names(8, 'm') }, true],
    ['the same one twice', { marked: names(8), departed: names(1) }, false],
    ['an empty set', { empty: true }, true],
    ['a rewritten history', { rewritten: true }, true],
    ['a first contact', { firstContact: true }, true],
    ['nothing that leaves', { departed: [], empty: true, rewritten: true, firstContact: true }, false],
  ])('%s: held %s', (_, rest, held) => {
    expect(brake(facts(rest)) !== undefined).toBe(held);
  });
});

describe('approvals', () => {
  const NOW = 1_700_000_000_000;
  const item = (release: string, newestRecord = 'r1') => ({ application: release, release, newestRecord });
  const asked = requestApproval('too many', [item('a'), item('b')], NOW);
  const approved = { ...asked, approved: ['a'] };
  it('covers the subset a person named, for 24 hours, for that newest record, once', () => {
    expect(findApproval(item('a'), [asked], NOW)).toBeUndefined();
    expect(findApproval(item('a'), [approved], NOW)).toBe(approved);
    expect(findApproval(item('b'), [approved], NOW)).toBeUndefined();
    expect(findApproval(item('a', 'r2'), [approved], NOW)).toBeUndefined();
    expect(findApproval({ ...item('a'), application: 'other' }, [approved], NOW)).toBeUndefined();
    expect(findApproval(item('a'), [approved], NOW + 24 * 3.6e6)).toBeUndefined();
    expect(findApproval(item('a'), [useApproval(approved, 'a')], NOW)).toBeUndefined();
  });
  it('is asked for once and forgotten when it has run out or is used up', () => {
    expect(isRequested([item('a')], [asked], NOW)).toBe(true);
    expect(isRequested([item('a', 'r2')], [asked], NOW)).toBe(false);
    const used = useApproval(useApproval(approved, 'a'), 'b');
    expect(liveApprovals([asked, used], NOW)).toEqual([asked]);
    expect(liveApprovals([asked], NOW + 24 * 3.6e6)).toEqual([]);
  });
});

describe('coverage', () => {
  it.each<[string, LiveNode[], [string, string][], string[], [string, NodeAnswer][], (string | undefined)[]]>([
    ['an answer', [node('n1')], [], [], [['n1', 'answered']], [undefined]],
    ['no agent', [node('n1')], [], [], [], ['no agent']],
    ['a node that is down', [node('n1', { state: 'down' })], [], [], [], ['down']],
    ['a drained node', [node('n1', { availability: 'drain' })], [], [], [], ['drained']],
    ['an old agent', [node('n1')], [], [], [['n1', 'old version']], ['old version']],
    ['T12 a node that left', [node('n1')], [['n0', 'host0']], [], [['n1', 'answered']], ['left', undefined]],
    ['a node given up', [node('n1')], [['n0', 'host0']], ['n0'], [['n1', 'answered']], [undefined]],
    ['a node that came after the answers', [node('n1'), node('n2')], [], [], [['n1', 'answered']], [undefined, 'no agent']],
  ])('%s', (_, listedNow, ever, forgotten, answers, reasons) => {
    const result = coverage({ listedNow, everListed: new Map(ever), forgotten: new Set(forgotten), answers: new Map(answers) });
    expect(result.map(({ reason }) => reason)).toEqual(reasons);
    expect(result.map(({ covered }) => covered)).toEqual(reasons.map((reason) => reason === undefined));
  });
});

describe('volumesToRemove', () => {
  const decide = (rest: Partial<VolumeFacts>) =>
    volumesToRemove({
      tickets: [{ node: 'n1', ticket: 't1', volumes: ['shop_data'] }],
      namedByRelease: new Set(['shop_data']),
      mountedNow: new Set(),
      declaredByOthers: new Map(),
      ...rest,
    });
  it('T9 removes what its own records name', () => {
    expect(decide({}).remove).toEqual([{ node: 'n1', volume: 'shop_data', ticket: 't1' }]);
  });
  it('T13 leaves what a service mounts, another release declares, or no record names', () => {
    expect(decide({ mountedNow: new Set(['shop_data']) })).toMatchObject({ remove: [], blocked: [{ node: 'n1', volume: 'shop_data' }] });
    expect(decide({ declaredByOthers: new Map([['shop_data', 'blog']]) })).toMatchObject({ remove: [], kept: [{ release: 'blog' }] });
    expect(decide({ namedByRelease: new Set() })).toMatchObject({ remove: [], strays: [{ volume: 'shop_data' }] });
  });
});
