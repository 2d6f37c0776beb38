/** What trimming reads of a record. */
export interface TrimmableRecord {
  readonly name: string;
  readonly revision: number;
  /** Names of the objects its manifest mentions, whoever owns them. */
  readonly objects: ObjectNames;
}

export interface ObjectNames {
  readonly configs: readonly string[];
  readonly secrets: readonly string[];
  readonly volumes: readonly string[];
}

/** What must not go, and why it is known. */
export interface TrimProtection {
  /** Revisions that a rollback goes back to, or that one is held at. */
  readonly rollbackTargets?: ReadonlySet<number>;
  /** The revision whose specs run: it may be an older one after a rollback by the daemon. */
  readonly runningRevision?: number;
  /** Volumes that exist on some node; `undefined`: not known, so every volume counts as existing. */
  readonly existingVolumes?: ReadonlySet<string>;
}

export interface Trim {
  /** Records to delete, oldest first. */
  readonly remove: readonly TrimmableRecord[];
  /** Records older than `historyMax` that stay, with why. */
  readonly kept: readonly { readonly record: TrimmableRecord; readonly reason: string }[];
}

function lastNamedVolume(
  record: TrimmableRecord,
  others: readonly TrimmableRecord[],
  existing: ReadonlySet<string> | undefined,
): string | undefined {
  return record.objects.volumes.find(
    (volume) => (existing?.has(volume) ?? true) && !others.some((other) => other.objects.volumes.includes(volume)),
  );
}

function whyKept(record: TrimmableRecord, staying: readonly TrimmableRecord[], protect: TrimProtection): string | undefined {
  if (protect.rollbackTargets?.has(record.revision)) return 'it is the target of a rollback';
  if (record.revision === protect.runningRevision) return 'its specs run';
  const volume = lastNamedVolume(record, staying, protect.existingVolumes);
  return volume === undefined ? undefined : `it is the last record that names the volume ${volume}`;
}

/**
 * Records beyond the newest `historyMax` (0 keeps all). The newest, targets of rollbacks, the revision that runs and the last record that
 * names a volume which exists always stay: without it nobody could ever tell whose the volume is.
 */
export function planTrim(records: readonly TrimmableRecord[], historyMax: number, protect: TrimProtection): Trim {
  if (historyMax <= 0) return { remove: [], kept: [] };
  const newestFirst = [...records].sort((a, b) => b.revision - a.revision);
  const staying = newestFirst.slice(0, Math.max(1, historyMax));
  const kept: { record: TrimmableRecord; reason: string }[] = [];
  const remove: TrimmableRecord[] = [];
  for (const record of newestFirst.slice(staying.length)) {
    const reason = whyKept(record, staying, protect);
    if (reason === undefined) remove.unshift(record);
    else {
      kept.push({ record, reason });
      staying.push(record);
    }
  }
  return { remove, kept };
}

/** A config or secret of a stack as a pruner sees it. */
export interface PrunableObject {
  readonly kind: 'config' | 'secret';
  readonly id: string;
  readonly name: string;
  readonly stack: string | undefined;
  /** Whether it carries the created marker and our owner label: an adopted one never does. */
  readonly createdByUs: boolean;
}

/** Names that are still wanted or mounted, by kind. */
export interface NamesInUse {
  readonly configs: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
}

/** `<stack>_<key>-<12 hex>`, also where the key was cut: how content-hashed names end. */
const HASHED = /-[0-9a-f]{12}$/;

/**
 * Hashed configs and secrets of a release that only trimmed records name: made by us, of this stack, named by no kept record, by no
 * open intent, and mounted by no service. They may go, by id.
 */
export function planHashedPrune(
  stack: string,
  objects: readonly PrunableObject[],
  kept: readonly TrimmableRecord[],
  inUse: NamesInUse,
): PrunableObject[] {
  const named = {
    config: new Set([...inUse.configs, ...kept.flatMap((record) => record.objects.configs)]),
    secret: new Set([...inUse.secrets, ...kept.flatMap((record) => record.objects.secrets)]),
  };
  return objects.filter(
    (object) => object.createdByUs && object.stack === stack && HASHED.test(object.name) && !named[object.kind].has(object.name),
  );
}
