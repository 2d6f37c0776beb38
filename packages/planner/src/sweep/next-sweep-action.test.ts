import { describe, expect, it } from 'vitest';
import { nextSweepAction, type SweepFacts, type SweepRecord } from './next-sweep-action.ts';
import type { SweepMark } from './sweep-mark.ts';

const NOW = 1_000_000;
const objects = [
  { kind: 'network' as const, id: 'n', name: 'shop_default' },
  { kind: 'service' as const, id: 's', name: 'shop_web' },
];
const record = (revision: number): SweepRecord => ({ id: `r${revision}`, name: `swarmcli.release.shop.v${revision}`, revision });
const none = { remove: [], blocked: [], kept: [], strays: [] };
const removable = { ...none, remove: [{ node: 'n1', volume: 'shop_data', ticket: 't' }] };
const departed = { state: 'departed' as const, moved: false, commit: 'c2' };

function facts(rest: Partial<SweepFacts> = {}, volumes: Partial<SweepFacts['volumes']> = {}): SweepFacts {
  return {
    application: 'shop',
    release: 'shop',
    enabled: true,
    frozen: false,
    ownStack: false,
    departure: departed,
    undecided: [],
    draining: [],
    held: undefined,
    deletionsFrom: 0,
    batch: { startedAt: NOW, loadedAt: NOW, renewedAt: NOW },
    untouched: false,
    newestRecord: 'r2',
    stack: [],
    volumes: { enabled: true, named: true, waitMs: 5_000, ticketsAt: NOW, decision: none, uncovered: [], ...volumes },
    records: [record(2), record(1)],
    intents: [],
    ...rest,
  };
}
const mark = (rest: Partial<SweepMark> = {}): SweepMark => ({
  application: 'shop',
  release: 'shop',
  since: 1,
  commit: 'c1',
  newestRecord: 'r2',
  moved: false,
  phase: 'stack',
  begun: true,
  ...rest,
});
const next = (one: SweepMark | undefined, rest: Partial<SweepFacts> = {}, volumes: Partial<SweepFacts['volumes']> = {}) =>
  nextSweepAction(one, facts(rest, volumes), NOW);

describe('what holds a sweep', () => {
  it.each<[string, Partial<SweepFacts>, RegExp]>([
    ['a freeze', { frozen: true }, /frozen/],
    ['no --prune', { enabled: false }, /--prune/],
    ['P13 its own stack', { ownStack: true }, /this controller/],
    ['T4 silence', { departure: { state: 'silent' } }, /could not be read/],
    ['P02 somebody not planned yet', { undecided: ['new-name'] }, /new-name/],
    ['R05 work that has not ended', { draining: ['shop'] }, /shop/],
    ['the brake', { held: 'too many' }, /too many/],
  ])('%s', (_, rest, reason) => {
    for (const one of [undefined, mark({ begun: false })]) {
      expect(next(one, { stack: objects, ...rest })).toEqual({ do: 'hold', reason: expect.stringMatching(reason) });
    }
  });
  it('waits for a second load, and after taking over for a lease time', () => {
    expect(next(undefined, { departure: { state: 'waiting', until: 7, moved: false } })).toMatchObject({ do: 'wait-until', at: 7 });
    expect(next(mark(), { stack: objects, deletionsFrom: NOW + 1 })).toMatchObject({ do: 'wait-until', at: NOW + 1 });
  });
  it('does nothing for what is declared and not marked', () => {
    expect(next(undefined, { departure: { state: 'declared', named: true } })).toEqual({ do: 'nothing' });
  });
  it('lets what has begun go on under a brake that came later', () => {
    expect(next(mark(), { stack: objects, held: 'too many' })).toMatchObject({ do: 'remove-stack' });
  });
});

