import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { checkout } from '../checkout.ts';
import { type Tally, tallyVitest, type VitestReport } from './tally.ts';

export interface StepContext {
  /** Ends the running program when aborted. */
  signal: AbortSignal;
  /** One line of progress, on stderr. */
  say: (line: string) => void;
}

/** One part of a tier: runs, and says what became of it. Throws only what is a mistake of ours. */
export type Step = (context: StepContext) => Promise<Tally>;

export interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
}

export interface VitestOptions extends CommandOptions {
  /** Tells each test when it has ended, for projects that take long. */
  eachTest?: boolean;
}

const bin = join(checkout, 'node_modules/.bin');

/** A program that counts as one test: passed when it ends with 0. A relative program is one of the checkout's own. */
export function commandStep(name: string, program: string, args: readonly string[], options: CommandOptions = {}): Step {
  return async (context) => {
    const passed = await succeeds(program, args, context.signal, options);
    if (!passed) context.say(`FAILED: ${name}`);
    return { passed: passed ? 1 : 0, failed: passed ? [] : [name], notRun: [] };
  };
}

/** The projects of vitest.config.ts of that name, which may end in `*`; counts their tests. */
export function vitestStep(project: string, options: VitestOptions = {}): Step {
  return async ({ signal, say }) => {
    const dir = await mkdtemp(join(tmpdir(), 'hivekeep-report-'));
    const file = join(dir, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    if (options.eachTest) reporters.push('--reporter=./test/reporters/each-test.ts');
    try {
      await succeeds('vitest', ['run', '--project', project, '--passWithNoTests', ...reporters], signal, options);
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text === undefined) {
        const reason = `vitest wrote no report for ${project}`;
        say(`FAILED: ${reason}`);
        return { passed: 0, failed: [reason], notRun: [] };
      }
      return tallyVitest(JSON.parse(text) as VitestReport); // vitest's own file, of the version we pin
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  };
}

/** Runs a program with its output on stderr and says whether it ended with 0 in time. */
async function succeeds(program: string, args: readonly string[], signal: AbortSignal, options: CommandOptions): Promise<boolean> {
  if (signal.aborted) return false;
  const child = spawn(program, args, {
    cwd: checkout,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, NO_COLOR: '1', ...options.env },
    stdio: ['ignore', process.stderr, process.stderr],
    timeout: options.timeoutMs ?? 15 * 60_000,
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false));
      child.once('close', (code) => resolve(code === 0));
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
