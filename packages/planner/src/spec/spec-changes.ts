import type { ContainerSpec, ServiceSpec } from '@hivekeep/compose';
import { apiMinor, unsupportedFields } from './api-level.ts';
import { CONTAINER_RULES, type CompareContext, type Rule } from './container-rules.ts';
import type { NameIndex } from './reference-equality.ts';
import { ENDPOINT_RULES, SERVICE_RULES, TEMPLATE_RULES } from './service-rules.ts';

/** How a wanted service differs from the one that runs. */
export interface SpecChanges {
  /** Names of the fields that differ, in a fixed order; empty: writing would change nothing. */
  readonly fields: readonly string[];
  /** Whether tasks are replaced: the task template or the endpoint differs. */
  readonly restarts: boolean;
  /** Wanted fields that a daemon of this API version drops; left out of the comparison. */
  readonly unsupported: readonly string[];
}

export interface SpecChangesContext extends NameIndex {
  /** The daemon's API version: `1.41`. */
  readonly apiVersion: string;
}

const NO_CONTAINER: ContainerSpec = {};

function collect<T>(rules: readonly Rule<T>[], desired: T, live: T, context: CompareContext, into: string[]): void {
  for (const [field, same] of rules) if (!same(desired, live, context)) into.push(field);
}

/**
 * Every field we send of a service, compared with how the daemon keeps it (Engine API 1.41 to 1.51: it defaults enums and counts,
 * turns names of networks into ids, nil into empty, and keeps the digest an image was pinned to). Decides whether a service is written.
 * Names in `desired` stand for ids, as `StackObjects` has them. A live service without a container spec (another runtime) differs.
 */
export function specChanges(desired: ServiceSpec, live: ServiceSpec, context: SpecChangesContext): SpecChanges {
  const compare: CompareContext = { ...context, minor: apiMinor(context.apiVersion) };
  const want = desired.TaskTemplate;
  const have = live.TaskTemplate;
  const fields: string[] = [];
  if (want.ContainerSpec && !have.ContainerSpec) fields.push('container');
  else collect(CONTAINER_RULES, want.ContainerSpec ?? NO_CONTAINER, have.ContainerSpec ?? NO_CONTAINER, compare, fields);
  collect(TEMPLATE_RULES, want, have, compare, fields);
  if (live.Networks?.length && !have.Networks?.length) fields.push('networks');
  collect(ENDPOINT_RULES, desired, live, compare, fields);
  const restarts = fields.length > 0;
  collect(SERVICE_RULES, desired, live, compare, fields);
  return { fields: [...new Set(fields)], restarts, unsupported: unsupportedFields(desired, compare.minor) };
}
