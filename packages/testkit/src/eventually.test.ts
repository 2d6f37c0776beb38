import { expect, test } from 'vitest';
import { consistently, eventually } from './eventually.ts';

test('gives what the probe gives once it no longer throws or gives false', async () => {
  const answers = [() => Promise.reject(new Error('not yet')), () => false as const, () => 'there'];
  await expect(eventually(() => answers.shift()?.() ?? 'too late', { intervalMs: 1 })).resolves.toBe('there');
});

test('ends at the deadline with what the probe threw last', async () => {
  const never = () => {
    throw new Error('still down');
  };
  await expect(eventually(never, { timeoutMs: 20, intervalMs: 5 })).rejects.toThrow('not so after 20 ms: still down');
});

test('ends at once when waiting longer is no use', async () => {
  const dead = new Error('process ended');
  const probe = () => Promise.reject(dead);
  await expect(eventually(probe, { timeoutMs: 60_000, failFast: (thrown) => thrown === dead })).rejects.toBe(dead);
});

test('consistently fails as soon as the probe does', async () => {
  let looks = 0;
  await expect(consistently(() => ++looks < 3, 60_000, 1)).rejects.toThrow('gave false');
  await expect(consistently(() => true, 5, 1)).resolves.toBeUndefined();
});
