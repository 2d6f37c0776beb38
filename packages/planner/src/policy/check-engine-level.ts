import { ENGINE_LEVEL, judgeCompat } from '@hivekeep/charts';
import type { Issue, ReleaseArtifact } from '@hivekeep/contracts';
import { refusal } from './policy-input.ts';

/** Refuses a chart that asks for a newer engine than this. What can't be judged refuses nothing. */
export function checkEngineLevel({ chart }: ReleaseArtifact): Issue[] {
  const compat = judgeCompat(chart.swarmcliVersion, ENGINE_LEVEL);
  if (compat.status !== 'incompatible') return [];
  const message = `the chart ${chart.name} ${chart.version} asks for an engine ${compat.required}; this one is at ${compat.engine}`;
  return [refusal('engine-level', 'chart', message)];
}
