import { labels as keys } from '@hivekeep/application';
import type { ReleaseRecord } from '@hivekeep/charts';
import { type AppSetAnswer, type AppSetStatus, HivekeepError, type PruneList, type SweepItem } from '@hivekeep/contracts';
import {
  type ApprovalItem,
  accumulateEvidence,
  brake,
  departed,
  type Evidence,
  findApproval,
  isRequested,
  liveApprovals,
  NO_EVIDENCE,
  requestApproval,
  type StampedRelease,
  useApproval,
} from '@hivekeep/planner';
import type { Logger } from '@hivekeep/runtime';
import type {
  AppStateStore,
  ControllerState,
  IntentStore,
  KnownNode,
  OwnServiceFinder,
  RecordStore,
  SwarmLease,
  SwarmWatcher,
} from '@hivekeep/swarm';
import type { Board } from '../board.ts';
import type { ReconcilerOptions } from '../config.ts';
import type { Daemon } from '../daemon.ts';
import type { Looks } from '../looks.ts';
import type { Registrations } from '../registrations.ts';
import type { SourceClient } from '../source-client.ts';
import type { World } from '../world.ts';
import type { AgentReach } from './agent-reach.ts';
import { hasBegun, loadOf, markOf, newestRecordId, stampedReleases, unplannedApplications, unreadableRecord } from './sweep-evidence.ts';
import { type SweepOutcome, sweepRelease } from './sweep-release.ts';

export interface SweeperTools {
  readonly options: ReconcilerOptions;
  readonly daemon: Daemon;
  readonly lease: SwarmLease;
  readonly watcher: Pick<SwarmWatcher, 'resync'>;
  readonly looks: Looks;
  readonly reach: AgentReach;
  readonly source: SourceClient;
  readonly records: RecordStore<ReleaseRecord>;
  readonly intents: IntentStore;
  readonly states: AppStateStore;
  readonly own: OwnServiceFinder;
  readonly registrations: Registrations;
  readonly board: Board;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly monotonicNow: () => number;
  /** Loads the app set at once. */
  reload(): void;
  /** Looks for due applications: one that a sweep held back may go on. */
  wake(): void;
}

type SweepReport = Pick<AppSetStatus, 'orphaned' | 'pruned' | 'pruneHeldBy'>;

/** The time of a lease: nothing is deleted so shortly after taking over. Milliseconds. */
const LEASE_MS = 15_000;

/** Finds what has left the app set and removes it, when it is allowed to, step by proven step. One term's memory. */
export class Sweeper {
  readonly #tools: SweeperTools;
  readonly #startedAt: number;
  readonly #items = new Map<string, SweepItem>();
  readonly #strays = new Map<string, PruneList['strays']>();
  readonly #pruned = new Set<string>();
  #orphaned: readonly string[] = [];
  #evidence: Evidence = NO_EVIDENCE;
  #working: Promise<unknown> = Promise.resolve();

  constructor(tools: SweeperTools) {
    this.#tools = tools;
    this.#startedAt = tools.now().getTime();
  }

  /** Before the term's first write: a lease that was just made on a swarm without records of ours need not be approved. */
  async meet(): Promise<void> {
    const { lease, looks, options } = this.#tools;
    if (lease.lastKnown?.state.firstContact !== 'open') return;
    const world = await looks.fresh();
    if (stampedReleases(world, options.controllerId, keys.owner).length === 0) await this.#settleFirstContact();
  }

