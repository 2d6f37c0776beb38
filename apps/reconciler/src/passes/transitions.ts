import type { EventType, Status } from '@hivekeep/contracts';

export interface Transition {
  readonly type: EventType;
  readonly message: string;
}

/** What to tell of a new status: a condition is told when it begins, not each time it is seen. Pure. */
export function transitions(before: Status, after: Status): Transition[] {
  const told: Transition[] = [];
  const { install, upgrade } = after.sync.summary;
  if (install + upgrade > 0 && before.sync.state !== 'out-of-sync') {
    told.push({ type: 'drift-detected', message: `${install} to install, ${upgrade} to upgrade` });
  }
  if (after.drift?.state === 'detected' && before.drift?.state !== 'detected') {
    told.push({ type: 'live-drift-detected', message: after.drift.message ?? 'the swarm differs from the manifest' });
  }
  return told;
}