describe('the phases', () => {
  it('marks, begins, and loads and renews before each batch', () => {
    expect(next(undefined)).toMatchObject({
      do: 'mark',
      mark: { phase: 'stack', begun: false, since: NOW, commit: 'c2', newestRecord: 'r2', moved: false },
    });
    expect(next(mark({ begun: false }))).toMatchObject({ do: 'mark', mark: { begun: true } });
    expect(next(mark(), { batch: { startedAt: NOW, loadedAt: NOW - 1, renewedAt: NOW } })).toEqual({ do: 'load' });
    expect(next(mark(), { batch: { startedAt: NOW, loadedAt: NOW, renewedAt: NOW - 1 } })).toEqual({ do: 'renew-lease' });
  });
  it('removes the stack by id, services first, then keeps volumes for their time', () => {
    expect(next(mark(), { stack: objects })).toEqual({ do: 'remove-stack', objects: [objects[1], objects[0]], reinstall: false });
    expect(next(mark())).toMatchObject({ do: 'mark', mark: { phase: 'volumes', begun: false, volumesAt: NOW + 5_000 } });
  });
  const volumes = mark({ phase: 'volumes', volumesAt: NOW });
  it('asks for volumes, reads the evidence after the tickets, removes, and waits for what is mounted or not covered', () => {
    expect(next(mark({ phase: 'volumes', volumesAt: NOW + 9 }))).toMatchObject({ do: 'wait-until', at: NOW + 9 });
    expect(next(volumes, {}, { ticketsAt: undefined })).toEqual({ do: 'request-volumes' });
    expect(next(volumes, {}, { ticketsAt: NOW + 1 })).toEqual({ do: 'load' });
    expect(next(volumes, {}, { decision: removable })).toEqual({ do: 'remove-volumes', volumes: removable.remove });
    expect(next(volumes, {}, { decision: { ...none, blocked: [{ node: 'n', volume: 'v' }] } })).toMatchObject({
      do: 'hold',
      reason: expect.stringContaining('mounted'),
    });
    expect(next(volumes, {}, { uncovered: [{ node: 'n2', reason: 'down' }] })).toMatchObject({
      do: 'hold',
      reason: expect.stringContaining('n2 (down)'),
    });
    expect(next(volumes)).toMatchObject({ do: 'mark', mark: { phase: 'records', begun: false } });
    expect(next(volumes, {}, { named: false, ticketsAt: undefined })).toMatchObject({ do: 'mark', mark: { phase: 'records' } });
    const kept = { enabled: false, decision: removable };
    expect(next(volumes, {}, kept)).toMatchObject({ do: 'hold', reason: expect.stringContaining('--prune-volumes') });
    expect(next(volumes, {}, { enabled: false })).toMatchObject({ do: 'mark', mark: { phase: 'records' } });
  });
  it('T10 removes records oldest first, intents last, then is done', () => {
    const records = mark({ phase: 'records' });
    expect(next(records)).toEqual({ do: 'delete-records', records: [record(1), record(2)], reinstall: false });
    expect(next(records, { records: [], newestRecord: '', intents: [record(3)] })).toEqual({
      do: 'delete-intents',
      intents: [record(3)],
      reinstall: false,
    });
    expect(next(records, { records: [], newestRecord: '' })).toEqual({ do: 'done' });
  });
  it.each([true, false])('asks for volumes again before records go, since an earlier term may have asked (begun: %s)', (begun) => {
    const records = mark({ phase: 'records', begun });
    expect(next(records, {}, { ticketsAt: undefined })).toEqual({ do: 'request-volumes' });
    expect(next(records, {}, { decision: removable })).toEqual({ do: 'remove-volumes', volumes: removable.remove });
    expect(next(records, {}, { uncovered: [{ node: 'n2', reason: 'no agent' }] })).toMatchObject({ do: 'hold' });
  });
});

