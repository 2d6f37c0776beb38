import { spawn } from 'node:child_process';

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string | Uint8Array;
  timeoutMs?: number;
}

/**
 * Runs a program to its end and gives its stdout. At the deadline it ends with its children: git's transport outlives git.
 * @throws when it ends with another code than 0, with its stderr in the message, or takes longer than `timeoutMs` (60 s).
 */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const child = spawn(program, args, { cwd: options.cwd, env: options.env ?? process.env, detached: true });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => undefined); // a program that ends early shows in its exit code
  child.stdin.end(options.input);

  const { timeoutMs = 60_000 } = options;
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), timeoutMs);
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve(exit ?? signal ?? 'unknown'));
  }).finally(() => clearTimeout(timer));
  if (code === 0) return Buffer.concat(stdout).toString();
  const ending = code === 'SIGKILL' ? `was ended after ${timeoutMs} ms (SIGKILL)` : `ended with ${code}`;
  throw new Error(`${program} ${args.join(' ')} ${ending}: ${Buffer.concat(stderr).toString().trim()}`);
}