  /** The sweep's turn after a load. Gives what the status says of it. */
  async afterLoad(answer: AppSetAnswer | undefined, applied: boolean, signal: AbortSignal): Promise<SweepReport> {
    const turn = this.#turn(applied ? answer : undefined, signal);
    this.#working = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when the turn under way has ended. */
  async settled(): Promise<void> {
    await this.#working;
  }

  list(): PruneList {
    const { options, lease } = this.#tools;
    const approvals = liveApprovals(lease.lastKnown?.state.approvals ?? [], this.#tools.now().getTime());
    return {
      enabled: options.prune,
      volumes: options.pruneVolumes,
      items: [...this.#items.values()],
      approvals: approvals.map(({ id, reason, createdAt, expiresAt, items }) => ({ id, reason, createdAt, expiresAt, items })),
      strays: [...this.#strays.values()].flat(),
    };
  }

  /** Allows a held batch, or some releases of it, once each. Throws `prune/unknown`. */
  async approve(id: string, releases: readonly string[] | undefined, actor: string): Promise<{ id: string; releases: string[] }> {
    let approved: string[] = [];
    await this.#tools.daemon.gate.keep((state) => {
      const found = state.approvals?.find((approval) => approval.id === id && this.#tools.now().getTime() < Date.parse(approval.expiresAt));
      if (!found) throw new HivekeepError('prune/unknown', `no approval '${id}' waits; 'hivekeep prune list' shows what does`);
      const offered = found.items.map((item) => item.release);
      const unknown = (releases ?? []).filter((release) => !offered.includes(release));
      if (unknown.length > 0)
        throw new HivekeepError('prune/unknown', `approval '${id}' does not list ${unknown.join(', ')}; it lists ${offered.join(', ')}`);
      approved = [...new Set([...(found.approved ?? []), ...(releases ?? offered)])];
      const changed = { ...found, approved, approvedBy: actor, approvedAt: this.#tools.now().toISOString() };
      return { ...state, approvals: (state.approvals ?? []).map((approval) => (approval === found ? changed : approval)) };
    });
    this.#tools.reload();
    return { id, releases: approved };
  }

  /** Gives up a node for good: its volumes are no longer waited for. Throws `node/unknown`. */
  async forgetNode(node: string, actor: string): Promise<{ node: string }> {
    let forgotten = node;
    await this.#tools.daemon.gate.keep((state) => {
      const known = Object.entries(state.nodes ?? {});
      const matches = known.filter(([id, { hostname }]) => id === node || hostname === node);
      const [match] = matches;
      if (!match)
        throw new HivekeepError(
          'node/unknown',
          `no node '${node}' was ever listed on this swarm; 'hivekeep prune list' names the uncovered ones`,
        );
      if (matches.length > 1)
        throw new HivekeepError(
          'node/unknown',
          `'${node}' names ${matches.length} nodes; use the id of one: ${matches.map(([id]) => id).join(', ')}`,
        );
      forgotten = match[0];
      return {
        ...state,
        nodes: { ...state.nodes, [match[0]]: { ...match[1], forgotten: { by: actor, at: this.#tools.now().toISOString() } } },
      };
    });
    this.#tools.reload();
    return { node: forgotten };
  }

  async #turn(answer: AppSetAnswer | undefined, signal: AbortSignal): Promise<SweepReport> {
    if (!answer) return this.#report([]);
    const { options, looks, registrations } = this.#tools;
    const world = await looks.fresh();
    await this.#noteNodes(world);
    const stamped = stampedReleases(world, options.controllerId, keys.owner);
    this.#learn(answer, stamped);
    const gone = stamped.filter(
      (one) => departed(this.#evidence, one, options.appSetIntervalMs).state !== 'declared' && !registrations.get(one.application),
    );
    this.#orphan(gone);
    await this.#settleWhereNothingLeft(answer, gone);
    const marked = stamped.filter((one) => markOf(world, one.release) !== undefined);
    const candidates = [...new Map([...gone, ...marked].map((one) => [one.release, one])).values()];
    this.#forget(candidates);
    const held = options.prune ? await this.#brake(candidates, world) : undefined;
    for (const one of candidates) await this.#sweep(one, held, signal);
    return this.#report(candidates);
  }

  #learn(answer: AppSetAnswer, stamped: readonly StampedRelease[]): void {
    const load = loadOf(answer, this.#tools.registrations, this.#tools.now().getTime());
    this.#evidence = accumulateEvidence(this.#evidence, load, stamped);
  }

  async #sweep(one: StampedRelease, held: string | undefined, signal: AbortSignal): Promise<void> {
    const { logger, board } = this.#tools;
    try {
      const outcome = await this.#releaseTurn(one, held, signal);
      this.#note(one, outcome);
    } catch (error) {
      if (signal.aborted || HivekeepError.is(error, 'cancelled', 'lease/deposed')) throw error;
      const { message } = HivekeepError.from(error);
      logger.error('the sweep of a release failed; it goes on after the next load', {
        application: one.application,
        release: one.release,
        error,
      });
      if (this.#items.get(one.release)?.reason !== message)
        board.event('prune-failed', { application: one.application, message: `${one.release}: ${message}` });
      this.#items.set(one.release, { ...this.#item(one), state: 'failed', reason: message });
    }
  }

  async #releaseTurn(one: StampedRelease, held: string | undefined, signal: AbortSignal): Promise<SweepOutcome> {
    const { options, lease, looks } = this.#tools;
    const { namespace } = await this.#tools.own.find();
    const entry = this.#tools.registrations.get(one.application);
    const work = await entry?.acquire(signal);
    try {
      const seen = { departure: departed(this.#evidence, one, options.appSetIntervalMs), undecided: this.#undecided() };
      const outcome = await sweepRelease(
        {
          ...this.#tools,
          swarm: options.swarm,
          ownStack: namespace,
          enabled: options.prune,
          volumes: { enabled: options.pruneVolumes, waitMs: options.pruneVolumesAfterMs },
          now: () => this.#tools.now().getTime(),
          deletionsFrom: this.#startedAt + LEASE_MS,
          frozen: () => lease.lastKnown?.state.freeze !== undefined,
          reload: (stamped, until) => this.#loadAnew(stamped, until),
          held: (stamped) => unreadableRecord(looks.last, stamped.release) ?? (this.#approvalOf(stamped, looks.last) ? undefined : held),
        },
        one,
        seen,
        signal,
      );
      if (entry && outcome.action === 'clear-mark') entry.dueAt = 0;
      return outcome;
    } finally {
      work?.end();
      if (entry) this.#tools.wake();
    }
  }

  async #loadAnew(
    one: StampedRelease,
    signal: AbortSignal,
  ): Promise<{ departure: ReturnType<typeof departed>; undecided: readonly string[] }> {
    const { source, options, registrations } = this.#tools;
    const answer = await source.appSet({ home: options.home, have: this.#evidence.latest?.revision, evidence: true }, signal);
    const load = loadOf(answer, registrations, this.#tools.now().getTime());
    if (!load.complete) return { departure: { state: 'silent' }, undecided: [] };
    const known = [...this.#evidence.absent.keys()].map((release) => ({
      application: release === one.release ? one.application : (this.#items.get(release)?.application ?? ''),
      release,
    }));
    this.#evidence = accumulateEvidence(this.#evidence, load, known);
    return { departure: departed(this.#evidence, one, options.appSetIntervalMs), undecided: this.#undecided() };
  }

  #undecided(): readonly string[] {
    return this.#evidence.latest ? unplannedApplications(this.#evidence.latest, this.#tools.registrations) : [];
  }

  /** Why no further removal begins; the request for an approval is on the lease then. */
  async #brake(candidates: readonly StampedRelease[], world: World): Promise<string | undefined> {
    const { latest } = this.#evidence;
    if (!latest) return undefined;
    const { options, lease, board } = this.#tools;
    const begun = (one: StampedRelease): boolean => hasBegun(markOf(world, one.release));
    const waiting = candidates.filter((one) => !begun(one) && departed(this.#evidence, one, options.appSetIntervalMs).state === 'departed');
    const names = (list: readonly StampedRelease[]): string[] => [...new Set(list.map((one) => one.application))];
    const reason = brake({
      marked: names(candidates.filter(begun)),
      departed: names(waiting),
      total: latest.applications.length + names(candidates).length,
      empty: latest.applications.length === 0,
      rewritten: this.#evidence.rewritten,
      firstContact: lease.lastKnown?.state.firstContact === 'open',
    });
    if (reason === undefined) return undefined;
    const items: ApprovalItem[] = waiting.map((one) => ({ ...one, newestRecord: newestRecordId(world, one.release) }));
    const now = this.#tools.now().getTime();
    const kept = lease.lastKnown?.state.approvals ?? [];
    if (isRequested(items, kept, now)) return reason;
    const request = requestApproval(reason, items, now);
    await this.#tools.daemon.gate.keep(
      (state) => ({ ...state, approvals: [...liveApprovals(state.approvals ?? [], now), request] }) as ControllerState,
    );
    board.event('prune-held', { message: `${reason}: ${names(waiting).join(', ')}; 'hivekeep prune approve ${request.id}' lets them go` });
    return reason;
  }

  #approvalOf({ application, release }: StampedRelease, world: World | undefined): boolean {
    if (!world) return false;
    const item = { application, release, newestRecord: newestRecordId(world, release) };
    return findApproval(item, this.#tools.lease.lastKnown?.state.approvals ?? [], this.#tools.now().getTime()) !== undefined;
  }

  #note(one: StampedRelease, outcome: SweepOutcome): void {
    const { mark, action } = outcome;
    if (hasBegun(mark)) void this.#spend(one);
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
    const item = this.#item(one);
    this.#tellUncovered(one, item.uncovered, outcome.uncovered);
    this.#items.set(one.release, {
      ...item,
      state: stateOf(outcome),
      since: mark ? new Date(mark.since).toISOString() : item.since,
      commit: mark?.commit ?? this.#evidence.latest?.revision ?? '',
      newestRecord: mark?.newestRecord ?? item.newestRecord,
      moved: mark?.moved ?? false,
      ...(outcome.reason !== undefined && { reason: outcome.reason }),
      ...(mark?.volumesAt !== undefined && { volumesAt: new Date(mark.volumesAt).toISOString() }),
      removedVolumes: [...item.removedVolumes, ...outcome.removedVolumes],
      uncovered: outcome.uncovered.map((node) => ({ ...node })),
    });
  }

  /** Once for each set of nodes and reasons. */
  #tellUncovered({ application, release }: StampedRelease, before: SweepItem['uncovered'], now: SweepOutcome['uncovered']): void {
    const names = (nodes: SweepOutcome['uncovered'] | SweepItem['uncovered']): string =>
      nodes.map(({ node, hostname, reason }) => `${hostname || node} (${reason})`).join(', ');
    if (now.length === 0 || names(now) === names(before)) return;
    this.#tools.board.event('prune-held', { application, message: `release ${release}: nodes not covered: ${names(now)}` });
  }

  #told(one: StampedRelease, outcome: SweepOutcome): void {
    const volumes = outcome.removedVolumes.length > 0 ? `, volumes ${outcome.removedVolumes.join(', ')}` : '';
    this.#tools.board.event('resources-pruned', {
      application: one.application,
      message: `release ${one.release}: stack, records${volumes}`,
    });
    this.#pruned.add(one.application);
  }

  /** An approval is used once for each item: when its removal has begun. */
  async #spend({ release }: StampedRelease): Promise<void> {
    const { lease } = this.#tools;
    const used = lease.lastKnown?.state.approvals?.some(
      (approval) => approval.approved?.includes(release) && !approval.used.includes(release),
    );
    if (!used) return;
    await this.#tools.daemon.gate
      .keep(
        (state) =>
          ({
            ...state,
            approvals: (state.approvals ?? []).map((approval) =>
              approval.approved?.includes(release) ? { ...approval, ...useApproval(approval, release) } : approval,
            ),
          }) as ControllerState,
      )
      .catch((error: unknown) => this.#tools.logger.warn('an approval could not be marked as used', { release, error }));
  }

  #item({ application, release }: StampedRelease): SweepItem {
    const known = this.#items.get(release);
    if (known) return known;
    const since = new Date(this.#evidence.absent.get(release)?.since ?? this.#tools.now().getTime()).toISOString();
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

  /** Items of releases that are no candidates any more. */
  #forget(candidates: readonly StampedRelease[]): void {
    const names = new Set(candidates.map((one) => one.release));
    for (const release of this.#items.keys()) if (!names.has(release)) this.#items.delete(release);
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
  async #settleWhereNothingLeft(answer: AppSetAnswer, gone: readonly StampedRelease[]): Promise<void> {
    if (!answer.complete || gone.length > 0) return;
    if (this.#tools.lease.lastKnown?.state.firstContact === 'open') await this.#settleFirstContact();
    if (answer.mode === 'git' && answer.revision !== this.#tools.lease.lastKnown?.state.commit) {
      await this.#tools.daemon.gate.keep((state) => ({ ...state, commit: answer.revision }));
    }
  }

  async #settleFirstContact(): Promise<void> {
    await this.#tools.daemon.gate.keep((state) => ({ ...state, firstContact: 'settled' }));
  }

  /** Keeps every node id the manager ever listed: one that left may come back under another id with its volumes. */
  async #noteNodes(world: World): Promise<void> {
    const { lease, now } = this.#tools;
    const known = lease.lastKnown?.state.nodes ?? {};
    const fresh = world.index.snapshot.nodes.filter((node) => known[node.id] === undefined);
    if (fresh.length === 0) return;
    const since = now().toISOString();
    const added: Record<string, KnownNode> = Object.fromEntries(fresh.map((node) => [node.id, { hostname: node.hostname, since }]));
    await this.#tools.daemon.gate.keep((state) => ({ ...state, nodes: { ...added, ...state.nodes } }));
  }
}

function stateOf({ action, mark }: SweepOutcome): SweepItem['state'] {
  if (!mark) return action === 'hold' ? 'held' : 'departed';
  if (mark.moved) return 'moved';
  if (mark.phase === 'volumes' && action === 'wait-until') return 'volumes-wait';
  return mark.phase;
}
