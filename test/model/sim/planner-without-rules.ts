import type * as Planner from '@hivekeep/planner';
import { isOff } from './rules.ts';
import { currentHost, type Host } from './virtual-time.ts';

/** The planner's decisions, each as it is or without the rule that is off. */
export function plannerWithoutRules(real: typeof Planner): typeof Planner {
  return {
    ...real,
    accumulateEvidence: (previous, load, stamped) => {
      if (isOff('another line of history starts anew')) return real.accumulateEvidence(previous, { ...load, descends: true }, stamped);
      if (!isOff('a new holder starts with an empty memory')) return real.accumulateEvidence(previous, load, stamped);
      const host = currentHost();
      const kept = previous === real.NO_EVIDENCE ? (evidenceOf.get(host as Host) ?? previous) : previous;
      const evidence = real.accumulateEvidence(kept as Planner.Evidence, load, stamped);
      if (host) evidenceOf.set(host, evidence);
      return evidence;
    },
    departed: (evidence, stamped, interval) => {
      const found = real.departed(evidence, stamped, interval);
      if (found.state === 'waiting' && isOff('departed is missing in two loads'))
        return { state: 'departed', moved: found.moved, commit: evidence.latest?.revision ?? '' };
      if (found.state === 'departed' && isOff('a move outlives later removals'))
        return { ...found, moved: isElsewhere(real, evidence, stamped) };
      if (found.state === 'declared' && isOff('only its own name takes a move back')) return { ...found, named: true };
      return found;
    },
    brake: (facts) => {
      if (isOff('many at once need an approval')) return undefined;
      if (isOff('an empty set needs an approval')) return real.brake({ ...facts, empty: false });
      return real.brake(isOff('first contact needs an approval') ? { ...facts, firstContact: false } : facts);
    },
    requestApproval: (reason, items, now) => {
      const requested = real.requestApproval(reason, items, now);
      return isOff('an approval ends after a day') ? { ...requested, expiresAt: '9999-01-01T00:00:00Z' } : requested;
    },
    useApproval: (approval, release) => (isOff('an approval is used once') ? approval : real.useApproval(approval, release)),
    coverage: (facts) => {
      if (isOff('nodes that left are uncovered')) return real.coverage({ ...facts, everListed: new Map() });
      const covered = real.coverage(facts);
      return isOff('uncovered nodes hold the records') ? covered.map((node) => ({ ...node, covered: true })) : covered;
    },
    volumesToRemove: (facts) => real.volumesToRemove(volumeFacts(facts)),
    planRelease: (input) => {
      const planned = real.planRelease({ ...input, intents: input.intents.map(intentAsRead) });
      if (!isOff('left-over intents are taken back')) return planned;
      const { settles: _, ...plan } = planned;
      return plan;
    },
    planTrim: (records, most, protect) =>
      real.planTrim(
        records,
        most,
        isOff('trimming keeps the last record of a volume') ? { ...protect, existingVolumes: new Set() } : protect,
      ),
    sameValue: (a, b) => isOff('a changed spec is left to whoever changed it') || real.sameValue(a, b),
    nextSweepAction: (mark, facts, now) => nextSweepAction(real, mark, facts, now),
  };
}

const evidenceOf = new WeakMap<Host, unknown>();

function isElsewhere(real: typeof Planner, { latest }: Planner.Evidence, stamped: Planner.StampedRelease): boolean {
  return latest !== undefined && real.placeOf(stamped, latest) === 'elsewhere';
}

type Intent = Planner.ReleaseInput['intents'][number];

function intentAsRead(intent: Intent): Intent {
  if (isOff('what a hung update may change is written again')) return { ...intent, version: 0 };
  return isOff('what was begun is finished or found equal') ? { ...intent, revision: 0 } : intent;
}

