import type { Departure } from './evidence.ts';
import type { SweepMark } from './sweep-mark.ts';
import type { VolumeDecision } from './volumes-to-remove.ts';

export interface SweepObject {
  readonly kind: 'service' | 'config' | 'secret' | 'network';
  readonly id: string;
  readonly name: string;
}

export interface SweepRecord {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
}

/** All that decides the next step of one release's sweep. */
export interface SweepFacts {
  readonly application: string;
  readonly release: string;
  /** Whether departed applications are swept at all (`--prune`). */
  readonly enabled: boolean;
  readonly frozen: boolean;
  /** Whether it is the stack the controller runs in. */
  readonly ownStack: boolean;
  readonly departure: Departure;
  /** Applications that have not been planned and may declare it. */
  readonly undecided: readonly string[];
  /** Departed applications whose work has not ended. */
  readonly draining: readonly string[];
  /** Why the brake lets no further removal begin; undefined: it does, or an approval covers this release. */
  readonly held: string | undefined;
  /** One lease time after this term began: nothing is deleted before. */
  readonly deletionsFrom: number;
  /** Start of the batch of deletions under way, and when evidence was loaded and the lease renewed for it. */
  readonly batch: { readonly startedAt: number; readonly loadedAt: number; readonly renewedAt: number };
  /** This turn has begun the phase, and sent no deletion yet. */
  readonly untouched: boolean;
  /** Id of the newest record, else of the newest intent; empty when there is none. */
  readonly newestRecord: string;
  /** What lives under the stack label, records, leases and intents left out. */
  readonly stack: readonly SweepObject[];
  readonly volumes: {
    /** `--prune-volumes`. */
    readonly enabled: boolean;
    /** Whether a kept record of the release names a volume of its own: without one there is nothing to wait for. */
    readonly named: boolean;
    /** `--prune-volumes-after`, milliseconds. */
    readonly waitMs: number;
    /** When the tickets at hand were taken; undefined without any, or when one has run out. */
    readonly ticketsAt: number | undefined;
    readonly decision: VolumeDecision;
    /** Nodes that could not be asked, with why. */
    readonly uncovered: readonly { readonly node: string; readonly reason: string }[];
  };
  readonly records: readonly SweepRecord[];
  readonly intents: readonly SweepRecord[];
}

export type SweepAction =
  | { readonly do: 'nothing' }
  | { readonly do: 'hold'; readonly reason: string }
  | { readonly do: 'wait-until'; readonly at: number; readonly reason: string }
  /** Write the mark (new or changed) by compare-and-swap, then ask again. */
  | { readonly do: 'mark'; readonly mark: SweepMark }
  | { readonly do: 'clear-mark'; readonly reason: string }
  /** Load the app set anew, as evidence, for this batch. */
  | { readonly do: 'load' }
  | { readonly do: 'renew-lease' }
  /** Delete by id, in this order. */
  | { readonly do: 'remove-stack'; readonly objects: readonly SweepObject[]; readonly reinstall: boolean }
  | { readonly do: 'request-volumes' }
  | { readonly do: 'remove-volumes'; readonly volumes: VolumeDecision['remove'] }
  | { readonly do: 'delete-records'; readonly records: readonly SweepRecord[]; readonly reinstall: boolean }
  | { readonly do: 'delete-intents'; readonly intents: readonly SweepRecord[]; readonly reinstall: boolean }
  | { readonly do: 'done' };

const MOVED: SweepAction = {
  do: 'hold',
  reason: 'it moved to another swarm: its records and volumes stay until a person purges them or it is declared here again',
};

const KIND_ORDER = { service: 0, config: 1, secret: 2, network: 3 } as const;

function inOrder(objects: readonly SweepObject[]): SweepObject[] {
  return [...objects].sort((a, b) => KIND_ORDER[a.kind] - KIND_ORDER[b.kind] || (a.name < b.name ? -1 : 1));
}

function oldestFirst(records: readonly SweepRecord[]): SweepRecord[] {
  return [...records].sort((a, b) => a.revision - b.revision);
}

