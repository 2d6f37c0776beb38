import { type ReleaseRecord, releaseStack } from '@hivekeep/charts';
import { canonicalJson } from '@hivekeep/contracts';
import type { BuiltRelease } from '../passes/application-plan.ts';

const converted = new WeakMap<ReleaseRecord, BuiltRelease>();
const contents = new WeakMap<ReleaseRecord, string>();

/**
 * A recorded revision as something that can be planned: never rendered again, and of its secrets the names alone, since a record holds
 * no more. Throws `compose/invalid`, `chart/invalid` and `yaml/invalid` when its manifest is none.
 */
export function recordedRelease(record: ReleaseRecord): BuiltRelease {
  const known = converted.get(record);
  if (known) return known;
  const { release, chart, values, manifest, files = {} } = record;
  const ref = chart.repo === undefined ? chart.name : `${chart.repo}/${chart.name}`;
  const artifact = { name: release, wave: 0, chart: { ...chart, ref }, values, manifest, files, secrets: [] };
  const built = { artifact, ...releaseStack({ ...artifact, stack: release }) };
  converted.set(record, built);
  return built;
}

/** Whether two revisions deploy the same, as one does that goes back to the other. */
export function sameRevision(one: ReleaseRecord, other: ReleaseRecord): boolean {
  return contentOf(one) === contentOf(other);
}

function contentOf(record: ReleaseRecord): string {
  const known = contents.get(record);
  if (known !== undefined) return known;
  const { chart, values, manifest, files = {} } = record;
  const content = canonicalJson({ chart, values, manifest, files });
  contents.set(record, content);
  return content;
}
