import { record } from '../value.ts';

/** Label on every object of a stack: its name. */
export const NAMESPACE_LABEL = 'com.docker.stack.namespace';
/** Label on a service: its image as the file writes it. */
export const IMAGE_LABEL = 'com.docker.stack.image';
/** Label in `deploy.labels`: the wave a service is applied in. */
export const WAVE_LABEL = 'com.hivekeep.wave';

/** The name of an object of a stack: its own `name:`, or its key behind the stack's name. */
export function scopedName(stack: string, key: string, name?: string): string {
  return name || `${stack}_${key}`;
}

/** Labels with the stack's own, which the user cannot set. */
export function stackLabels(stack: string, labels: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return record([...Object.entries(labels ?? {}), [NAMESPACE_LABEL, stack]]);
}

/** Networks the engine provides on each node; they take no aliases and are looked up nowhere. */
export function isBuiltInNetwork(name: string): boolean {
  return ['default', 'bridge', 'host', 'none'].includes(name) || name.startsWith('container:');
}
