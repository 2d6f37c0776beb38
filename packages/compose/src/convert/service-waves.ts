import { member, record } from '../value.ts';
import type { ConvertContext } from './context.ts';
import { scopedName, WAVE_LABEL } from './scope.ts';

/**
 * The wave of each service by scoped name: the one its label states, else 0. In the dialect `spec`, a service without a label
 * comes one wave behind the last that it depends on; `depends_on` means nothing in the dialect `docker`, as for its CLI.
 */
export function serviceWaves(context: ConvertContext): Record<string, number> {
  const known = new Map<string, number>();
  const names = Object.keys(context.model.services);
  return record(names.map((name) => [scopedName(context.stack, name), waveOf(context, name, known, [])]));
}

function waveOf(context: ConvertContext, name: string, known: Map<string, number>, chain: readonly string[]): number {
  const found = known.get(name);
  if (found !== undefined) return found;
  const service = member(context.model.services, name);
  const needed = context.model.dialect === 'spec' ? (service?.depends_on ?? []) : [];
  if (chain.includes(name)) {
    const cycle = [...chain.slice(chain.indexOf(name)), name].join(', ');
    context.problems.add(['services', name, 'depends_on'], `the services ${cycle} wait for each other`);
    return 0;
  }
  const behind = needed.map((other) => waveOf(context, other, known, [...chain, name]) + 1);
  const wave = statedWave(context, name) ?? Math.max(0, ...behind);
  known.set(name, wave);
  return wave;
}

function statedWave({ model, problems }: ConvertContext, name: string): number | undefined {
  const label = model.services[name]?.deploy?.labels?.[WAVE_LABEL];
  if (label === undefined) return undefined;
  const wave = Number(label);
  if (Number.isSafeInteger(wave) && label.trim() !== '') return wave;
  problems.add(['services', name, 'deploy', 'labels', WAVE_LABEL], `expected a whole number, found ${JSON.stringify(label)}`);
  return 0;
}
