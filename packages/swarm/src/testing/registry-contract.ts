import { describe, expect, test } from 'vitest';
import type { Lister, Registry } from '../seams/registry.ts';

/** What every `Registry` and `Lister` must do. `create` gives one that knows at least one swarm and none named `nobody-serves-this`. */
export function registryContract(name: string, create: () => Promise<Registry & Lister>): void {
  describe(`${name} as a Registry and Lister`, () => {
    test('gives the same backend for the same target', async () => {
      const registry = await create();
      const [target] = await registry.swarms();
      expect(target).toBeDefined();
      if (target) expect(registry.backend({ ...target })).toBe(registry.backend({ ...target }));
    });

    test('resolves each swarm it lists', async () => {
      const registry = await create();
      for (const target of await registry.swarms()) expect(registry.backend(target).target.swarm).not.toBe('');
    });

    test('says of an unknown swarm that it is unknown', async () => {
      const registry = await create();
      expect(() => registry.backend({ swarm: 'nobody-serves-this' })).toThrow(expect.objectContaining({ code: 'swarm/unknown' }));
    });
  });
}
