import { ownerStamp } from '@hivekeep/application';
import type { Labels } from '@hivekeep/compose';
import { CREATED_LABEL, EPOCH_LABEL, OWNER_LABEL, SECRET_DIGEST_LABEL } from '../labels.ts';
import { sameMap } from '../spec/value-equality.ts';
import type { ReleaseInput } from './release-input.ts';

/** The labels of an object we write: what the manifest says, whose it is, and the epoch it was written in. */
export function writtenLabels(labels: Labels | null | undefined, input: ReleaseInput): Labels {
  return { ...labels, [OWNER_LABEL]: ownerStamp(input.owner, input.release.name), [EPOCH_LABEL]: String(input.epoch) };
}

/** Labels of a config or secret at its creation: an adopted one never gains the marker. */
export function createdLabels(labels: Labels | null | undefined, input: ReleaseInput): Labels {
  return { ...writtenLabels(labels, input), [CREATED_LABEL]: new Date(input.now).toISOString().replace(/\.\d+Z$/, 'Z') };
}

const KEPT: readonly string[] = [CREATED_LABEL, OWNER_LABEL, EPOCH_LABEL, SECRET_DIGEST_LABEL];
const KEPT_SET: ReadonlySet<string> = new Set(KEPT);

/** The labels an object of ours should get in place of `live`, or undefined when they differ in bookkeeping alone. */
export function relabelled(labels: Labels | null | undefined, live: Labels, input: ReleaseInput): Labels | undefined {
  if (sameMap(labels, live, KEPT_SET)) return undefined;
  const kept = Object.fromEntries(KEPT.flatMap((key) => (live[key] === undefined ? [] : [[key, live[key]]])));
  return { ...kept, ...writtenLabels(labels, input) };
}
