import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const checkout = resolve(import.meta.dirname, '../..');
/** As `./hivekeep` starts it. */
export const launcher = join(checkout, 'hivekeep');

/** A running `hivekeep` command. */
export interface HivekeepProcess extends AsyncDisposable {
  readonly pid: number;
  /** The end of what it wrote, for an error. */
  log(): Promise<string>;
  readonly ended: boolean;
}

const STOP_MS = 15_000;

/** Starts a command that serves (`up`, `service …`) with its log in a file; ends it with SIGTERM, with SIGKILL after a while. */
export function startHivekeep(args: readonly string[], logFile: string): HivekeepProcess {
  const log = openSync(logFile, 'a');
  const child = spawn(launcher, [...args], { stdio: ['ignore', log, log], env: { ...process.env, HIVEKEEP_LOG_LEVEL: 'warn' } });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${launcher} cannot be started`);
  return {
    pid,
    log: async () => (await readFile(logFile, 'utf8')).split('\n').slice(-20).join('\n'),
    get ended() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
