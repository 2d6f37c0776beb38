import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';
import { Command, InvalidArgumentError } from 'commander';
import { checkout } from '../checkout.ts';
import { withExample } from '../command-options.ts';
import { labDown } from '../lab/lab-script.ts';

interface BenchOptions {
  readonly json: boolean;
  /** Letters of figures, comma-separated; all when absent. */
  readonly only?: string;
}

/** `hivekeep bench`: the figures of docs/performance.md on a lab of its own. Exit 1 when a goal is missed. */
export function benchCommand(): Command {
  const bench = new Command('bench')
    .description('measure what Hivekeep costs, on a lab of three managers of its own (Linux, root)')
    .option('--json', 'one JSON object a line', false)
    .option('--only <letters>', 'some of the figures a to h, separated by commas', letters)
    .action(async (options: BenchOptions) => {
      process.exitCode = await runBench(options);
    });
  return withExample(bench, 'hivekeep bench', 'hivekeep bench --json --only a,d');
}

function letters(text: string): string {
  if (!/^[a-h](,[a-h])*$/.test(text)) throw new InvalidArgumentError('expected letters from a to h, separated by commas.');
  return text;
}

/** A program of its own, since it takes the tests' tools, which no build carries. The lab goes whatever happens. */
async function runBench({ json, only }: BenchOptions): Promise<number> {
  const name = `bench-${createHash('sha256').update(checkout).digest('hex').slice(0, 8)}`;
  const args = [join(checkout, 'test/bench/main.ts'), ...(json ? ['--json'] : []), ...(only === undefined ? [] : ['--only', only])];
  await labDown({ name }); // a run that was killed may have left its lab
  const ignore = () => undefined; // Ctrl-C ends the program itself; here the lab has still to go
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ignore);
  try {
    const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, HIVEKEEP_LAB: name } });
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (cause) => reject(new HivekeepError('internal', `the bench cannot be started: ${cause.message}`, { cause })));
      child.once('close', (code) => resolve(code ?? 130));
    });
  } finally {
    await labDown({ name });
  }
}
