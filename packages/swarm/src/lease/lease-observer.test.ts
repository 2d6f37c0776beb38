import { expect, test } from 'vitest';
import { LeaseObserver } from './lease-observer.ts';
import { type LeaseRecord, leaseRecord } from './lease-record.ts';

const lease = (version: number, holder = 'h', id = 'l1'): LeaseRecord => ({
  ...leaseRecord({ id, name: id, version, labels: {} }),
  holder,
});

test('a lease is dead once its index has not moved for the lease time of our own clock', () => {
  const observer = new LeaseObserver(15_000);
  observer.note([lease(7)], 1_000);
  expect(observer.liveness('l1', 1_000)).toBe('undecided');
  observer.note([lease(7)], 15_999);
  expect(observer.liveness('l1', 15_999)).toBe('undecided');
  expect(observer.liveness('l1', 16_000)).toBe('dead');
});

test('each move of the index starts the time anew and shows that it lives', () => {
  const observer = new LeaseObserver(15_000);
  observer.note([lease(7)], 0);
  observer.note([lease(8)], 14_000);
  expect(observer.liveness('l1', 20_000)).toBe('living');
  expect(observer.liveness('l1', 29_000)).toBe('dead');
});

test('a vacant lease is nobody’s, one never seen is unknown, and what was forgotten counts no more', () => {
  const observer = new LeaseObserver(15_000);
  observer.note([lease(7, '')], 0);
  expect(observer.liveness('l1', 0)).toBe('dead');
  expect(observer.liveness('l1', 2_999, 3_000)).toBe('undecided');
  expect(observer.liveness('l1', 3_000, 3_000)).toBe('dead');
  expect(observer.liveness('l2', 0)).toBe('undecided');
  observer.note([lease(9)], 1);
  observer.forget();
  observer.note([lease(9)], 20_000);
  expect(observer.liveness('l1', 20_000)).toBe('undecided');
});

test('a lease that was deleted and made anew is another lease', () => {
  const observer = new LeaseObserver(15_000);
  observer.note([lease(7)], 0);
  observer.note([], 1_000);
  observer.note([lease(7)], 2_000);
  expect(observer.liveness('l1', 15_500)).toBe('undecided');
});
