import type { Model } from '../model.ts';
import type { Problems } from '../problems.ts';
import { record } from '../value.ts';
import { mergeService } from './merge-service.ts';

/** The models of several files as one: later ones win, definitions are replaced whole, services are merged. */
export function mergeModels(models: readonly Model[], _problems: Problems): Model {
  const [first, ...rest] = models;
  if (!first) return { services: record(), networks: record(), volumes: record(), secrets: record(), configs: record() };
  return rest.reduce(
    (base, override) => ({
      services: mergeServices(base.services, override.services),
      networks: replaceMembers(base.networks, override.networks),
      volumes: replaceMembers(base.volumes, override.volumes),
      secrets: replaceMembers(base.secrets, override.secrets),
      configs: replaceMembers(base.configs, override.configs),
    }),
    first,
  );
}

function mergeServices(base: Model['services'], override: Model['services']): Model['services'] {
  const merged = record(Object.entries(base));
  for (const [name, service] of Object.entries(override)) {
    const before = merged[name];
    merged[name] = before ? mergeService(before, service) : service;
  }
  return merged;
}

function replaceMembers<T>(base: Record<string, T>, override: Record<string, T>): Record<string, T> {
  return record([...Object.entries(base), ...Object.entries(override)]);
}
