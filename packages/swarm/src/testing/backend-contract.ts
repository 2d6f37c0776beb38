import { indexSnapshot, type LiveService } from '@hivekeep/planner';
import { describe, expect, test } from 'vitest';
import type { Backend } from '../seams/backend.ts';
import { capabilitiesOf, hasCapability } from '../seams/capabilities.ts';

/** A backend over a swarm on which stack `stack` runs one service, `<stack>_web`, beside services of others. */
export interface BackendSubject extends AsyncDisposable {
  readonly backend: Backend;
  readonly stack: string;
  /** Makes every further read of the swarm fail. */
  breakSwarm(): Promise<void>;
}

/** What every `Backend` must do. */
export function backendContract(name: string, create: () => Promise<BackendSubject>): void {
  describe(`${name} as a Backend`, () => {
    test("reads a stack's services at a look, and no other's", async () => {
      await using subject = await create();
      const { backend, stack } = subject;
      const look = indexSnapshot(await backend.snapshot({ withTasks: false }));
      const named = (services: readonly LiveService[]) => services.map(({ spec }) => spec.Name);
      if (hasCapability(backend, 'LiveDrift')) expect(named(backend.liveServices({ look, stack }))).toEqual([`${stack}_web`]);
      if (hasCapability(backend, 'StackServicesReader')) expect(named(backend.stackServices({ look, stack }))).toEqual([`${stack}_web`]);
      if (hasCapability(backend, 'StacksReader')) {
        const stacks = backend.stacks({ look });
        expect([stacks.has(stack), stacks.has('never-was')]).toEqual([true, false]);
      }
      if (hasCapability(backend, 'SwarmSizer')) expect(backend.swarmNodes({ look })).toBe(look.snapshot.nodes.length);
    });

    test('an object that is gone is removed with success', async () => {
      await using subject = await create();
      const { backend } = subject;
      if (!hasCapability(backend, 'ResourceRemover')) return;
      await backend.removeResource({ resource: { kind: 'config', id: 'neverwasneverwasneverwas0', name: 'never-was', created: true } });
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
