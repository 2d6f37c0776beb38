import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { atMost, type Figure, median } from './figure.ts';
import { launcher } from './hivekeep-process.ts';

const ROUNDS = 15;

/** (f): a command of the launcher with nothing to build, from its start to its end. */
export async function cliStart(): Promise<Figure[]> {
  const times: number[] = [];
  await promisify(execFile)(launcher, ['version']); // builds, and fills the compile cache
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    await promisify(execFile)(launcher, ['version']);
    times.push(performance.now() - began);
  }
  return [atMost('f.cli-start', median(times), 300, { unit: 'ms', note: `./hivekeep version, median of ${ROUNDS}` })];
}
