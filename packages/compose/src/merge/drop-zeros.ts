import type { Model } from '../model.ts';
import { record } from '../value.ts';

/** Mappings of texts, in which an empty text is a value. */
const TEXT_MAPS = new Set(['environment', 'labels', 'sysctls', 'options', 'driver_opts']);

/** The model without false and empty texts that are as good as absent; they only matter while files are merged. */
export function dropZeros(model: Model): Model {
  return {
    ...model,
    services: mapMembers(model.services, (service) => ({
      ...dropMembers(service),
      // Sent when it is false, too.
      ...(service.init !== undefined && { init: service.init }),
    })),
    networks: mapMembers(model.networks, dropMembers),
    volumes: mapMembers(model.volumes, dropMembers),
    secrets: mapMembers(model.secrets, dropMembers),
    configs: mapMembers(model.configs, dropMembers),
  };
}

function mapMembers<T>(members: Record<string, T>, change: (member: T) => T): Record<string, T> {
  return record(Object.entries(members).map(([key, member]) => [key, change(member)]));
}

function dropMembers<T extends object>(from: T): T {
  const entries = Object.entries(from)
    .filter(([, value]) => value !== false && value !== '')
    .map(([key, value]) => [key, TEXT_MAPS.has(key) || key === 'cluster' ? value : dropWithin(value)]);
  // Only members whose absence means the same were left out.
  return Object.fromEntries(entries) as T;
}

function dropWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? dropMembers(item) : item));
  return isObject(value) ? dropMembers(value) : value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