describe('moves and returns', () => {
  const declared: Partial<SweepFacts> = { departure: { state: 'declared', named: true } };
  const withoutIt: Partial<SweepFacts> = { departure: { state: 'declared', named: false } };
  const moved = { ...departed, moved: true };
  it('does not finish a phase that it has just begun and in which nothing was deleted', () => {
    for (const phase of ['stack', 'records'] as const)
      expect(next(mark({ phase }), { ...declared, stack: objects, untouched: true })).toMatchObject({ do: 'clear-mark' });
  });
  it('T7 finishes a phase that may be half done, then clears the mark', () => {
    expect(next(mark(), { ...declared, stack: objects })).toMatchObject({ do: 'remove-stack', reinstall: true });
    expect(next(mark(), declared)).toMatchObject({ do: 'clear-mark' });
    expect(next(mark({ phase: 'records' }), declared)).toMatchObject({ do: 'delete-records', reinstall: true });
    expect(next(mark({ phase: 'records' }), { ...declared, records: [], intents: [] })).toMatchObject({ do: 'clear-mark' });
  });
  it('clears at once where nothing was removed, and never touches volumes', () => {
    expect(next(mark({ begun: false }), { ...declared, stack: objects })).toMatchObject({ do: 'clear-mark' });
    expect(next(mark({ phase: 'volumes' }), declared, { decision: removable })).toMatchObject({ do: 'clear-mark' });
  });
  it('keeps that a move was noted where its application is back without it; a mark of what just left is cleared', () => {
    for (const begun of [true, false])
      expect(next(mark({ begun, moved: true }), withoutIt)).toEqual({ do: 'hold', reason: expect.stringContaining('moved') });
    expect(next(mark({ moved: true }), declared)).toMatchObject({ do: 'clear-mark' });
    expect(next(mark({ moved: true }), { ...withoutIt, records: [], intents: [] })).toMatchObject({ do: 'clear-mark' });
    expect(next(mark({ begun: false }), withoutIt)).toMatchObject({ do: 'clear-mark' });
  });
  it('finishes with fresh evidence only', () => {
    expect(next(mark(), { ...declared, stack: objects, batch: { startedAt: NOW, loadedAt: 0, renewedAt: NOW } })).toEqual({ do: 'load' });
  });
  it('T8 voids a mark older than the newest record', () => {
    expect(next(mark(), { stack: objects, newestRecord: 'r3' })).toMatchObject({ do: 'clear-mark' });
  });
  it('keeps that a move was noted where a newer record voids the mark', () => {
    const one = mark({ application: 'old-name', moved: true, phase: 'stack' });
    expect(next(one, { stack: objects, newestRecord: 'r3' })).toEqual({
      do: 'mark',
      mark: { ...one, since: NOW, newestRecord: 'r3', begun: false },
    });
    expect(next(one, { ...declared, newestRecord: 'r3' })).toMatchObject({ do: 'clear-mark' });
  });
  it('T10 goes on with the intents beside records that are gone', () => {
    const records = mark({ phase: 'records' });
    const left = { records: [], intents: [record(3)], newestRecord: 'i3' };
    expect(next(records, left)).toMatchObject({ do: 'delete-intents' });
    expect(next(mark({ phase: 'volumes' }), left)).toMatchObject({ do: 'clear-mark' });
  });
  it('T6 takes the stack of what moved, never its volumes and records, even when it leaves the other swarm too', () => {
    expect(next(undefined, { departure: moved })).toMatchObject({ do: 'mark', mark: { moved: true } });
    expect(next(undefined, { departure: { state: 'waiting', until: 9, moved: true } })).toMatchObject({
      do: 'mark',
      mark: { moved: true, begun: false },
    });
    const one = mark({ moved: true });
    expect(next(one, { stack: objects })).toMatchObject({ do: 'remove-stack' });
    for (const departure of [moved, departed])
      expect(next(one, { departure }, { decision: removable })).toMatchObject({ do: 'hold', reason: expect.stringContaining('moved') });
    expect(next(one, { records: [], newestRecord: '' })).toEqual({ do: 'done' });
    expect(next(mark({ phase: 'volumes' }), { departure: moved }, { decision: removable })).toMatchObject({
      do: 'mark',
      mark: { moved: true, phase: 'stack' },
    });
  });
  it('does not begin a move that the brake holds', () => {
    expect(next(mark({ moved: true, begun: false }), { departure: moved, held: 'rewritten', stack: objects })).toMatchObject({
      do: 'hold',
    });
  });
});
