import { evalSemver } from '@hivekeep/charts';
import { evalYamlDecode, evalYamlEmit } from '@hivekeep/goyaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Damaged, damagedCases } from './damaged-cases.ts';
import { buildOracle, hasGo, type Oracle } from './oracle.ts';

const isLong = process.env.HIVEKEEP_TEST_LONG === '1';
const seeds = isLong ? [1, 2, 3] : [1];
const count = isLong ? 20_000 : 3_000;
const kinds: readonly (readonly [Damaged, (line: string) => string])[] = [
  ['yaml', evalYamlDecode],
  ['emits', evalYamlEmit],
  ['semver', evalSemver],
];

/** What must be equal; texts of errors need not, nor what stands for bytes that are no text. */
function outcome(line: string): unknown {
  const { ok, value, output, satisfied, cmp } = JSON.parse(line, (_, each) => (each?.hex ? each.hex : each)) as Record<string, unknown>;
  if (ok !== true) return 'refused';
  return cmp === undefined ? { value, output, satisfied } : { cmp };
}

describe.skipIf(!(await hasGo()))('YAML and versions against the libraries themselves (needs Go 1.24 or later)', () => {
  let oracle: Oracle;
  beforeAll(async () => {
    oracle = await buildOracle();
  }, 300_000);
  afterAll(() => oracle.remove());

  test.for(seeds.flatMap((seed) => kinds.map(([mode, answer]) => [mode, seed, answer] as const)))(
    `${count} damaged requests of %s, seed %i, end alike`,
    { timeout: 300_000 },
    async ([mode, seed, answer]) => {
      const requests = damagedCases(mode, seed, count);
      const answers = await oracle.lines(mode, [], `${requests.join('\n')}\n`);
      expect(answers).toHaveLength(count);
      const [wanted, found] = [answers.map(outcome), requests.map((request) => outcome(answer(request)))];
      const differing = requests.filter((_, index) => JSON.stringify(wanted[index]) !== JSON.stringify(found[index]));
      expect(differing).toEqual([]);
      expect(wanted.filter((each) => each !== 'refused').length).toBeGreaterThan(count / 4);
    },
  );
});
