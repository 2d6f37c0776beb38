import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HivekeepError } from '@hivekeep/contracts';

const TIMEOUT_MS = 60_000;

/** Runs a program to its end and gives its stdout. Throws `internal` with its stderr when it fails or takes over a minute. */
export async function runProgram(program: string, args: readonly string[], cwd?: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, [...args], { timeout: TIMEOUT_MS, ...(cwd !== undefined && { cwd }) });
    return stdout;
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    throw new HivekeepError('internal', `${program} ${args[0] ?? ''} failed: ${said || String(cause)}`, { cause });
  }
}
