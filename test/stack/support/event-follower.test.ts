import { describe, expect, it } from 'vitest';
import { holesIn } from './event-follower.ts';

const event = { application: 'shop', swarm: 'default', type: 'sync-started', at: '2026-01-02T03:04:05Z' };
const heard = (...ids: string[]) => ids.map((id) => (id.startsWith('!') ? { id: id.slice(1), event: undefined } : { id, event }));

describe('holesIn', () => {
  it('takes a sequence, and another one after a reset', () => {
    expect(holesIn(heard('a-9', 'a-10', '!b-3', 'b-4', '!b-7', 'b-8'))).toEqual([]);
  });

  it.each([
    [['a-1', 'a-3'], 'a-1 is followed by a-3'],
    [['a-1', 'b-2'], 'a-1 is followed by b-2'],
    [['a-1', 'a-1'], 'a-1 is followed by a-1'],
    [['!a-4', 'a-6'], 'a-4 is followed by a-6'],
  ])('finds a gap, another log and what is told twice: %s', (ids, hole) => expect(holesIn(heard(...ids))).toEqual([hole]));
});
