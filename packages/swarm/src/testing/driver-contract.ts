import { describe, expect, test } from 'vitest';
import type { Driver } from '../seams/driver.ts';

export interface DriverSubject<Desired, Observed> {
  readonly driver: Driver<Desired, Observed>;
  /** Equal items for equal names. */
  item(name: string): Desired;
  nameOf(observed: Observed): string;
  /** Why the item fails, as it was observed. */
  failureOf(observed: Observed): string | undefined;
  /** Makes an item that is kept fail. */
  fail(name: string, why: string): void;
  /** What the driver keeps, by name: the same object while it is the same work. */
  kept(): ReadonlyMap<string, unknown>;
}

/** What every `Driver` must do. */
export function driverContract<D, O>(name: string, create: () => DriverSubject<D, O>): void {
  describe(`${name} as a Driver`, () => {
    const signal = new AbortController().signal;
    const given = () => {
      const subject = create();
      const reconcile = (generation: number, names: readonly string[], complete = true) =>
        subject.driver.reconcile({ generation, complete, desired: names.map((each) => subject.item(each)), signal });
      return { subject, reconcile, keeps: () => [...subject.kept().keys()] };
    };

    test('gives what it observed of each wanted item, in their order, and a failure of one costs no other', async () => {
      const { subject, reconcile } = given();
      await reconcile(1, ['shop', 'blog']);
      subject.fail('shop', 'broken');
      const observed = await reconcile(2, ['blog', 'shop', 'wiki']);
      expect(observed.map((each) => subject.nameOf(each))).toEqual(['blog', 'shop', 'wiki']);
      expect(observed.map((each) => subject.failureOf(each))).toEqual([undefined, 'broken', undefined]);
    });

    test('lets go of what is not wanted any more, and of nothing while that is not known', async () => {
      const { reconcile, keeps } = given();
      await reconcile(1, ['shop', 'blog']);
      await reconcile(2, ['blog', 'wiki'], false);
      expect(keeps().sort()).toEqual(['blog', 'shop', 'wiki']);
      await reconcile(3, ['blog', 'wiki']);
      expect(keeps().sort()).toEqual(['blog', 'wiki']);
      await reconcile(4, [], false);
      expect(keeps().sort()).toEqual(['blog', 'wiki']);
    });

    test('the same set again changes nothing', async () => {
      const { subject, reconcile } = given();
      await reconcile(1, ['shop', 'blog']);
      const before = [...subject.kept().values()];
      await reconcile(2, ['shop', 'blog']);
      const after = [...subject.kept().values()];
      expect(after.length).toBe(2);
      expect(after.every((each, at) => each === before[at])).toBe(true);
    });

    test('refuses a set that is older than one it has seen', async () => {
      const { reconcile, keeps } = given();
      await reconcile(2, ['shop']);
      await expect(reconcile(1, [])).rejects.toMatchObject({ code: 'appset/stale' });
      expect(keeps()).toEqual(['shop']);
    });

    test('does nothing once it is cancelled', async () => {
      const { subject, keeps, reconcile } = given();
      await reconcile(1, ['shop']);
      const cancelled = subject.driver.reconcile({ generation: 2, complete: true, desired: [], signal: AbortSignal.abort() });
      await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
      expect(keeps()).toEqual(['shop']);
    });
  });
}
