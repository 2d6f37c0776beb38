import type { Service } from '../model.ts';

/** A service of a later file over the same service of an earlier one. */
export function mergeService(base: Service, override: Service): Service {
  return { ...base, ...override };
}
