import { describe, expect, test } from 'vitest';
import type { Engine } from '../seams/engine.ts';

/** An engine over a swarm on which nothing runs yet, and one application with the release `release`: one service that mounts one volume. */
export interface EngineSubject<Wanted, Plan, Revision, Departed, Outcome> extends AsyncDisposable {
  readonly engine: Engine<Wanted, Plan, Revision, Departed, Outcome>;
  readonly release: string;
  /** The application in its n-th version, each of another image. */
  wanted(version: number): Wanted;
  wantsWrite(plan: Plan): boolean;
  numberOf(revision: Revision): number;
  /** A release that nothing declares any more and that may go now. */
  departed(release: string, options: { readonly removeVolumes: boolean }): Departed;
  /** Calls so far that changed something. */
  writes(): number;
  services(): string[];
  /** Volumes under the release's label, on any node. */
  volumes(): string[];
  /** Makes every further read of the swarm fail. */
  breakSwarm(): void;
  /** Another process may write now, and this one no more. */
  depose(): void;
}

/** What every `Engine` must do. */
export function engineContract<W, P, R, D, O>(name: string, create: () => Promise<EngineSubject<W, P, R, D, O>>): void {
  describe(`${name} as an Engine`, () => {
    const signal = new AbortController().signal;
    const apply = async ({ engine, wanted }: EngineSubject<W, P, R, D, O>, version: number) => {
      const plan = await engine.planApply({ ...wanted(version), signal });
      return engine.apply({ plan, mayBegin: () => true, signal });
    };

    test('planning writes nothing; a plan carried out is done, and the next one finds nothing to do', async () => {
      await using subject = await create();
      const { engine, wanted, wantsWrite } = subject;
      const plan = await engine.planApply({ ...wanted(1), signal });
      expect([wantsWrite(plan), subject.writes()]).toEqual([true, 0]);
      expect(await engine.apply({ plan, mayBegin: () => true, signal })).toBe(true);
      expect(subject.services()).toHaveLength(1);
      const done = subject.writes();
      const again = await engine.planApply({ ...wanted(1), signal });
      expect(wantsWrite(again)).toBe(false);
      await engine.apply({ plan: again, mayBegin: () => true, signal });
      expect(subject.writes()).toBe(done);
    });

    test('writes nothing where it may not begin, is cancelled, or is deposed', async () => {
      await using subject = await create();
      const { engine } = subject;
      const plan = await engine.planApply({ ...subject.wanted(1), signal });
      expect(await engine.apply({ plan, mayBegin: () => false, signal })).toBe(false);
      await expect(engine.apply({ plan, mayBegin: () => true, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
      subject.depose();
      await expect(engine.apply({ plan, mayBegin: () => true, signal })).rejects.toMatchObject({ code: 'lease/deposed' });
      expect([subject.writes(), subject.services()]).toEqual([0, []]);
    });

    test('plans nothing on a swarm that can not be read', async () => {
      await using subject = await create();
      subject.breakSwarm();
      await expect(subject.engine.planApply({ ...subject.wanted(1), signal })).rejects.toThrow();
      await expect(subject.engine.history()).rejects.toThrow();
    });

    test('keeps what was deployed, newest first, and knows nothing of a release that never was', async () => {
      await using subject = await create();
      const { engine, release, numberOf } = subject;
      for (const version of [1, 2, 3]) await apply(subject, version);
      const history = await engine.history();
      expect(history.get(release)?.map(numberOf)).toEqual([3, 2, 1]);
      expect(history.has('never-was')).toBe(false);
    });

    test('removes a stack and keeps its volumes, and what tells whose they are', async () => {
      await using subject = await create();
      const { engine, release } = subject;
      await apply(subject, 1);
      await engine.uninstall({ ...subject.departed(release, { removeVolumes: false }), signal });
      expect([subject.services(), subject.volumes()]).toEqual([[], [`${release}_data`]]);
      expect((await engine.history()).has(release)).toBe(true);
    });

    test('removes the volumes where that is asked for, then the records, and is done with what is gone already', async () => {
      await using subject = await create();
      const { engine, release } = subject;
      await apply(subject, 1);
      await engine.uninstall({ ...subject.departed(release, { removeVolumes: true }), signal });
      expect([subject.services(), subject.volumes()]).toEqual([[], []]);
      expect((await engine.history()).has(release)).toBe(false);
      const done = subject.writes();
      await engine.uninstall({ ...subject.departed(release, { removeVolumes: true }), signal });
      await engine.uninstall({ ...subject.departed('never-was', { removeVolumes: true }), signal });
      expect(subject.writes()).toBe(done);
    });

    test('removes nothing once it is deposed', async () => {
      await using subject = await create();
      await apply(subject, 1);
      const done = subject.writes();
      subject.depose();
      const removal = subject.engine.uninstall({ ...subject.departed(subject.release, { removeVolumes: true }), signal });
      await expect(removal).rejects.toMatchObject({ code: 'lease/deposed' });
      expect([subject.writes(), subject.services().length]).toEqual([done, 1]);
    });
  });
}
