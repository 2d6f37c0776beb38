import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AppSetLoad, accumulateEvidence, departed, type Evidence, NO_EVIDENCE } from './evidence.ts';
import { nextSweepAction, type SweepAction, type SweepFacts, type SweepObject, type SweepRecord } from './next-sweep-action.ts';
import type { SweepMark } from './sweep-mark.ts';
import { volumesToRemove } from './volumes-to-remove.ts';

/**
 * A model of one swarm and the sweep of one release on it: commits that remove, return and move the application, loads that fail, crashes
 * after any single deletion, nodes that go down. Whatever the history, nothing wanted goes; once all is quiet, everything unwanted does.
 */
const INTERVAL = 10;
const WAIT = 30;
type Place = 'here' | 'elsewhere' | 'nowhere';
type Move =
  | { kind: 'commit'; place: Place; rewritten: boolean }
  | { kind: 'load'; complete: boolean }
  | { kind: 'sweep'; deletions: number }
  | { kind: 'crash' }
  | { kind: 'node'; up: boolean }
  | { kind: 'time' };

class World {
  now = 100;
  place: Place = 'here';
  commit = 0;
  rewritten = false;
  heldCommit = 0;
  evidence: Evidence = NO_EVIDENCE;
  mark: SweepMark | undefined;
  loadedAt = -1;
  renewedAt = -1;
  revision = 0;
  stack: SweepObject[] = [];
  records: SweepRecord[] = [];
  volumes: { node: string; volume: string }[] = [];
  nodeUp = true;
  /** Whether a load has shown it under another swarm since it was last declared here. */
  seenElsewhere = false;
  violations: string[] = [];

  constructor() {
    this.install();
  }

  install(): void {
    this.revision += 1;
    this.stack = ['service', 'network'].map((kind) => ({
      kind: kind as 'service' | 'network',
      id: `${kind}${this.revision}`,
      name: `shop_${kind}`,
    }));
    this.records = [...this.records, { id: `r${this.revision}`, name: `v${this.revision}`, revision: this.revision }];
    this.volumes = ['n1', 'n2'].map((node) => ({ node, volume: 'shop_data' }));
  }

  load(complete: boolean): void {
    const others = this.place === 'elsewhere' ? [{ name: 'shop', releases: ['shop'] }] : [];
    const applications = [{ name: 'blog', releases: ['blog'] }, ...(this.place === 'here' ? [{ name: 'shop', releases: ['shop'] }] : [])];
    const load: AppSetLoad = {
      complete,
      git: true,
      revision: `c${this.commit}`,
      descends: !this.rewritten || this.heldCommit === this.commit,
      at: this.now,
      applications,
      others,
    };
    this.evidence = accumulateEvidence(this.evidence, load, this.records.length > 0 ? [{ application: 'shop', release: 'shop' }] : []);
    if (!complete) return;
    this.heldCommit = this.commit;
    this.rewritten = false;
    this.loadedAt = this.now;
    this.seenElsewhere = this.place === 'elsewhere' || (this.seenElsewhere && this.place !== 'here');
  }

  facts(startedAt: number): SweepFacts {
    const reachable = this.volumes.filter(({ node }) => node === 'n1' || this.nodeUp);
    return {
      application: 'shop',
      release: 'shop',
      enabled: true,
      frozen: false,
      ownStack: false,
      departure: departed(this.evidence, { application: 'shop', release: 'shop' }, INTERVAL),
      undecided: [],
      draining: [],
      held: undefined,
      deletionsFrom: 0,
      batch: { startedAt, loadedAt: this.loadedAt, renewedAt: this.renewedAt },
      untouched: false,
      newestRecord: this.records.at(-1)?.id ?? '',
      stack: this.stack,
      volumes: {
        named: true,
        enabled: true,
        waitMs: WAIT,
        ticketsAt: startedAt,
        decision: volumesToRemove({
          tickets: reachable.map(({ node, volume }) => ({ node, ticket: 't', volumes: [volume] })),
          namedByRelease: new Set(this.records.length > 0 ? ['shop_data'] : []),
          mountedNow: new Set(),
          declaredByOthers: new Map(),
        }),
        uncovered: this.nodeUp ? [] : [{ node: 'n2', reason: 'down' }],
      },
      records: this.records,
      intents: [],
    };
  }

  forbid(when: boolean, what: string): void {
    if (when) this.violations.push(what);
  }

