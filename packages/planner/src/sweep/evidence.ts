/** What one load of the app set says, as the sweep reads it. */
export interface AppSetLoad {
  /** Whether it asked the remote for this very request and found a valid newest commit. Anything else is silence. */
  readonly complete: boolean;
  /** The commit; outside Git the hash of the content. */
  readonly revision: string;
  /** Whether the content has a history: a later commit then continues the line, other content does not. */
  readonly git: boolean;
  /** Whether the revision held before is an ancestor of (or equal to) this one; undefined when it can't be told. */
  readonly descends?: boolean | undefined;
  /** When it was asked for, milliseconds. */
  readonly at: number;
  /** Applications of this swarm. `releases` is undefined while nobody knows them (a release file not planned yet). */
  readonly applications: readonly { readonly name: string; readonly releases: readonly string[] | undefined }[];
  /** Applications of other swarms. */
  readonly others: readonly { readonly name: string; readonly releases: readonly string[] }[];
}

/** A release on the swarm that this controller stamped. */
export interface StampedRelease {
  readonly application: string;
  readonly release: string;
}

/** How long a release has been missing in one line of history. */
export interface Absence {
  readonly since: number;
  readonly revision: string;
  /** Evidence loads that lacked it. */
  readonly loads: number;
  /** Whether one of them showed it under another swarm. */
  readonly moved: boolean;
}

/** What has been learnt in this term. A new holder of the lease starts with none. */
export interface Evidence {
  readonly latest?: AppSetLoad;
  /** By release name. */
  readonly absent: ReadonlyMap<string, Absence>;
  /** Whether the line of history was broken while something was missing, and that something is still there to be removed. */
  readonly rewritten: boolean;
}

export const NO_EVIDENCE: Evidence = { absent: new Map(), rewritten: false };

/** Where a load puts a release: here, under another swarm, or nowhere. */
export function placeOf(stamped: StampedRelease, load: AppSetLoad): 'here' | 'elsewhere' | 'nowhere' {
  const here = load.applications.some(({ name, releases }) => name === stamped.application || releases?.includes(stamped.release));
  if (here) return 'here';
  const elsewhere = load.others.some(({ name, releases }) => name === stamped.application || releases.includes(stamped.release));
  return elsewhere ? 'elsewhere' : 'nowhere';
}

function continues(previous: AppSetLoad, load: AppSetLoad): boolean {
  return load.revision === previous.revision || (load.git && previous.git && load.descends === true);
}

function absenceAfter(known: Absence | undefined, load: AppSetLoad, moved: boolean): Absence {
  if (!known) return { since: load.at, revision: load.revision, loads: 1, moved };
  return { ...known, loads: known.loads + 1, moved: known.moved || moved };
}

/**
 * Evidence after one more load. An incomplete load changes nothing: silence is no evidence. A load that does not continue the line of
 * history starts every absence anew; what was seen to move stays moved.
 */
export function accumulateEvidence(previous: Evidence, load: AppSetLoad, stamped: readonly StampedRelease[]): Evidence {
  if (!load.complete) return previous;
  const broken = previous.latest !== undefined && !continues(previous.latest, load);
  const absent = new Map<string, Absence>();
  for (const one of stamped) {
    const place = placeOf(one, load);
    if (place === 'here') continue;
    const known = previous.absent.get(one.release);
    const moved = place === 'elsewhere' || (known?.moved ?? false);
    absent.set(one.release, absenceAfter(broken ? undefined : known, load, moved));
  }
  const rewrote = load.git && (broken || load.descends === false);
  return { latest: load, absent, rewritten: absent.size > 0 && (rewrote || previous.rewritten) };
}

/** What is known of one stamped release. */
export type Departure =
  | { readonly state: 'silent' }
  /** `named`: the release itself is declared, not its application alone, which may deploy another one by now. */
  | { readonly state: 'declared'; readonly named: boolean }
  /** Missing in one load: a second one, an interval later, decides. */
  | { readonly state: 'waiting'; readonly until: number; readonly moved: boolean }
  | { readonly state: 'departed'; readonly moved: boolean; readonly commit: string };

/**
 * Whether a release has left: missing in two evidence loads an interval apart, the later of the same or a descendant commit. `interval`
 * is in milliseconds; even with 0 it takes two loads.
 */
export function departed(evidence: Evidence, stamped: StampedRelease, interval: number): Departure {
  const { latest } = evidence;
  if (!latest) return { state: 'silent' };
  if (placeOf(stamped, latest) === 'here')
    return { state: 'declared', named: latest.applications.some(({ releases }) => releases?.includes(stamped.release)) };
  const absence = evidence.absent.get(stamped.release);
  if (!absence) return { state: 'waiting', until: latest.at + interval, moved: false };
  const { since, loads, moved } = absence;
  if (loads < 2 || latest.at - since < interval) return { state: 'waiting', until: since + interval, moved };
  return { state: 'departed', moved, commit: latest.revision };
}

/** Applications whose releases nobody knows yet: any of them may declare a release that seems to have left. */
export function undecidedApplications(load: AppSetLoad): string[] {
  return load.applications.filter(({ releases }) => releases === undefined).map(({ name }) => name);
}
