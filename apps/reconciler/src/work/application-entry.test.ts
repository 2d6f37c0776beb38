import type { ErrorCode } from '@hivekeep/contracts';
import { nextDelay } from '@hivekeep/planner';
import { aSpec } from '@hivekeep/testkit';
import { describe, expect, it } from 'vitest';
import { ApplicationEntry } from './application-entry.ts';

/** How long an application that is looked at each three minutes waits after passes that ended so, in seconds. */
function waitsAfter(...outcomes: (ErrorCode | 'ok')[]): number {
  const entry = new ApplicationEntry(aSpec());
  for (const outcome of outcomes) outcome === 'ok' ? entry.succeeded() : entry.failed(outcome);
  const { failures, outage } = entry;
  return nextDelay({ interval: 180_000, failures, outage, key: 'repo', began: 0, now: 0 }) / 1_000;
}

describe('after an outage', () => {
  it.each<ErrorCode>([
    'source/unreachable',
    'source/timeout',
    'source/behind',
    'bus/no-answer',
    'bus/timeout',
    'swarm/no-leader',
    'swarm/timeout',
  ])('%s: however long it lasted, the next try is soon', (code) =>
    expect(waitsAfter(...Array.from({ length: 30 }, () => code))).toBeLessThan(17),
  );

  it('what is wrong with the application itself still makes it wait longer each time', () => {
    expect(waitsAfter('compose/invalid', 'bus/timeout', 'compose/invalid')).toBeGreaterThan(600);
    expect(waitsAfter('compose/invalid', 'compose/invalid', 'ok')).toBeLessThan(300);
  });
});
