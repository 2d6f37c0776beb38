import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const sources = join(import.meta.dirname, 'oracle');
const OLDEST_GO = [1, 24] as const;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

/** Whether this machine can build the oracle: it has Go 1.24 or later. */
export async function hasGo(): Promise<boolean> {
  try {
    const { stdout } = await run('go', ['version']);
    const [major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number);
    return major > OLDEST_GO[0] || (major === OLDEST_GO[0] && minor >= OLDEST_GO[1]);
  } catch {
    return false; // there is none
  }
}

/** The engine's own libraries behind a program of ours; see oracle/README.md. */
export interface Oracle {
  /** Its answer to `mode` and arguments, line by line; `input` goes to its stdin. Throws when it does not end with 0 in two minutes. */
  lines(mode: string, args?: readonly string[], input?: string): Promise<string[]>;
  remove(): Promise<void>;
}

/** Builds the oracle into a folder of its own. Its modules come through the ordinary Go client, pinned by go.sum. */
export async function buildOracle(): Promise<Oracle> {
  const dir = await mkdtemp(join(tmpdir(), 'hivekeep-oracle-'));
  const program = join(dir, 'gotmpl');
  await run('go', ['build', '-o', program, '.'], { cwd: sources, timeout: 300_000 });
  return {
    lines: async (mode, args = [], input = '') => {
      const running = run(program, ['-mode', mode, ...args], { maxBuffer: MAX_OUTPUT_BYTES, timeout: 120_000 });
      running.child.stdin?.end(input);
      return (await running).stdout.split('\n').filter((line) => line !== '');
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
