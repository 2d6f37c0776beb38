import { describe, expect, test } from 'vitest';
import type { Backend } from '../seams/backend.ts';
import { capabilitiesOf, hasCapability } from '../seams/capabilities.ts';

/** A backend over a swarm on which stack `stack` runs one service that mounts a volume. */
export interface BackendSubject extends AsyncDisposable {
  readonly backend: Backend;
  readonly stack: string;
  /** Names of the stack's volumes that exist. */
  volumes(): Promise<string[]>;
  /** Makes every further read of the swarm fail. */
  breakSwarm(): Promise<void>;
}

/** What every `Backend` must do. */
export function backendContract(name: string, create: () => Promise<BackendSubject>): void {
  describe(`${name} as a Backend`, () => {
    test('removes a stack and keeps its volumes', async () => {
      await using subject = await create();
      const { backend, stack } = subject;
      await backend.removeStack({ stack });
      const { services } = await backend.snapshot({ withTasks: false });
      expect(services.filter(({ spec }) => spec.Name.startsWith(`${stack}_`))).toEqual([]);
      expect(await subject.volumes()).not.toEqual([]);
    });

    test('an absent stack is removed with success', async () => {
      await using subject = await create();
      await subject.backend.removeStack({ stack: 'never-was' });
    });

    test('an unread swarm is an error, never empty', async () => {
      await using subject = await create();
      await subject.breakSwarm();
      await expect(subject.backend.snapshot({ withTasks: false })).rejects.toThrow();
    });

    test('names what it can and what the rest costs', async () => {
      await using subject = await create();
      for (const { present, costs } of capabilitiesOf(subject.backend)) expect(costs === undefined).toBe(present);
    });

    test('a scoped copy leaves the backend as it is', async () => {
      await using subject = await create();
      const { backend } = subject;
      if (!hasCapability(backend, 'AllowedReferences')) return;
      const copy = backend.withAllowed({ allow: { secrets: ['a'] } });
      const other = backend.withAllowed({ allow: { secrets: ['b'] } });
      expect([copy.allowed.secrets, other.allowed.secrets]).toEqual([['a'], ['b']]);
      expect(copy).not.toBe(backend);
      expect(copy.target).toEqual(backend.target);
    });
  });
}