function volumeFacts(facts: Planner.VolumeFacts): Planner.VolumeFacts {
  if (isOff('own records are no other declaration'))
    return { ...facts, declaredByOthers: new Map([...facts.namedByRelease].map((volume) => [volume, 'itself'])) };
  if (isOff('what others declare stays')) return { ...facts, declaredByOthers: new Map() };
  if (isOff('what a service mounts stays')) return { ...facts, mountedNow: new Set() };
  if (isOff('volumes that no record names stay'))
    return { ...facts, namedByRelease: new Set(facts.tickets.flatMap(({ volumes }) => volumes)) };
  return facts;
}

type Next = typeof Planner.nextSweepAction;

function nextSweepAction(real: typeof Planner, ...[mark, facts, now]: Parameters<Next>): ReturnType<Next> {
  const { batch, volumes } = facts;
  if (isOff('the first deletion waits one lease time')) return real.nextSweepAction(mark, { ...facts, deletionsFrom: 0 }, now);
  if (isOff('each batch loads anew'))
    return real.nextSweepAction(mark, { ...facts, batch: { ...batch, loadedAt: Number.POSITIVE_INFINITY } }, now);
  if (isOff('evidence is read after the tickets')) {
    const loadedAt = batch.loadedAt >= batch.startedAt ? Math.max(batch.loadedAt, volumes.ticketsAt ?? 0) : batch.loadedAt;
    return real.nextSweepAction(mark, { ...facts, batch: { ...batch, loadedAt } }, now);
  }
  if (isOff('nodes are asked again before the records go') && mark?.phase === 'records')
    return real.nextSweepAction(mark, { ...facts, volumes: { ...volumes, named: false } }, now);
  if (isOff('a batch renews the lease'))
    return real.nextSweepAction(mark, { ...facts, batch: { ...batch, renewedAt: Number.POSITIVE_INFINITY } }, now);
  if (isOff('a half-done phase is finished') && facts.departure.state === 'declared' && mark)
    return { do: 'clear-mark', reason: 'it is declared again' };
  if (isOff('what was just begun is no half-done phase')) return real.nextSweepAction(mark, { ...facts, untouched: false }, now);
  if (isOff('a newer record voids the mark'))
    return real.nextSweepAction(mark, { ...facts, newestRecord: mark?.newestRecord ?? facts.newestRecord }, now);
  if (isOff('a newer record leaves a noted move') && mark && mark.newestRecord !== facts.newestRecord)
    return real.nextSweepAction({ ...mark, moved: false }, facts, now);
  if (isOff('a move outlives later removals') && mark) {
    const { departure } = facts;
    return real.nextSweepAction({ ...mark, moved: departure.state === 'departed' && departure.moved }, facts, now);
  }
  if (isOff('records go oldest first')) return newestFirst(real.nextSweepAction(mark, facts, now));
  if (isOff('intents are swept')) return real.nextSweepAction(mark, { ...facts, intents: [] }, now);
  if (isOff('a mark is kept before the first deletion')) return withoutMark(real, facts, now);
  return real.nextSweepAction(mark, facts, now);
}

function newestFirst(action: ReturnType<Next>): ReturnType<Next> {
  return action.do === 'delete-records' ? { ...action, records: action.records.toReversed() } : action;
}

/** Goes on as if each mark had been written, which is in this process's memory alone. */
function withoutMark(real: typeof Planner, facts: Planner.SweepFacts, now: number): ReturnType<Next> {
  const host = currentHost();
  const marks = marksOf.get(host as Host) ?? new Map<string, Planner.SweepMark>();
  if (host) marksOf.set(host, marks);
  for (let step = 0; step < 10; step += 1) {
    const action = real.nextSweepAction(marks.get(facts.release), facts, now);
    if (action.do === 'done' || action.do === 'clear-mark') marks.delete(facts.release);
    if (action.do !== 'mark') return action;
    marks.set(facts.release, action.mark);
  }
  return { do: 'nothing' };
}

const marksOf = new WeakMap<Host, Map<string, Planner.SweepMark>>();
