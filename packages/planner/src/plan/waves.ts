import type { ReleasePlan, Step } from '../plan.ts';

/** Things of one wave. A barrier stands between two waves: the next begins when what this one wrote has converged. */
export interface Wave<T> {
  readonly wave: number;
  readonly items: readonly T[];
}

function grouped<T>(items: readonly T[], waveOf: (item: T) => number): Wave<T>[] {
  const waves = new Map<number, T[]>();
  for (const item of items) {
    const wave = waveOf(item);
    const group = waves.get(wave);
    if (group) group.push(item);
    else waves.set(wave, [item]);
  }
  return [...waves].sort(([a], [b]) => a - b).map(([wave, group]) => ({ wave, items: group }));
}

/** Releases by wave, lowest first (negative ones are legal); those of one wave keep the order they are given in. */
export function releaseWaves(plans: readonly ReleasePlan[]): Wave<ReleasePlan>[] {
  return grouped(plans, (plan) => plan.wave);
}

export type ServiceStep = Extract<Step, { kind: 'service' }>;

/** Service writes of one release by wave, lowest first. */
export function serviceWaves(steps: readonly Step[]): Wave<ServiceStep>[] {
  const services = steps.filter((step): step is ServiceStep => step.kind === 'service');
  return grouped(services, (step) => step.wave);
}
