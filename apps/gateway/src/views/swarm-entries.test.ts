import type { Presence } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { reconcilerPresence, swarmView } from '../testing/gateway-fixture.ts';
import { type SwarmFacts, swarmEntries } from './swarm-entries.ts';

const now = Date.parse('2026-01-02T03:04:05Z');
const active: Presence = { ...reconcilerPresence('home'), at: new Date(now - 1_000).toISOString() };
const held = (ageMs: number, more = {}) => new Map([['home', { view: swarmView('home', more), heardAt: now - ageMs }]]);

describe('swarmEntries', () => {
  it.each<[string, Partial<SwarmFacts>, string, RegExp | undefined]>([
    ['both signs of life', { held: held(5_000), presences: [active] }, 'ok', undefined],
    [
      'what the reconciler says of its engine',
      { held: held(0, { state: 'unreachable', message: 'no engine' }), presences: [active] },
      'unreachable',
      /no engine/,
    ],
    ['a view alone', { held: held(5_000) }, 'silent', /is silent; last heard 2026-01-02T03:04:00/],
    ['a presence alone', { presences: [active] }, 'unknown', /has not reported yet/],
    ['a view over its bound', { held: held(60_001), presences: [active] }, 'silent', /reported nothing since/],
    ['only a standby', { held: held(5_000), presences: [{ ...active, active: false }] }, 'silent', /only standby/],
    ['another service of the swarm', { held: held(5_000), presences: [{ ...active, service: 'node-agent' }] }, 'silent', /is silent/],
    ['a name alone', { named: ['home'] }, 'unserved', /start one with --swarm home/],
    [
      'a swarm that left, by its last presence',
      { held: held(5_000), presentAt: new Map([['home', now - 2_000]]) },
      'silent',
      /last heard 2026-01-02T03:04:03/,
    ],
  ])('%s', (_title, facts, state, message) => {
    const [entry, ...others] = swarmEntries({
      held: new Map(),
      presences: [],
      presentAt: new Map(),
      named: [],
      now,
      silentAfterMs: 60_000,
      ...facts,
    });
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ name: 'home', state });
    if (message === undefined) expect(entry).not.toHaveProperty('message');
    else expect(entry?.message).toMatch(message);
  });

  it('never hears anything in the future', () => {
    const facts = { presences: [], named: [], now, silentAfterMs: 60_000, held: held(-3_600_000), presentAt: new Map() };
    expect(swarmEntries(facts)[0]?.lastHeardAt).toBe('2026-01-02T03:04:05.000Z');
  });
});
