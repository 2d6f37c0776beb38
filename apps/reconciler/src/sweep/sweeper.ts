import { labels as keys } from '@hivekeep/application';
import { type AppSetStatus, HivekeepError, type PruneList, type SwarmView } from '@hivekeep/contracts';
import { type ApprovalItem, accumulateEvidence, brake, departed, type Evidence, NO_EVIDENCE, type StampedRelease } from '@hivekeep/planner';
import type { Logger } from '@hivekeep/runtime';
import type { AppStateStore, OwnServiceFinder, SwarmLease } from '@hivekeep/swarm';
import type { Board } from '../board.ts';
import type { ReconcilerOptions } from '../config.ts';
import type { Daemon } from '../daemon.ts';
import type { Looks } from '../looks.ts';
import type { Registrations } from '../registrations.ts';
import type { SourceClient } from '../source-client.ts';
import type { SwarmEngine } from '../swarm-engine.ts';
import type { World } from '../world.ts';
import { Approvals } from './approvals.ts';
import { KnownNodes } from './known-nodes.ts';
import { hasBegun, loadOf, markOf, newestRecordId, stampedReleases, unplannedApplications, unreadableRecord } from './sweep-evidence.ts';
import { SweepItems } from './sweep-items.ts';
import type { LoadedSet } from './sweep-loop.ts';
import type { SweepOutcome } from './sweep-release.ts';

export interface SweeperTools {
  readonly options: ReconcilerOptions;
  readonly daemon: Daemon;
  readonly lease: SwarmLease;
  readonly engine: Pick<SwarmEngine, 'uninstall'>;
  readonly looks: Looks;
  readonly states: AppStateStore;
  readonly source: SourceClient;
  readonly own: OwnServiceFinder;
  readonly registrations: Registrations;
  readonly board: Board;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly monotonicNow: () => number;
  /** Loads the app set at once. */
  reload(): void;
  /** Looks for due applications: one that a sweep held back may go on. */
  wake(): void;
}

export type SweepReport = Pick<AppSetStatus, 'orphaned' | 'pruned' | 'pruneHeldBy'>;

/** The time of a lease: nothing is deleted so shortly after taking over. Milliseconds. */
const LEASE_MS = 15_000;

/** Finds what has left the app set and removes it, when it is allowed to, step by proven step. One term's memory. */
export class Sweeper {
  readonly #tools: SweeperTools;
  /** Milliseconds since the epoch as of the term's start, counted on: what has to lie apart must not when somebody sets the wall clock. */
  readonly now: () => number;
  readonly #deletionsFrom: number;
  readonly #items: SweepItems;
  readonly #approvals: Approvals;
  readonly #nodes: KnownNodes;
  readonly #pruned = new Set<string>();
  #marksClaimed = false;
  #orphaned: readonly string[] = [];
  #evidence: Evidence = NO_EVIDENCE;

  constructor(tools: SweeperTools) {
    this.#tools = tools;
    this.#items = new SweepItems(tools.board, tools.now);
    this.#approvals = new Approvals(tools);
    this.#nodes = new KnownNodes(tools);
    const ahead = tools.now().getTime() - tools.monotonicNow();
    this.now = () => Math.round(tools.monotonicNow() + ahead);
    this.#deletionsFrom = this.now() + LEASE_MS;
  }

  /** Before the term's first write: a lease that was just made on a swarm without records of ours need not be approved. */
  async meet(): Promise<void> {
    const { lease, looks, options } = this.#tools;
    if (lease.lastKnown?.state.firstContact !== 'open') return;
    const world = await looks.fresh();
    if (stampedReleases(world, options.controllerId, keys.owner).length === 0) await this.#settleFirstContact();
  }

  /** Takes over what an earlier term told of sweeps. */
  recall(before: SwarmView | undefined): void {
    this.#orphaned = before?.appSet.orphaned ?? [];
    this.#items.recall(before?.prune.items ?? []);
  }

