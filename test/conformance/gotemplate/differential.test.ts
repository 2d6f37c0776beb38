import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareWith } from './differences.ts';
import { buildOracle, hasGo, type Oracle } from './oracle.ts';

const isLong = process.env.HIVEKEEP_TEST_LONG === '1';
const seeds = isLong ? ['1', '2', '3'] : ['1'];
const count = isLong ? 20_000 : 5_000;
/** Requests that Go answers in two ways, of a hundred. */
const MAX_VARYING = 1;
const SLOWEST_MS = 2_000;

describe.skipIf(!(await hasGo()))('templates against the engine itself (needs Go 1.24 or later)', () => {
  let oracle: Oracle;
  beforeAll(async () => {
    oracle = await buildOracle();
  }, 300_000);
  afterAll(() => oracle.remove());

  test.for(seeds.flatMap((seed) => [['gen', seed] as const, ['mutate', seed] as const]))(
    `${count} requests of %s, seed %s, end alike`,
    { timeout: 600_000 },
    async ([mode, seed]) => {
      const requests = await oracle.lines(mode, ['-seed', seed, '-count', String(count)]);
      const { compared, varying, differences, slowestMs } = await compareWith(oracle, requests);
      expect(differences).toEqual([]);
      expect(compared + varying).toBe(count);
      expect((100 * varying) / count).toBeLessThanOrEqual(MAX_VARYING);
      expect(slowestMs).toBeLessThan(SLOWEST_MS);
    },
  );
});
