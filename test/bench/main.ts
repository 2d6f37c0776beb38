import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Lab } from '@hivekeep/testkit';
import { benchSwarm } from './bench-swarm.ts';
import { chartRender } from './chart-render.ts';
import { cliStart } from './cli-start.ts';
import { composeBatch } from './compose-batch.ts';
import { type Figure, figureLine } from './figure.ts';
import { idleTicks } from './idle-ticks.ts';
import { latency } from './latency.ts';
import { serviceMemory } from './service-memory.ts';
import { stackDeploy } from './stack-deploy.ts';

/**
 * `node test/bench/main.ts [--json] [--only a,d]`: measures on a lab of three managers, prints a line for each figure as soon
 * as it is known, and exits 1 when one misses its goal. `./hivekeep bench` starts it and takes the lab down afterwards.
 */
interface Measurement {
  /** The letters of its figures. */
  readonly letters: string;
  readonly measure: (lab: Lab) => Promise<Figure[]>;
}

const measurements: readonly Measurement[] = [
  { letters: 'f', measure: cliStart },
  { letters: 'g', measure: composeBatch },
  { letters: 'h', measure: chartRender },
  { letters: 'd', measure: latency },
  { letters: 'c', measure: stackDeploy },
  { letters: 'ae', measure: (lab) => idleTicks(lab, 10) },
  { letters: 'abe', measure: (lab) => idleTicks(lab, 200) },
  { letters: 'e', measure: serviceMemory },
];

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, only: { type: 'string' } } });
const wanted = values.only?.split(',') ?? ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const isWanted = (id: string) => wanted.includes(id.slice(0, 1));

const lab = await benchSwarm();
let missed = 0;
for (const { letters, measure } of measurements) {
  if (!wanted.some((letter) => letters.includes(letter))) continue;
  process.stderr.write(`hivekeep bench: measuring ${[...letters].join(', ')} (load of this machine: ${loadavg()[0]?.toFixed(1)})\n`);
  for (const figure of (await measure(lab)).filter(({ id }) => isWanted(id))) {
    if (!figure.ok) missed += 1;
    process.stdout.write(`${values.json ? JSON.stringify(figure) : figureLine(figure)}\n`);
  }
}
process.exitCode = missed === 0 ? 0 : 1;
