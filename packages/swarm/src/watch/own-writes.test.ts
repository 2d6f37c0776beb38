import { expect, test } from 'vitest';
import type { Hint } from './event-stream.ts';
import { OwnWrites } from './own-writes.ts';

const hint = (change: Partial<Hint> = {}): Hint => ({ kind: 'config', id: 'id1', name: 'c', action: 'create', ...change });
const write = { kind: 'config', name: 'c', action: 'create' } as const;

test('an echo that comes while we write is held, and swallowed once the write is over', () => {
  const own = new OwnWrites();
  own.begin(write);
  expect(own.swallow(hint())).toBe(true);
  const held = own.end(write, 'id1');
  expect(held).toEqual([hint()]);
  expect(own.swallow(hint())).toBe(true);
  expect(own.swallow(hint())).toBe(false);
});

test('an echo that comes late is swallowed once', () => {
  const own = new OwnWrites();
  own.begin(write);
  expect(own.end(write, 'id1')).toEqual([]);
  expect(own.swallow(hint())).toBe(true);
  expect(own.swallow(hint())).toBe(false);
});

test("other people's changes are not: another object, another action, a write of ours that failed", () => {
  const own = new OwnWrites();
  own.begin(write);
  expect(own.swallow(hint({ name: 'other', id: 'id2' }))).toBe(false);
  own.end(write, 'id1');
  expect(own.swallow(hint({ action: 'remove' }))).toBe(false);
  own.begin({ ...write, name: 'd' });
  own.end({ ...write, name: 'd' }, undefined);
  expect(own.swallow(hint({ name: 'd', id: 'id3' }))).toBe(false);
});

test('hints wait until the last of several writes of one object is over', () => {
  const own = new OwnWrites();
  own.begin(write);
  own.begin(write);
  own.end(write, 'id1');
  expect(own.swallow(hint())).toBe(true);
  expect(own.end(write, 'id1')).toEqual([hint()]);
});
