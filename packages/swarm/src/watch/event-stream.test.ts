import { eventually } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import { FakeEngine } from '../testing/fake-engine.ts';
import { followEvents, type Hint, hintOf, LineSplitter } from './event-stream.ts';

const line = (Type: string, Action: string, ID = 'id1', name = 'n') =>
  JSON.stringify({ Type, Action, Actor: { ID, Attributes: { name } }, scope: 'swarm' });

test.each([
  [line('service', 'create'), { kind: 'service', id: 'id1', name: 'n', action: 'create' }],
  [line('config', 'remove'), { kind: 'config', id: 'id1', name: 'n', action: 'remove' }],
  [line('network', 'destroy'), { kind: 'network', id: 'id1', name: 'n', action: 'remove' }],
  [line('node', 'update'), { kind: 'node', id: 'id1', name: 'n', action: 'update' }],
  [line('container', 'start'), undefined],
  ['', undefined],
  ['{"Type":"service"}', undefined],
  ['{broken', undefined],
  ['null', undefined],
])('%s', (text, hint) => {
  expect(hintOf(text)).toEqual(hint);
});

test.each([1, 2, 3, 7])('lines come together from chunks of %i bytes, characters too', (size) => {
  const bytes = Buffer.from('{"a":"höhe €"}\n{"b":1}\nrest');
  const split = new LineSplitter();
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += size) lines.push(...split.push(bytes.subarray(at, at + size)));
  expect(lines).toEqual(['{"a":"höhe €"}', '{"b":1}']);
});

test('a line without an end is an error', () => {
  expect(() => new LineSplitter().push(Buffer.alloc(2 * 1024 * 1024, 'x'))).toThrow(/without an end/);
});

describe('following events', () => {
  async function follow(work: (given: { engine: FakeEngine; hints: Hint[]; states: string[] }) => Promise<void>) {
    await using engine = await FakeEngine.start();
    const swarm = engine.client();
    const stop = new AbortController();
    const hints: Hint[] = [];
    const states: string[] = [];
    const sink = {
      hint: (hint: Hint) => void hints.push(hint),
      connected: () => void states.push('connected'),
      disconnected: () => void states.push('disconnected'),
    };
    const following = followEvents(swarm, sink, stop.signal);
    await eventually(() => states.includes('connected'), { intervalMs: 5 });
    await work({ engine, hints, states });
    stop.abort();
    await following;
    swarm.close();
  }

  test('lines split anywhere are hints', async () => {
    await follow(async ({ engine, hints }) => {
      const bytes = Buffer.from(`${line('service', 'update', 'a', 'höhe')}\n${line('service', 'update', 'b')}\n`);
      for (const byte of bytes) engine.emit(Buffer.from([byte]));
      await eventually(() => hints.length === 2, { intervalMs: 5 });
      expect(hints.map(({ id, name }) => `${id} ${name}`)).toEqual(['a höhe', 'b n']);
    });
  });

  test('it connects again, and says so', async () => {
    await follow(async ({ engine, states }) => {
      engine.cutStreams();
      await eventually(() => states.length === 3, { intervalMs: 5 });
      expect(states).toEqual(['connected', 'disconnected', 'connected']);
    });
  });
});
