import { it } from 'vitest';
import { runHistory } from './history.ts';
import { installVirtualTime } from './virtual-time.ts';

const COUNT = process.env.HIVEKEEP_TEST_LONG ? 100_000 : 2_000;

/** Tests one of `shares` equal parts of all histories; or that of `HIVEKEEP_MODEL_SEED` alone, and tells how it went. */
export function checkHistories(share: number, shares: number): void {
  installVirtualTime();
  const replayed = process.env.HIVEKEEP_MODEL_SEED;
  if (replayed !== undefined) {
    it.runIf(Number(replayed) % shares === share)(`history ${replayed} keeps S1 to S5 and L1`, async () => check(Number(replayed), true));
    return;
  }
  it(`${COUNT / shares} histories keep S1 to S5 and L1`, async () => {
    for (let seed = share; seed < COUNT; seed += shares) await check(seed, false);
  });
}

/** Throws with what was violated, how it came to that, and how to see it again. */
async function check(seed: number, told: boolean): Promise<void> {
  const { violations, log } = await runHistory(seed);
  if (told) console.log(log.join('\n'));
  if (violations.length === 0) return;
  const again = `again: HIVEKEEP_MODEL_SEED=${seed} pnpm exec vitest run --project model histories`;
  throw new Error([`history ${seed} violates:`, ...violations, 'what happened:', ...log, again].join('\n'));
}
