import { createHash } from 'node:crypto';
import type { Approval } from '@hivekeep/contracts';

/** An approval holds for this long, milliseconds. */
const APPROVAL_MS = 24 * 60 * 60_000;
const FREE_APPLICATIONS = 3;
const FREE_SHARE = 0.2;

export interface BrakeFacts {
  /** Applications whose removal has begun and is not finished. */
  readonly marked: readonly string[];
  /** Applications that have left and of which nothing has been removed yet. */
  readonly departed: readonly string[];
  /** Applications of the swarm: those declared and those that left. */
  readonly total: number;
  /** Whether the set has no application for this swarm. */
  readonly empty: boolean;
  /** Whether the newest commit does not descend from the one accepted before. */
  readonly rewritten: boolean;
  /** Whether the lease is newly made on a swarm that already holds records. */
  readonly firstContact: boolean;
}

/** Why no further removal may begin without a person's approval; undefined when it may. */
export function brake(facts: BrakeFacts): string | undefined {
  if (facts.departed.length === 0) return undefined;
  if (facts.empty) return 'the application set names no application for this swarm';
  if (facts.rewritten) return 'the history of the application set was rewritten, and what it names now is less';
  if (facts.firstContact) return 'this controller is new on this swarm and found release records';
  const leaving = new Set([...facts.marked, ...facts.departed]).size;
  const free = Math.max(FREE_APPLICATIONS, FREE_SHARE * facts.total);
  return leaving > free ? `${leaving} of ${facts.total} applications would go, more than ${Math.floor(free)}` : undefined;
}

export type ApprovalItem = Approval['items'][number];

/** An approval as it is kept on the lease: what was asked, which releases a person allowed, and which of those were used. */
export interface KeptApproval extends Approval {
  readonly approved?: string[] | undefined;
  readonly used: string[];
}

/** A request for approval of these items. Equal items at the same time give the same id. */
export function requestApproval(reason: string, items: readonly ApprovalItem[], now: number): KeptApproval {
  const content = items.map((item) => `${item.application}/${item.release}/${item.newestRecord}`).sort();
  const id = createHash('sha256')
    .update(`${now} ${content.join(' ')}`)
    .digest('hex')
    .slice(0, 8);
  const time = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  return { id, reason, createdAt: time(now), expiresAt: time(now + APPROVAL_MS), items: [...items], used: [] };
}

function covers(approval: KeptApproval, item: ApprovalItem, now: number): boolean {
  return (
    (approval.approved?.includes(item.release) ?? false) &&
    !approval.used.includes(item.release) &&
    now < Date.parse(approval.expiresAt) &&
    approval.items.some(
      (listed) => listed.release === item.release && listed.application === item.application && listed.newestRecord === item.newestRecord,
    )
  );
}

/** The approval that covers an item now: approved for that release and that newest record, not used, not expired. */
export function findApproval(item: ApprovalItem, approvals: readonly KeptApproval[], now: number): KeptApproval | undefined {
  return approvals.find((approval) => covers(approval, item, now));
}

/** The approval after one of its releases was used: it can't be used again. */
export function useApproval(approval: KeptApproval, release: string): KeptApproval {
  return { ...approval, used: [...approval.used, release] };
}

/** Approvals that still matter: not expired, with something left to allow or to use. */
export function liveApprovals(approvals: readonly KeptApproval[], now: number): KeptApproval[] {
  return approvals.filter(
    (approval) => now < Date.parse(approval.expiresAt) && approval.items.some(({ release }) => !approval.used.includes(release)),
  );
}

/** Whether all these items already wait in one request, so that none is made twice. */
export function isRequested(items: readonly ApprovalItem[], approvals: readonly KeptApproval[], now: number): boolean {
  return approvals.some(
    (approval) =>
      now < Date.parse(approval.expiresAt) &&
      items.every((item) =>
        approval.items.some(
          (listed) => listed.release === item.release && listed.newestRecord === item.newestRecord && !approval.used.includes(item.release),
        ),
      ),
  );
}
