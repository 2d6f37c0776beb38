import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextDelay } from './schedule.ts';

const MINUTE = 60_000;
const NOW = 1_700_000_000_000;

describe('nextDelay', () => {
  it.each<[string, number, number, number]>([
    ['R01 1 failure doubles', MINUTE, 1, 2 * MINUTE],
    ['R01 3 failures', MINUTE, 3, 8 * MINUTE],
    ['R01 the cap', MINUTE, 40, 30 * MINUTE],
    ['11.11 an interval above the cap is not shortened', 24 * 60 * MINUTE, 20, 24 * 60 * MINUTE],
  ])('%s', (_, interval, failures, base) => {
    const delay = nextDelay({ interval, failures, outage: false, key: 'repo', began: NOW, now: NOW });
    expect(Math.abs(delay - base)).toBeLessThanOrEqual(base * 0.1);
  });

  it('tries again soon after an outage, whatever failed before and however long the interval', () => {
    for (const [interval, base] of [
      [60 * MINUTE, MINUTE / 4],
      [5_000, 5_000],
    ] as const)
      for (const failures of [0, 20]) {
        const delay = nextDelay({ interval, failures, outage: true, key: 'repo', began: NOW, now: NOW });
        expect(Math.abs(delay - base)).toBeLessThanOrEqual(base * 0.1);
      }
  });

  it('lets applications of one key meet at the same moments whenever they ask, each an interval apart give or take 10 %', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000, max: 600_000 }), fc.string(), fc.integer({ min: 0, max: 1e9 }), (interval, key, ahead) => {
        const now = NOW + ahead;
        const first = now + nextDelay({ interval, failures: 0, outage: false, key, began: now, now });
        const second = first + nextDelay({ interval, failures: 0, outage: false, key, began: first, now: first });
        expect(Math.abs(second - first - interval)).toBeLessThanOrEqual(interval * 0.1 + 2);
        expect(first - now).toBeLessThanOrEqual(interval * 1.6);
        const early = first - Math.floor(interval * 0.6);
        const long = Math.floor(interval * 0.8); // a tick that takes this long
        const after = nextDelay({ interval, failures: 0, outage: false, key, began: first, now: first + long });
        expect(Math.abs(first + long + after - second)).toBeLessThanOrEqual(1);
        expect(
          Math.abs(early + nextDelay({ interval, failures: 0, outage: false, key, began: early, now: early }) - first),
        ).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('spreads keys over the interval', () => {
    const delays = Array.from({ length: 200 }, (_, index) =>
      nextDelay({ interval: MINUTE, failures: 0, outage: false, key: `repo-${index}`, began: NOW, now: NOW }),
    );
    const quarters = new Set(delays.map((delay) => Math.floor(delay / (MINUTE / 4))));
    expect(quarters.size).toBeGreaterThanOrEqual(4);
  });
});
