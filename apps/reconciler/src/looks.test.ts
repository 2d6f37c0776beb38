import { expect, it } from 'vitest';
import { Looks } from './looks.ts';
import type { World } from './world.ts';

/** Reads that end when told to; each gives a world of its own. */
function given() {
  const reads: { end: () => void; fail: () => void }[] = [];
  const looks = new Looks(() => {
    const { promise, resolve, reject } = Promise.withResolvers<World>();
    reads.push({ end: () => resolve({} as World), fail: () => reject(new Error('unread')) }); // only its identity is looked at
    return promise;
  });
  const begun = (count: number) => expect.poll(() => reads.length).toBe(count);
  return { looks, reads, begun };
}

it('reads once for all who ask at the same moment', async () => {
  const { looks, reads, begun } = given();
  const asked = [looks.fresh(), Promise.resolve().then(() => looks.fresh()), looks.fresh()];
  await begun(1);
  reads[0]?.end();
  expect(new Set(await Promise.all(asked)).size).toBe(1);
  expect(reads).toHaveLength(1);
});

it('begins another look for those who ask while one is under way, after it has ended or failed', async () => {
  const { looks, reads, begun } = given();
  const first = looks.fresh();
  await begun(1);
  const later = [looks.fresh(), looks.fresh()];
  reads[0]?.fail();
  await expect(first).rejects.toThrow('unread');
  await begun(2);
  reads[1]?.end();
  expect(new Set(await Promise.all(later)).size).toBe(1);
  expect(looks.last).toBe(await later[0]);
});