  /** Carries out deletions one by one; false: it crashed after the last it may make. */
  remove(action: SweepAction, budget: { left: number }): void {
    const spend = (): boolean => budget.left-- > 0;
    if (action.do === 'remove-stack') {
      this.forbid(this.place === 'here' && !action.reinstall, 'S2: a declared stack');
      for (const object of action.objects) if (spend()) this.stack = this.stack.filter(({ id }) => id !== object.id);
    } else if (action.do === 'remove-volumes') {
      this.forbid(this.place === 'here', 'S1: volumes of a declared application');
      this.forbid(this.seenElsewhere, 'S1: volumes of what moved');
      this.forbid(this.stack.length > 0, 'order: volumes before the stack');
      for (const { node } of action.volumes) if (spend()) this.volumes = this.volumes.filter((volume) => volume.node !== node);
    } else if (action.do === 'delete-records') {
      this.forbid(this.place === 'here' && !action.reinstall, 'S2: records of a declared application');
      this.forbid(this.volumes.length > 0 && !action.reinstall, 'S5: records before volumes');
      for (const record of action.records) if (spend()) this.records = this.records.filter(({ id }) => id !== record.id);
    }
  }

  /** One batch: what it decides it does before the repository moves on. */
  sweep(deletions: number, canLoad: boolean): void {
    const budget = { left: deletions };
    const startedAt = this.now;
    for (let step = 0; step < 30; step += 1) {
      const action = nextSweepAction(this.mark, this.facts(startedAt), this.now);
      if (action.do === 'load') {
        this.load(canLoad);
        if (!canLoad) return;
      } else if (action.do === 'renew-lease') this.renewedAt = this.now;
      else if (action.do === 'mark') this.mark = action.mark;
      else if (action.do === 'clear-mark' || action.do === 'done') this.mark = undefined;
      else if (action.do === 'hold' || action.do === 'wait-until' || action.do === 'nothing') break;
      else this.remove(action, budget);
      if (budget.left < 0) {
        this.crash();
        return;
      }
    }
    const known = this.evidence.latest?.applications.some(({ name }) => name === 'shop');
    if (known && this.place === 'here' && !this.mark && this.stack.length === 0) this.install();
  }

  /** A load is followed at once by the question what it means: a mark is written, nothing is deleted. */
  loadAndMark(complete: boolean): void {
    this.load(complete);
    const action = nextSweepAction(this.mark, this.facts(this.now), this.now);
    if (action.do === 'mark') this.mark = action.mark;
  }

  crash(): void {
    this.evidence = NO_EVIDENCE;
    this.loadedAt = -1;
    this.renewedAt = -1;
  }

  move(move: Move): void {
    this.now += 1;
    if (move.kind === 'commit') {
      this.place = move.place;
      this.commit += 1;
      this.rewritten ||= move.rewritten;
    } else if (move.kind === 'load') this.loadAndMark(move.complete);
    else if (move.kind === 'sweep') this.sweep(move.deletions, true);
    else if (move.kind === 'crash') this.crash();
    else if (move.kind === 'node') this.nodeUp = move.up;
    else this.now += INTERVAL;
  }

  /** All is healthy and nothing changes any more. */
  settle(): void {
    this.nodeUp = true;
    for (let round = 0; round < 12; round += 1) {
      this.now += INTERVAL;
      this.load(true);
      this.sweep(100, true);
    }
  }
}

const place = fc.constantFrom<Place>('here', 'elsewhere', 'nowhere', 'nowhere');
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant('commit' as const), place, rewritten: fc.boolean() }),
  fc.record({ kind: fc.constant('load' as const), complete: fc.boolean() }),
  fc.record({ kind: fc.constant('sweep' as const), deletions: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ kind: fc.constant('crash' as const) }),
  fc.record({ kind: fc.constant('node' as const), up: fc.boolean() }),
  fc.record({ kind: fc.constant('time' as const) }),
);

describe('random histories of a sweep', () => {
  it('remove nothing that is wanted, and in the end everything that is not', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        const world = new World();
        for (const one of moves) world.move(one);
        world.settle();
        expect(world.violations).toEqual([]);
        if (world.place === 'here') expect([world.stack.length, world.volumes.length, world.mark]).toEqual([2, 2, undefined]);
        else expect(world.stack).toEqual([]);
        if (world.place === 'nowhere' && !world.seenElsewhere && !world.mark?.moved)
          expect([world.volumes, world.records, world.mark]).toEqual([[], [], undefined]);
        if (world.place === 'elsewhere') expect(world.records.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });
});
