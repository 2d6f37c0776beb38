/** What is kept, on the application's state, of a release that is being removed. Written by compare-and-swap before its first deletion. */
export interface SweepMark {
  readonly application: string;
  readonly release: string;
  /** When it was marked, milliseconds. */
  readonly since: number;
  /** The commit in which it was found to have left. */
  readonly commit: string;
  /** Id of its newest record (or intent) then: a newer one voids the mark. */
  readonly newestRecord: string;
  /** It stands under another swarm: its stack goes, its records and volumes stay, whatever happens later. */
  readonly moved: boolean;
  readonly phase: 'stack' | 'volumes' | 'records';
  /** Whether deletions of this phase may have begun. */
  readonly begun: boolean;
  /** When volumes may go, milliseconds; set when the stack is gone. */
  readonly volumesAt?: number;
}