  /** The sweep's turn with what was loaded since the last one, oldest first. Gives what the status says of it. */
  async turn(loads: readonly LoadedSet[], signal: AbortSignal): Promise<SweepReport> {
    const { options, looks, registrations } = this.#tools;
    const world = await looks.fresh();
    await this.#nodes.note(world); // whatever was loaded: a node that comes and leaves while no source answers may hold volumes, too
    await this.#claimMarks(world, signal);
    const newest = loads.at(-1);
    if (!newest) return this.#report([]);
    const stamped = stampedReleases(world, options.controllerId, keys.owner);
    for (const load of loads) this.#learn(load, stamped);
    const gone = stamped.filter(
      (one) => departed(this.#evidence, one, options.appSetIntervalMs).state !== 'declared' && !registrations.get(one.application),
    );
    if (newest.answer.complete) this.#orphan(gone);
    await this.#settleWhereNothingLeft(newest, gone);
    const marked = stamped.filter((one) => markOf(world, one.release) !== undefined);
    const candidates = [...new Map([...gone, ...marked].map((one) => [one.release, one])).values()];
    this.#items.keep(candidates);
    if (options.prune) await this.#askApproval(candidates, world);
    for (const one of candidates) await this.#sweep(one, candidates, signal);
    return this.#report(candidates);
  }

  list(): PruneList {
    const { prune, pruneVolumes } = this.#tools.options;
    return { enabled: prune, volumes: pruneVolumes, ...this.#items.list(), approvals: this.#approvals.list() };
  }

  /** Allows a held batch, or some releases of it, once each. Throws `prune/unknown`. */
  async approve(id: string, releases: readonly string[] | undefined, actor: string): Promise<{ id: string; releases: string[] }> {
    const approved = await this.#approvals.approve(id, releases, actor);
    this.#tools.reload();
    return approved;
  }

  /** Gives up a node for good: its volumes are no longer waited for. Throws `node/unknown`. */
  async forgetNode(node: string, actor: string): Promise<{ node: string }> {
    const forgotten = await this.#nodes.forget(node, actor);
    this.#tools.reload();
    return forgotten;
  }

  /**
   * Writes the marks of earlier terms again in this one, once. What a former holder has still under way (a hung call, a machine that was
   * suspended with its clock) finds that they have moved: it would begin what is declared again by now, and a begun phase is finished.
   */
  async #claimMarks(world: World, signal: AbortSignal): Promise<void> {
    const { daemon, lease, states } = this.#tools;
    if (this.#marksClaimed || lease.lastKnown?.state.freeze !== undefined) return;
    for (const [application, { sweep }] of world.states) {
      if (!sweep) continue;
      daemon.gate.check(signal);
      await daemon.tracked(() => states.update(application, (state) => state, { signal }));
    }
    this.#marksClaimed = true;
  }

  /** One that an evidence load of the last turn has overtaken says nothing new. */
  #learn({ answer, at }: LoadedSet, stamped: readonly StampedRelease[]): void {
    if (at < (this.#evidence.latest?.at ?? at)) return;
    this.#evidence = accumulateEvidence(this.#evidence, loadOf(answer, this.#tools.registrations, at), stamped);
  }

  async #sweep(one: StampedRelease, candidates: readonly StampedRelease[], signal: AbortSignal): Promise<void> {
    try {
      const outcome = await this.#releaseTurn(one, candidates, signal);
      if (hasBegun(outcome.mark)) void this.#approvals.spend(one.release);
      if (outcome.action === 'done') this.#pruned.add(one.application);
      this.#items.note(one, outcome, this.#evidence);
    } catch (error) {
      if (signal.aborted || HivekeepError.is(error, 'cancelled', 'lease/deposed')) throw error;
      const { application, release } = one;
      this.#tools.logger.error('the sweep of a release failed; it goes on after the next load', { application, release, error });
      this.#items.fail(one, HivekeepError.from(error).message, this.#evidence);
    }
  }

  async #releaseTurn(one: StampedRelease, candidates: readonly StampedRelease[], signal: AbortSignal): Promise<SweepOutcome> {
    const { options, lease, looks } = this.#tools;
    const { namespace } = await this.#tools.own.find();
    const work = await this.#tools.registrations.get(one.application)?.acquire(signal);
    try {
      const outcome = await this.#tools.engine.uninstall({
        stamped: one,
        departure: departed(this.#evidence, one, options.appSetIntervalMs),
        undecided: this.#undecided(),
        ownStack: namespace,
        enabled: options.prune,
        volumes: { enabled: options.pruneVolumes, waitMs: options.pruneVolumesAfterMs },
        now: this.now,
        deletionsFrom: this.#deletionsFrom,
        frozen: () => lease.lastKnown?.state.freeze !== undefined,
        reload: (stamped, until) => this.#loadAnew(stamped, until),
        held: (stamped) => this.#heldBy(stamped, candidates, looks.last),
        signal,
      });
      if (outcome.action === 'clear-mark' || outcome.action === 'done') this.#letGo(one.application);
      return outcome;
    } finally {
      work?.end();
      this.#tools.wake();
    }
  }

