import type { Owner } from '@hivekeep/application';
import type { ComposeDocument, StackObjects } from '@hivekeep/compose';
import type { Allow, ReleaseArtifact } from '@hivekeep/contracts';
import type { OwnStack } from '../policy/policy-input.ts';
import type { SnapshotIndex } from '../snapshot-index.ts';

/** What planning reads of a release record. */
export interface RecordedRelease {
  readonly revision: number;
  /** `deployed`, `uninstalled`, … */
  readonly status: string;
  readonly chart: { readonly name: string; readonly version: string };
  readonly values: Readonly<Record<string, unknown>>;
  readonly manifest: string;
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly owner?: string | undefined;
}

/** A revision that was begun: its record may not have been stored. */
export interface ReleaseIntent {
  readonly name: string;
  readonly revision: number;
  readonly owner: string;
  readonly epoch: number;
  /** The swarm-wide index at which it was made. */
  readonly version: number;
  readonly names: { readonly services: readonly string[] };
}

/** Other controllers of this swarm, as their leases tell. */
export interface OtherControllers {
  /** Ids whose lease lives: what they stamped is theirs. */
  readonly living: ReadonlySet<string>;
  /** Whether releases of controllers without a living lease are taken over (`--take-over`). */
  readonly takeOver: boolean;
}

/** All that decides what one release needs. */
export interface ReleaseInput {
  readonly release: ReleaseArtifact;
  /** What its manifest becomes, without policy. */
  readonly objects: StackObjects;
  /** The manifest as data, to refuse files that survived in it. */
  readonly document?: ComposeDocument;
  /** Records of this release, newest first; genuine ones only (no stack label). */
  readonly records: readonly RecordedRelease[];
  readonly intents: readonly ReleaseIntent[];
  readonly index: SnapshotIndex;
  /** Names of the stacks that run services; undefined where the swarm's backend can't tell: then only a name that collides shows a stranger. */
  readonly stacks: Pick<ReadonlySet<string>, 'has'> | undefined;
  readonly owner: Owner;
  /** Of the swarm lease. */
  readonly epoch: number;
  readonly apiVersion: string;
  /** Milliseconds since the epoch: goes into the created marker. */
  readonly now: number;
  readonly allow: Allow;
  readonly own: OwnStack;
  readonly others: OtherControllers;
  /** Names of secrets whose content can be had when one must be created. */
  readonly secretsAvailable: ReadonlySet<string>;
  /** Whether two manifests say the same, parsed (`sameManifest` of the charts package); asked only when the texts differ. */
  readonly sameManifest: (recorded: string, wanted: string) => boolean;
}
