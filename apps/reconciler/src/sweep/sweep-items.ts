import type { PruneList, SweepItem } from '@hivekeep/contracts';
import type { Evidence, StampedRelease } from '@hivekeep/planner';
import type { Board } from '../board.ts';
import type { SweepOutcome } from './sweep-release.ts';

/** How the sweep of each departed release stands, as people see it: in the list, and in events when something changes. */
export class SweepItems {
  readonly #board: Board;
  readonly #now: () => Date;
  readonly #items = new Map<string, SweepItem>();
  /** As an earlier term told them; each until this one has looked at it. */
  readonly #recalled = new Map<string, SweepItem>();
  readonly #strays = new Map<string, PruneList['strays']>();

  constructor(board: Board, now: () => Date) {
    this.#board = board;
    this.#now = now;
  }

  list(): Pick<PruneList, 'items' | 'strays'> {
    return { items: [...this.#items.values()], strays: [...this.#strays.values()].flat() };
  }

  /** Takes over what was told of an unfinished sweep, so that it is not told again. */
  recall(items: readonly SweepItem[]): void {
    for (const item of items) this.#recalled.set(item.release, item);
  }

  /** The application a listed release is swept for. */
  applicationOf(release: string): string | undefined {
    return this.#items.get(release)?.application;
  }

  /** Takes in how far a release has come. */
  note(one: StampedRelease, outcome: SweepOutcome, evidence: Evidence): void {
    const { mark, action } = outcome;
    const strays = outcome.strays.map(({ node, volume }) => ({ node, volume, stack: one.release }));
    if (strays.length > 0) this.#strays.set(one.release, strays);
    if (action === 'done') {
      this.#items.delete(one.release);
      this.#told(one, outcome);
      return;
    }
    if (action === 'clear-mark' || action === 'nothing') {
      this.#items.delete(one.release);
      return;
    }
    const item = this.#item(one, evidence);
    this.#tellUncovered(one, item.uncovered, outcome.uncovered);
    this.#items.set(one.release, {
      ...item,
      state: stateOf(outcome),
      since: mark ? new Date(mark.since).toISOString() : item.since,
      commit: mark?.commit ?? evidence.latest?.revision ?? '',
      newestRecord: mark?.newestRecord ?? item.newestRecord,
      moved: mark?.moved ?? false,
      ...(outcome.reason !== undefined && { reason: outcome.reason }),
      ...(mark?.volumesAt !== undefined && { volumesAt: new Date(mark.volumesAt).toISOString() }),
      removedVolumes: [...item.removedVolumes, ...outcome.removedVolumes],
      uncovered: outcome.uncovered.map((node) => ({ ...node })),
    });
  }

  /** The sweep of a release failed; told once for each reason. */
  fail(one: StampedRelease, reason: string, evidence: Evidence): void {
    const { application, release } = one;
    const item = this.#item(one, evidence);
    if (item.reason !== reason) this.#board.event('prune-failed', { application, release, message: `${release}: ${reason}` });
    this.#items.set(release, { ...item, state: 'failed', reason });
  }

  /** Forgets releases that are no candidates any more. */
  keep(candidates: readonly StampedRelease[]): void {
    const names = new Set(candidates.map((one) => one.release));
    for (const items of [this.#items, this.#recalled]) for (const release of items.keys()) if (!names.has(release)) items.delete(release);
  }

  /** Once for each set of nodes and reasons. */
  #tellUncovered({ application, release }: StampedRelease, before: SweepItem['uncovered'], now: SweepOutcome['uncovered']): void {
    const names = (nodes: SweepOutcome['uncovered'] | SweepItem['uncovered']): string =>
      nodes.map(({ node, hostname, reason }) => `${hostname || node} (${reason})`).join(', ');
    if (now.length === 0 || names(now) === names(before)) return;
    this.#board.event('prune-held', { application, release, message: `release ${release}: nodes not covered: ${names(now)}` });
  }

  #told({ application, release }: StampedRelease, outcome: SweepOutcome): void {
    const volumes = outcome.removedVolumes.length > 0 ? `, volumes ${outcome.removedVolumes.join(', ')}` : '';
    this.#board.event('resources-pruned', { application, release, message: `release ${release}: stack, records${volumes}` });
  }

  #item({ application, release }: StampedRelease, evidence: Evidence): SweepItem {
    const known = this.#items.get(release) ?? this.#recalled.get(release);
    this.#recalled.delete(release);
    if (known) return known;
    const since = new Date(evidence.absent.get(release)?.since ?? this.#now().getTime()).toISOString();
    return {
      application,
      release,
      state: 'departed',
      since,
      commit: '',
      newestRecord: '',
      moved: false,
      removedVolumes: [],
      uncovered: [],
    };
  }
}

function stateOf({ action, mark }: SweepOutcome): SweepItem['state'] {
  if (!mark) return action === 'hold' ? 'held' : 'departed';
  if (!mark.begun && mark.phase === 'stack' && action === 'hold') return 'held';
  if (mark.moved) return 'moved';
  if (mark.phase === 'volumes' && action === 'wait-until') return 'volumes-wait';
  return mark.phase;
}
