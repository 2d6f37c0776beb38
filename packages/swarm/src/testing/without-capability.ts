import type { Backend, CapabilityName } from '../seams/backend.ts';
import { capabilityRules } from '../seams/capabilities.ts';

/** The backend as it would be if it had not got these abilities. */
export function withoutCapability<B extends Backend>(backend: B, ...names: readonly CapabilityName[]): Backend {
  const hidden = new Set<PropertyKey>(names.map((name) => capabilityRules[name].method));
  return new Proxy<Backend>(backend, {
    get: (target, key) => {
      const value: unknown = hidden.has(key) ? undefined : Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
