/** The chart a revision was made from; a compose source is chart `compose`, version `0.0.0`. */
export interface RecordedChart {
  readonly name: string;
  readonly version: string;
  readonly appVersion?: string;
  readonly repo?: string;
  /** Without a slash at its end. */
  readonly repoURL?: string;
}

/** One revision of a release as the swarm keeps it. Source: the swarmcli family's record format. */
export interface ReleaseRecord {
  readonly release: string;
  /** From 1. */
  readonly revision: number;
  /** Only `deployed` is ever written. */
  readonly status: string;
  readonly chart: RecordedChart;
  readonly values: Readonly<Record<string, unknown>>;
  /** YAML. */
  readonly manifest: string;
  /** RFC 3339, UTC, whole seconds. */
  readonly created: string;
  /** The release's name when absent. */
  readonly namespace?: string;
  readonly managedNetworks?: readonly string[];
  /** The owner stamp; absent when nobody owns the release. */
  readonly owner?: string;
  /** Contents of the files the manifest refers to, base64. */
  readonly files?: Readonly<Record<string, string>>;
  /** The commit it was built from: a key of ours, which other readers pass over. */
  readonly commit?: string;
}

/** A record as a Docker config. */
export interface RecordConfig {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly data: Uint8Array;
}

/** What `history` shows: a stored `deployed` that is no longer the newest revision is `superseded`. */
export function displayStatus(record: Pick<ReleaseRecord, 'revision' | 'status'>, newestRevision: number): string {
  return record.status === 'deployed' && record.revision < newestRevision ? 'superseded' : record.status;
}

/** The number of a release's next revision: one more than the highest that is recorded or was begun. */
export function nextRevision(
  records: readonly { readonly revision: number }[],
  intents: readonly { readonly revision: number }[] = [],
): number {
  return [...records, ...intents].reduce((highest, { revision }) => Math.max(highest, revision), 0) + 1;
}
