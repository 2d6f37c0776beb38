import { HivekeepError, type PruneList } from '@hivekeep/contracts';
import { type ApprovalItem, findApproval, isRequested, liveApprovals, requestApproval, useApproval } from '@hivekeep/planner';
import type { Logger } from '@hivekeep/runtime';
import type { ControllerState, SwarmLease } from '@hivekeep/swarm';
import type { Daemon } from '../daemon.ts';

export interface ApprovalsTools {
  readonly daemon: Daemon;
  readonly lease: SwarmLease;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** What people must allow before it is removed. It is kept on the lease, so that it outlives a term. */
export class Approvals {
  readonly #tools: ApprovalsTools;

  constructor(tools: ApprovalsTools) {
    this.#tools = tools;
  }

  /** Those that still matter. */
  list(): PruneList['approvals'] {
    const live = liveApprovals(this.#kept, this.#tools.now().getTime());
    return live.map(({ id, reason, createdAt, expiresAt, items }) => ({ id, reason, createdAt, expiresAt, items }));
  }

  /** Whether a person has allowed this very release to go. */
  covers(item: ApprovalItem): boolean {
    return findApproval(item, this.#kept, this.#tools.now().getTime()) !== undefined;
  }

  /** Asks for an approval of these items; its id, undefined when they wait in one already. */
  async request(reason: string, items: readonly ApprovalItem[]): Promise<string | undefined> {
    const now = this.#tools.now().getTime();
    if (isRequested(items, this.#kept, now)) return undefined;
    const request = requestApproval(reason, items, now);
    await this.#tools.daemon.gate.keep(
      (state) => ({ ...state, approvals: [...liveApprovals(state.approvals ?? [], now), request] }) as ControllerState,
    );
    return request.id;
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
    return { id, releases: approved };
  }

  /** An approval is used once for each item: when its removal has begun. */
  async spend(release: string): Promise<void> {
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

  get #kept() {
    return this.#tools.lease.lastKnown?.state.approvals ?? [];
  }
}
