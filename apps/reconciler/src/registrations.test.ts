import { aSpec } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { Registrations } from './registrations.ts';

const spec = (name: string, more = {}) => aSpec({ name, ...more });
const never = new AbortController().signal;

it('adds, replaces and removes; a replaced application stays the same entry and forgets its failures', async () => {
  const held = new Registrations();
  await held.apply([spec('shop'), spec('blog')]);
  const shop = held.get('shop');
  if (shop) shop.failures = 3;
  const change = await held.apply([spec('shop', { driftDetection: 'live' }), spec('docs')]);
  expect(change).toEqual({ removed: ['blog'], replaced: ['shop'], added: ['docs'] });
  expect(held.get('shop')).toBe(shop);
  expect(shop).toMatchObject({ failures: 0, dueAt: 0, spec: { driftDetection: 'live' } });
});

it('cancels the work of an application that leaves, and its name may be taken anew', async () => {
  const held = new Registrations();
  await held.apply([spec('shop')]);
  const left = held.get('shop');
  const work = left?.tryAcquire(never);
  work?.signal.addEventListener('abort', () => work.end());
  await held.apply([]);
  expect(work?.signal.reason).toMatchObject({ code: 'cancelled' });
  expect(held.draining()).toEqual([]);
  await held.apply([spec('shop')]);
  expect(left && held.holds(left)).toBe(false);
});

it('names what still works at the end of a term', async () => {
  const held = new Registrations();
  await held.apply([spec('shop'), spec('blog')]);
  const work = held.get('shop')?.tryAcquire(never);
  expect(await held.retireAll(10)).toEqual(['shop']);
  expect(held.size).toBe(0);
  work?.end();
});