/** Guards of every deletion, in order: until all agree nothing goes. */
function gate(facts: SweepFacts): SweepAction | undefined {
  if (facts.frozen) return { do: 'hold', reason: 'the swarm is frozen' };
  if (!facts.enabled) return { do: 'hold', reason: 'departed applications are not removed without --prune' };
  if (facts.ownStack) return { do: 'hold', reason: 'it is the stack this controller runs in; only a person removes it' };
  if (facts.departure.state === 'silent') return { do: 'hold', reason: 'the application set could not be read from its source' };
  if (facts.departure.state === 'waiting')
    return { do: 'wait-until', at: facts.departure.until, reason: 'a second load of the application set must lack it too' };
  if (facts.undecided.length > 0) return { do: 'hold', reason: `not planned yet and may declare it: ${facts.undecided.join(', ')}` };
  if (facts.draining.length > 0) return { do: 'hold', reason: `still working: ${facts.draining.join(', ')}` };
  return undefined;
}

/** A batch begins with evidence loaded and the lease renewed for it, and never within a lease time of taking over. */
function freshness(facts: SweepFacts, now: number): SweepAction | undefined {
  if (now < facts.deletionsFrom) return { do: 'wait-until', at: facts.deletionsFrom, reason: 'the lease was taken a moment ago' };
  if (facts.batch.loadedAt < facts.batch.startedAt) return { do: 'load' };
  return facts.batch.renewedAt < facts.batch.startedAt ? { do: 'renew-lease' } : undefined;
}

function removeRecords(facts: SweepFacts, reinstall: boolean): SweepAction | undefined {
  if (facts.records.length > 0) return { do: 'delete-records', records: oldestFirst(facts.records), reinstall };
  if (facts.intents.length > 0) return { do: 'delete-intents', intents: oldestFirst(facts.intents), reinstall };
  return undefined;
}

/**
 * Declared again: a phase that may be half done is finished, since half a stack or half a history heals into nothing; then anew. Whoever
 * has just begun it knows that it is not: the evidence may have been loaded long before, where a machine stood still. That a move was
 * noted stays so when its application alone is back, with another release: what records name is still a person's to purge.
 */
function declaredAgain(mark: SweepMark, facts: SweepFacts, named: boolean, now: number): SweepAction {
  if (facts.frozen) return { do: 'hold', reason: 'the swarm is frozen' };
  const kept = facts.records.length + facts.intents.length;
  const cleared: SweepAction = mark.moved && !named && kept > 0 ? MOVED : { do: 'clear-mark', reason: 'it is declared again' };
  if (!mark.begun || mark.phase === 'volumes' || facts.untouched) return cleared;
  const left = mark.phase === 'stack' ? facts.stack.length : kept;
  if (left === 0) return cleared;
  const stale = freshness(facts, now);
  if (stale) return stale;
  if (mark.phase === 'stack') return { do: 'remove-stack', objects: inOrder(facts.stack), reinstall: true };
  return removeRecords(facts, true) ?? cleared;
}

function stackPhase(mark: SweepMark, facts: SweepFacts, now: number): SweepAction {
  if (facts.stack.length > 0) return { do: 'remove-stack', objects: inOrder(facts.stack), reinstall: false };
  if (mark.moved && facts.records.length + facts.intents.length === 0) return { do: 'done' };
  if (mark.moved) return MOVED;
  return { do: 'mark', mark: { ...mark, phase: 'volumes', begun: false, volumesAt: now + facts.volumes.waitMs } };
}

/** No record is lost while a volume it names remains: it is all that tells whose the volume is (S5). */
function keptVolumes({ remove }: VolumeDecision): SweepAction {
  const names = [...new Set(remove.map(({ volume }) => volume))].join(', ');
  return { do: 'hold', reason: `its volumes stay without --prune-volumes, and its records with them: ${names}` };
}

