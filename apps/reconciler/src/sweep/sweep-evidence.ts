import { declaredReleases, labels as keys, owningApplication } from '@hivekeep/application';
import type { AppSetAnswer } from '@hivekeep/contracts';
import { type AppSetLoad, type StampedRelease, type SweepMark, undecidedApplications } from '@hivekeep/planner';
import { unsupported } from '../passes/unsupported.ts';
import type { Registrations } from '../registrations.ts';
import type { World } from '../world.ts';

/** A load of the app set as the sweep reads it. `at` is when it was asked for, milliseconds. Pure. */
export function loadOf(answer: AppSetAnswer, registrations: Registrations, at: number): AppSetLoad {
  return {
    complete: answer.complete && answer.error === undefined,
    revision: answer.revision,
    git: answer.mode === 'git',
    descends: answer.descends,
    at,
    applications: answer.applications.map((spec) => {
      const declared = declaredReleases(spec);
      const planned = registrations.get(spec.name)?.plan?.releases.map((release) => release.artifact.name);
      return { name: spec.name, releases: spec.source.releaseFile === undefined ? declared : planned };
    }),
    others: answer.others,
  };
}

/**
 * Every release on the swarm that this controller stamped: by its newest record, by an intent, or by the label of an object. One of which
 * only the mark is left counts too: its sweep ended before the mark could be taken back. Pure.
 */
export function stampedReleases(world: World, controllerId: string, ownerLabel: string): StampedRelease[] {
  const found = new Map<string, StampedRelease>();
  const note = (stamp: string | undefined, release: string): void => {
    const application = owningApplication(stamp, release, controllerId);
    if (application !== undefined && !found.has(release)) found.set(release, { application, release });
  };
  for (const [release, [newest]] of world.records) note(newest?.record.owner, release);
  // The newest record owns a release: what an intent or a service says counts only where there is none.
  for (const [release, intents] of world.intents)
    if (!world.records.has(release)) for (const intent of intents) note(intent.owner, release);
  for (const [release, services] of world.index.servicesByStack) {
    if (!world.records.has(release)) for (const service of services) note(service.spec.Labels?.[ownerLabel], release);
  }
  // A create that hung lands after the sweep, when nothing else is left; where services run it may stand in somebody else's stack.
  const { networks, configs, secrets } = world.index.snapshot;
  for (const { labels } of [...networks, ...configs, ...secrets]) {
    const release = labels[keys.stack];
    if (release === undefined || world.records.has(release) || world.intents.has(release)) continue;
    if (!world.index.servicesByStack.has(release)) note(labels[ownerLabel], release);
  }
  for (const state of world.states.values())
    for (const { application, release } of Object.values(state.sweep ?? {}))
      if (!found.has(release)) found.set(release, { application, release });
  return [...found.values()];
}

/** The mark of a release, whoever's state it lies on. */
export function markOf(world: World, release: string): SweepMark | undefined {
  for (const state of world.states.values()) {
    const mark = state.sweep?.[release];
    if (!mark) continue;
    const { volumesAt, ...rest } = mark;
    return { ...rest, ...(volumesAt !== undefined && { volumesAt }) };
  }
  return undefined;
}

/** Whether a removal has begun: deletions of its first phase are allowed, or past. Pure. */
export function hasBegun(mark: SweepMark | undefined): boolean {
  return mark !== undefined && (mark.begun || mark.phase !== 'stack');
}

/**
 * Applications that may declare anything, since nobody has seen what they are made of: not planned in this term, whatever the
 * reason. One whose own entry asks for what this controller does not do is never deployed, and holds nobody for ever. Pure.
 */
export function unplannedApplications(load: AppSetLoad, registrations: Registrations): string[] {
  const undecided = new Set(undecidedApplications(load));
  for (const { name } of load.applications) {
    const entry = registrations.get(name);
    if (!entry || (!entry.plan && unsupported(entry.spec) === undefined)) undecided.add(name);
  }
  return [...undecided];
}

/** Why nobody can tell whose a release is: a record of it can't be read, and it may be the newest. Pure. */
export function unreadableRecord(world: World | undefined, release: string): string | undefined {
  const found = world?.unreadable.find((one) => one.release === release);
  return found && `${found.message}; repair or remove it`;
}

/** Id of a release's newest record, else of its newest intent; empty when there is neither. */
export function newestRecordId(world: World, release: string): string {
  const record = world.records.get(release)?.[0];
  if (record) return record.config.id;
  const intents = [...(world.intents.get(release) ?? [])].sort((a, b) => b.revision - a.revision);
  return intents[0]?.id ?? '';
}