  /** What was declared again, maybe only since this turn began, is installed at once: its passes were refused until now. */
  #letGo(application: string): void {
    const entry = this.#tools.registrations.get(application);
    if (entry) entry.dueAt = 0;
  }

  async #loadAnew(
    one: StampedRelease,
    signal: AbortSignal,
  ): Promise<{ departure: ReturnType<typeof departed>; undecided: readonly string[] }> {
    const { source, options, registrations } = this.#tools;
    const at = this.now();
    const answer = await source.appSet({ home: options.home, have: this.#evidence.latest?.revision, evidence: true }, signal);
    const load = loadOf(answer, registrations, at);
    if (!load.complete) return { departure: { state: 'silent' }, undecided: [] };
    const known = [...this.#evidence.absent.keys()].map((release) => ({
      application: release === one.release ? one.application : (this.#items.applicationOf(release) ?? ''),
      release,
    }));
    this.#evidence = accumulateEvidence(this.#evidence, load, known);
    return { departure: departed(this.#evidence, one, options.appSetIntervalMs), undecided: this.#undecided() };
  }

  #undecided(): readonly string[] {
    return this.#evidence.latest ? unplannedApplications(this.#evidence.latest, this.#tools.registrations) : [];
  }

  /** Why the removal of a release does not begin. Asked anew for each: a turn may outlast an interval, and what left meanwhile counts. */
  #heldBy(one: StampedRelease, candidates: readonly StampedRelease[], world: World | undefined): string | undefined {
    const unreadable = unreadableRecord(world, one.release);
    if (unreadable !== undefined || world === undefined || this.#isApproved(one, world)) return unreadable;
    return this.#brake(this.#waiting(candidates, world), candidates, world);
  }

  /** What has left and has not begun to go. */
  #waiting(candidates: readonly StampedRelease[], world: World): StampedRelease[] {
    const { appSetIntervalMs } = this.#tools.options;
    const hasLeft = (one: StampedRelease): boolean => departed(this.#evidence, one, appSetIntervalMs).state === 'departed';
    return candidates.filter((one) => !hasBegun(markOf(world, one.release)) && hasLeft(one));
  }

  /** Why no further removal begins. */
  #brake(waiting: readonly StampedRelease[], candidates: readonly StampedRelease[], world: World): string | undefined {
    const { latest, rewritten } = this.#evidence;
    if (!latest) return undefined;
    return brake({
      marked: namesOf(candidates.filter((one) => hasBegun(markOf(world, one.release)))),
      departed: namesOf(waiting),
      total: latest.applications.length + namesOf(candidates).length,
      empty: latest.applications.length === 0,
      rewritten,
      firstContact: this.#tools.lease.lastKnown?.state.firstContact === 'open',
    });
  }

  /** Where the brake holds, a request for an approval is on the lease afterwards. */
  async #askApproval(candidates: readonly StampedRelease[], world: World): Promise<void> {
    const waiting = this.#waiting(candidates, world);
    const reason = this.#brake(waiting, candidates, world);
    if (reason === undefined) return;
    const items: ApprovalItem[] = waiting.map((one) => ({ ...one, newestRecord: newestRecordId(world, one.release) }));
    const id = await this.#approvals.request(reason, items);
    if (id === undefined) return;
    const message = `${reason}: ${namesOf(waiting).join(', ')}; 'hivekeep prune approve ${id}' lets them go`;
    this.#tools.board.event('prune-held', { message });
  }

  #isApproved({ application, release }: StampedRelease, world: World): boolean {
    return this.#approvals.covers({ application, release, newestRecord: newestRecordId(world, release) });
  }

  #orphan(gone: readonly StampedRelease[]): void {
    const orphaned = [...new Set(gone.map((one) => one.application))];
    for (const application of orphaned) {
      if (!this.#orphaned.includes(application))
        this.#tools.board.event('application-orphaned', { application, message: 'it has left the application set' });
    }
    this.#orphaned = orphaned;
  }

  #report(candidates: readonly StampedRelease[]): SweepReport {
    for (const application of this.#pruned) if (this.#tools.registrations.get(application)) this.#pruned.delete(application);
    const heldBy = [...new Set([...this.#undecided(), ...this.#tools.registrations.draining()])];
    return {
      orphaned: this.#orphaned.filter((application) => !this.#pruned.has(application)),
      pruned: [...this.#pruned],
      pruneHeldBy: candidates.length > 0 && this.#tools.options.prune ? heldBy : [],
    };
  }

  /** A whole load that lacks nothing settles what an approval would have been for. */
  async #settleWhereNothingLeft({ answer, accepted }: LoadedSet, gone: readonly StampedRelease[]): Promise<void> {
    if (!answer.complete || gone.length > 0) return;
    if (this.#tools.lease.lastKnown?.state.firstContact === 'open') await this.#settleFirstContact();
    // What was accepted when it was loaded is not put back over what was accepted since.
    if (answer.mode === 'git' && !accepted) {
      await this.#tools.daemon.gate.keep((state) => ({ ...state, commit: answer.revision }));
    }
  }

  async #settleFirstContact(): Promise<void> {
    await this.#tools.daemon.gate.keep((state) => ({ ...state, firstContact: 'settled' }));
  }
}

/** Names of their applications, each once. */
function namesOf(releases: readonly StampedRelease[]): string[] {
  return [...new Set(releases.map((one) => one.application))];
}