/** What still stands between a release and the removal of its records; undefined: every node was asked, and no volume of it is left. */
function volumesLeft(mark: SweepMark, facts: SweepFacts, now: number): SweepAction | undefined {
  const { enabled, named, ticketsAt, decision, uncovered } = facts.volumes;
  if (!named) return undefined;
  const at = mark.volumesAt ?? mark.since + facts.volumes.waitMs;
  if (enabled && now < at) return { do: 'wait-until', at, reason: 'its volumes are kept for a while' };
  if (ticketsAt === undefined) return { do: 'request-volumes' };
  if (facts.batch.loadedAt < ticketsAt) return { do: 'load' };
  if (decision.remove.length > 0) return enabled ? { do: 'remove-volumes', volumes: decision.remove } : keptVolumes(decision);
  if (decision.blocked.length > 0)
    return { do: 'hold', reason: `volumes are mounted by services: ${decision.blocked.map(({ volume }) => volume).join(', ')}` };
  if (uncovered.length > 0) {
    const nodes = uncovered.map(({ node, reason }) => `${node} (${reason})`).join(', ');
    return { do: 'hold', reason: `nodes not covered: ${nodes}; they are tried again, or given up: hivekeep prune forget-node ID` };
  }
  return undefined;
}

/** The nodes are asked in phase `records`, too: what an earlier term has heard of them is no longer known, and one may have joined since. */
function proceed(mark: SweepMark, facts: SweepFacts, now: number): SweepAction {
  if (!mark.begun && mark.phase === 'stack' && facts.held !== undefined) return { do: 'hold', reason: facts.held };
  const left = mark.phase === 'stack' ? undefined : volumesLeft(mark, facts, now);
  if (left) return left;
  if (mark.phase === 'volumes') return { do: 'mark', mark: { ...mark, phase: 'records', begun: false } };
  if (!mark.begun) return { do: 'mark', mark: { ...mark, begun: true } };
  if (mark.phase === 'stack') return stackPhase(mark, facts, now);
  return removeRecords(facts, false) ?? { do: 'done' };
}

/** A move is noted at its first sight, before anything may go: a crash in between must not turn it into a departure. */
function begin(facts: SweepFacts, moved: boolean, commit: string, now: number): SweepAction {
  if (facts.stack.length + facts.records.length + facts.intents.length === 0) return { do: 'nothing' };
  if (facts.held !== undefined && !moved) return { do: 'hold', reason: facts.held };
  const { application, release, newestRecord } = facts;
  return { do: 'mark', mark: { application, release, since: now, commit, newestRecord, moved, phase: 'stack', begun: false } };
}

/** A newest record that the mark does not know. Once the records are gone the intents beside them are what is left, not something new. */
function installedAgain(mark: SweepMark, facts: SweepFacts): boolean {
  if (facts.newestRecord === '' || facts.newestRecord === mark.newestRecord) return false;
  return facts.records.length > 0 || mark.phase !== 'records' || !mark.begun;
}

/**
 * A newer record voids all that the mark says but one thing: that a move was noted. The record or the mark may have hung, and which of them
 * is older nobody can tell; only what is declared here again takes a move back.
 */
function startOver(mark: SweepMark, { newestRecord }: SweepFacts, now: number): SweepAction {
  if (!mark.moved) return { do: 'clear-mark', reason: 'it was installed again since it was marked' };
  return { do: 'mark', mark: { ...mark, since: now, newestRecord, phase: 'stack', begun: false } };
}

/**
 * The next step in removing one release: stack, then volumes on every node, then records oldest first, then intents. A pure function of
 * what is known now, so that whoever becomes active carries on from any point; silence of any kind is a hold. The caller carries out the
 * step and asks again with new facts; what was removed is simply no longer among them. It asks after every load of the app set, too.
 */
export function nextSweepAction(mark: SweepMark | undefined, facts: SweepFacts, now: number): SweepAction {
  const { departure } = facts;
  if (departure.state === 'declared') return mark ? declaredAgain(mark, facts, departure.named, now) : { do: 'nothing' };
  const gated = gate(facts);
  if (gated?.do === 'wait-until' && departure.state === 'waiting' && departure.moved && !mark) return begin(facts, true, '', now);
  if (gated) return gated;
  if (departure.state !== 'departed') return { do: 'nothing' };
  if (!mark) return begin(facts, departure.moved, departure.commit, now);
  if (installedAgain(mark, facts)) return startOver(mark, facts, now);
  if (departure.moved && !mark.moved) return { do: 'mark', mark: { ...mark, moved: true, phase: 'stack' } };
  return freshness(facts, now) ?? proceed(mark, facts, now);
}
