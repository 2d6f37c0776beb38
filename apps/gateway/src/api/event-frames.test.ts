import { expect, it } from 'vitest';
import { event } from '../testing/gateway-fixture.ts';
import { eventFrame } from './event-frames.ts';

it('leaves out empty members and always names the swarm', () => {
  const bare = { ...event('web'), swarm: '', actor: '', revision: '' };
  expect(eventFrame({ id: 'log-1', event: bare })).toBe(
    'id: log-1\nevent: sync-succeeded\ndata: {"application":"web","swarm":"","type":"sync-succeeded","at":"2026-01-02T03:04:05Z"}\n\n',
  );
});

it('keeps one frame one frame, whatever stands in it', () => {
  const hostile = { ...event('web', 'a\n\nevent: sync-failed'), type: 'x\r\ndata: y' };
  const frame = eventFrame({ id: 'log-1\nretry: 0', event: hostile });
  expect(frame.split('\n').map((line) => line.split(':')[0])).toEqual(['id', 'event', 'data', '', '']);
});
