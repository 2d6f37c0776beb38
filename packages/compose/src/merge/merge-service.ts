import { isDeepStrictEqual } from 'node:util';
import type { DeviationId } from '../deviations.ts';
import type { Deploy, FileReference, Healthcheck, Service, ServicePort } from '../model.ts';
import { record } from '../value.ts';
import { mergeAll, mergeByKey } from './merge-by-key.ts';
import { mergeAttachments, mergeEnvironment, mergeLogging, mergeMap } from './merge-maps.ts';
import type { MergePoint } from './merge-point.ts';

/** How one member of a later file is put over the same member of an earlier one; both are given. */
type Merge = (base: never, override: never, point: MergePoint) => unknown;

/** Numbers of which zero is a value of its own, so that it overrides for the docker CLI too. */
const ZERO_COUNTS = new Set(['replicas', 'parallelism', 'max_attempts', 'retries']);

const DEPLOY: Record<string, Merge> = { labels: mergeMap };

const SERVICE: Record<string, Merge> = {
  command: mergeWords,
  entrypoint: mergeWords,
  deploy: (base: Deploy, override: Deploy, point) => mergeMembers(base, override, point, DEPLOY),
  environment: mergeEnvironment,
  healthcheck: mergeHealthcheck,
  labels: mergeMap,
  logging: mergeLogging,
  networks: mergeAttachments,
  sysctls: mergeMap,
  ulimits: mergeMap,
};

/**
 * A service of a later file over the same service of an earlier one: lists are appended, mappings merged, other values
 * replaced. Ports, mounts, secrets and configs that the earlier file has are merged by what they publish, mount and name, and
 * sorted by it.
 */
export function mergeService(base: Service, override: Service, point: MergePoint): Service {
  const merged = mergeMembers(base, override, point, SERVICE) as Service;
  if (base.ports) merged.ports = mergePorts(base.ports, override.ports ?? [], point);
  if (base.volumes) merged.volumes = mergeByKey(base.volumes, override.volumes ?? [], (volume) => volume.target ?? '');
  if (base.secrets) merged.secrets = mergeReferences(base.secrets, override.secrets ?? [], point.in('secrets'));
  if (base.configs) merged.configs = mergeReferences(base.configs, override.configs ?? [], point.in('configs'));
  return merged;
}

function mergeMembers(base: object, override: object, point: MergePoint, special: Record<string, Merge> = {}): object {
  const out: Record<string, unknown> = record(Object.entries(base));
  for (const [key, value] of Object.entries(override)) {
    const before = out[key];
    // Both values are members of the same name of two objects of one type, which is the type that the rule takes.
    const rule = special[key] as ((base: unknown, override: unknown, point: MergePoint) => unknown) | undefined;
    if (before === undefined && isEmptyList(value)) continue;
    if (before === undefined) out[key] = value;
    else out[key] = rule ? rule(before, value, point.in(key)) : mergeValue(before, value, key, point.in(key));
  }
  return out;
}

function mergeValue(base: unknown, override: unknown, key: string, point: MergePoint): unknown {
  if (Array.isArray(base) && Array.isArray(override)) return [...base, ...override];
  if (isObject(base) && isObject(override)) return mergeMembers(base, override, point);
  return keepsBase(base, override, key, point) ? base : override;
}

function keepsBase(base: unknown, override: unknown, key: string, point: MergePoint): boolean {
  if (!isZero(override) || isZero(base) || ZERO_COUNTS.has(key)) return false;
  return point.deviate('merge-zero');
}

/** Appended to nothing, an empty list is nothing, which shows where an empty list is sent (`dns`). */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isZero(value: unknown): boolean {
  return value === false || value === '' || value === 0;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mergeWords(base: string[], override: string[], point: MergePoint): string[] {
  const keep = override.length === 0 && base.length > 0 && point.deviate('merge-zero');
  return keep ? base : override;
}

/** A later test takes the place of an earlier one, and of `disable`; a later `disable` takes the place of a test. */
function mergeHealthcheck(base: Healthcheck, override: Healthcheck, point: MergePoint): Healthcheck {
  const both = base.test && override.test && base.test.length > 0 && override.test.length > 0;
  const switched = (override.test && base.disable && override.disable === undefined) || (override.disable && base.test && !override.test);
  const merged = mergeMembers(base, override, point) as Healthcheck;
  if (!(both || switched) || point.deviate('merge-healthcheck')) return merged;
  const { test: _test, disable: _disable, ...rest } = merged;
  if (override.disable && !override.test) return { ...rest, disable: true };
  return { ...rest, ...(override.test && { test: override.test }), ...(override.disable !== undefined && { disable: override.disable }) };
}

/** A later port takes the place of earlier ones with the same published number and protocol. */
function mergePorts(base: readonly ServicePort[], override: readonly ServicePort[], point: MergePoint): ServicePort[] {
  const published = (port: ServicePort) => Number(port.published ?? 0);
  const ours = mergeAll(base, override, (port) => `${published(port) || `:${port.target ?? 0}`}/${port.protocol || 'tcp'}`, published);
  return choose('merge-ports', mergeByKey(base, override, published), ours, point.in('ports'));
}

function mergeReferences(base: readonly FileReference[], override: readonly FileReference[], point: MergePoint): FileReference[] {
  const source = (reference: FileReference) => reference.source ?? '';
  const replaced = override.map(source);
  const ours = mergeAll(
    base.filter((reference) => !replaced.includes(source(reference))),
    override,
    source,
    source,
  );
  return choose('merge-references', mergeByKey(base, override, source), ours, point);
}

function choose<T>(id: DeviationId, theirs: T[], ours: T[], point: MergePoint): T[] {
  return !isDeepStrictEqual(theirs, ours) && point.deviate(id) ? theirs : ours;
}
