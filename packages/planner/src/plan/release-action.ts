import { ownerStamp } from '@hivekeep/application';
import { sameValues } from '@hivekeep/charts';
import type { RecordedRelease, ReleaseInput } from './release-input.ts';

export interface ReleaseAction {
  readonly action: 'install' | 'upgrade' | 'unchanged';
  readonly reasons: readonly string[];
}

function sameFiles(recorded: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(wanted);
  return names.length === Object.keys(recorded).length && names.every((name) => recorded[name] === wanted[name]);
}

function differences(record: RecordedRelease, input: ReleaseInput): string[] {
  const { release } = input;
  const stamp = ownerStamp(input.owner, release.name);
  const reasons: string[] = [];
  if (record.chart.name !== release.chart.name) reasons.push(`chart: ${record.chart.name} -> ${release.chart.name}`);
  if (record.chart.version !== release.chart.version) reasons.push(`chart version: ${record.chart.version} -> ${release.chart.version}`);
  if (record.manifest !== release.manifest && !input.sameManifest(record.manifest, release.manifest)) reasons.push('manifest');
  if (!sameFiles(record.files ?? {}, release.files)) reasons.push('files');
  if (!sameValues(record.values, release.values)) reasons.push('values');
  if (record.owner && record.owner !== stamp) reasons.push(`owner: ${record.owner} -> ${stamp}`);
  return reasons;
}

function nothingRuns(input: ReleaseInput): boolean {
  const { services } = input.objects;
  const live = input.index.servicesByStack.get(input.release.name) ?? [];
  return services.length > 0 && !live.some((service) => services.some(({ Name }) => Name === service.spec.Name));
}

/**
 * What the records ask for: install without a current revision or with nothing of it on the swarm, upgrade when the newest record
 * differs in chart, version, manifest (parsed), files, values or owner, else unchanged. Wave, app version and repository take no part.
 */
export function releaseAction(input: ReleaseInput): ReleaseAction {
  const [current] = input.records;
  if (!current || current.status === 'uninstalled') return { action: 'install', reasons: ['not installed'] };
  const reasons = differences(current, input);
  if (nothingRuns(input)) return { action: 'install', reasons: [...reasons, 'none of its services is on the swarm'] };
  return { action: reasons.length > 0 ? 'upgrade' : 'unchanged', reasons };
}
