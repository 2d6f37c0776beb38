import { describe, expect, it } from 'vitest';
import { hasRoom } from './has-room.ts';

describe('hasRoom', () => {
  it.each([
    ['its first', 0, 3, true],
    ['its first when all is full', 0, 8, true],
    ['its first when all is more than full', 0, 9, true],
    ['another below both limits', 3, 7, true],
    ['another at its own limit', 4, 4, false],
    ['another when all is full', 1, 8, false],
  ])('%s: %i of its own, %i in all', (_case, own, all, expected) => {
    expect(hasRoom({ perOwner: 4, total: 8 }, { own, all })).toBe(expected);
  });
});
