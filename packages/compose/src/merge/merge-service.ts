import type { Deploy, Service } from '../model.ts';
import { record } from '../value.ts';
import { mergeByKey } from './merge-by-key.ts';
import { mergeAttachments, mergeEnvironment, mergeLogging, mergeMap } from './merge-maps.ts';

/** How one member of a later file is put over the same member of an earlier one; both are given. */
type Merge = (base: never, override: never) => unknown;

/** Numbers of which zero is a value of its own, so that it overrides. */
const ZERO_COUNTS = new Set(['replicas', 'parallelism', 'max_attempts', 'retries']);

const DEPLOY: Record<string, Merge> = { labels: mergeMap };

const SERVICE: Record<string, Merge> = {
  command: replaceNonEmpty,
  entrypoint: replaceNonEmpty,
  deploy: (base: Deploy, override: Deploy) => mergeMembers(base, override, DEPLOY),
  environment: mergeEnvironment,
  labels: mergeMap,
  logging: mergeLogging,
  networks: mergeAttachments,
  sysctls: mergeMap,
  ulimits: mergeMap,
};

/**
 * A service of a later file over the same service of an earlier one, as the docker CLI merges them: lists are appended,
 * mappings merged, an empty, false or zero value does not override. Ports, mounts, secrets and configs are merged by what
 * they publish, mount and name, and sorted by it.
 */
export function mergeService(base: Service, override: Service): Service {
  const { ports, volumes, secrets, configs } = base;
  return {
    ...(mergeMembers(base, override, SERVICE) as Service),
    ...mergeByKey('ports', ports, override.ports, (port) => Number(port.published ?? 0)),
    ...mergeByKey('volumes', volumes, override.volumes, (volume) => volume.target ?? ''),
    ...mergeByKey('secrets', secrets, override.secrets, (secret) => secret.source ?? ''),
    ...mergeByKey('configs', configs, override.configs, (config) => config.source ?? ''),
  };
}

function mergeMembers(base: object, override: object, special: Record<string, Merge> = {}): object {
  const out: Record<string, unknown> = record(Object.entries(base));
  for (const [key, value] of Object.entries(override)) {
    const before = out[key];
    // Both values are members of the same name of two objects of one type, which is the type that the rule takes.
    if (before !== undefined && special[key]) out[key] = (special[key] as (base: unknown, override: unknown) => unknown)(before, value);
    else if (before === undefined) out[key] = value;
    else out[key] = mergeValue(before, value, key);
  }
  return out;
}

function mergeValue(base: unknown, override: unknown, key: string): unknown {
  if (Array.isArray(base) && Array.isArray(override)) return [...base, ...override];
  if (isObject(base) && isObject(override)) return mergeMembers(base, override);
  const empty = override === false || override === '' || override === 0;
  return empty && !ZERO_COUNTS.has(key) ? base : override;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function replaceNonEmpty(base: string[], override: string[]): string[] {
  return override.length > 0 ? override : base;
}
