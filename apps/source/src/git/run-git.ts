import { type ChildProcess, spawn } from 'node:child_process';
import { HivekeepError } from '@hivekeep/contracts';
import { sourceMetrics } from '../source-metrics.ts';

export interface GitCommand {
  readonly args: readonly string[];
  /** The bare repository; absent for commands that need none. */
  readonly gitDir?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Bytes of stdout after which the command is ended. */
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
}

export interface GitOutcome {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** At most 16 KiB, not redacted: for translation and pattern matching, never for people. */
  readonly stderr: string;
}

const MAX_STDERR_BYTES = 16 * 1024;
const DEFAULT_MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * The whole environment of a git process: nothing of ours is inherited but the search path. No user or system
 * configuration, no prompt, no credential helper, and no transport that runs a command of the URL's choice (`ext::`).
 */
export function gitEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'http:https:ssh:file',
    GIT_OPTIONAL_LOCKS: '0',
    ...extra,
  };
}

/** Ends a git process and everything it started. A group that is gone already is success. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Starts git as the leader of its own process group, so that its transport helpers can be ended with it. */
export function spawnGit(command: Pick<GitCommand, 'args' | 'gitDir' | 'env'>, stdin: 'ignore' | 'pipe'): ChildProcess {
  const location = command.gitDir === undefined ? [] : [`--git-dir=${command.gitDir}`];
  return spawn('git', [...location, ...command.args], {
    cwd: '/',
    env: { ...command.env },
    detached: true,
    stdio: [stdin, 'pipe', 'pipe'],
  });
}

/**
 * Runs one git command to its end and gives its exit code and output, whatever the code.
 * Throws `source/timeout`, `source/too-large` (output) and `cancelled`; the whole process group is gone by then.
 */
export async function runGit(command: GitCommand): Promise<GitOutcome> {
  const verb = verbOf(command.args);
  const ended = sourceMetrics.gitCommand.startTimer({ command: verb });
  try {
    const outcome = await run(command);
    sourceMetrics.gitCommands.inc({ command: verb, outcome: outcome.exitCode === 0 ? 'ok' : 'failed' });
    return outcome;
  } catch (error) {
    sourceMetrics.gitCommands.inc({ command: verb, outcome: HivekeepError.from(error).code });
    throw error;
  } finally {
    ended();
  }
}

function run(command: GitCommand): Promise<GitOutcome> {
  command.signal?.throwIfAborted();
  const child = spawnGit(command, 'ignore');
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let failure: HivekeepError | undefined;
    const limit = command.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;

    const end = (reason: HivekeepError): void => {
      failure ??= reason;
      killGroup(child);
    };
    const onAbort = (): void => end(abortReason(command.signal));
    const timer = setTimeout(
      () =>
        end(new HivekeepError('source/timeout', `git ${verbOf(command.args)} did not end within ${command.timeoutMs} ms and was stopped`)),
      command.timeoutMs,
    );
    command.signal?.addEventListener('abort', onAbort, { once: true });

    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) stdout.push(chunk);
      else end(new HivekeepError('source/too-large', `git ${verbOf(command.args)} answered more than ${limit} bytes and was stopped`));
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR_BYTES) stderr += chunk.toString('utf8');
    });
    child.on('error', (cause) => {
      failure ??= new HivekeepError('config/invalid', 'git could not be started; install git 2.36 or newer', { cause });
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      command.signal?.removeEventListener('abort', onAbort);
      if (failure) reject(failure);
      else resolve({ exitCode: exitCode ?? 128, stdout: Buffer.concat(stdout), stderr });
    });
  });
}

function abortReason(signal: AbortSignal | undefined): HivekeepError {
  const reason: unknown = signal?.reason;
  return reason instanceof HivekeepError ? reason : new HivekeepError('cancelled', 'the Git command was cancelled');
}

/** The sub-command alone: arguments may hold addresses. */
function verbOf(args: readonly string[]): string {
  const skipValue = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c');
  return args[skipValue] ?? '';
}

const OLDEST = [2, 36] as const;

/** Throws `config/invalid` when there is no git, or one older than 2.36 (which has no `cat-file --batch-command`). */
export async function assertGitVersion(): Promise<void> {
  const { stdout } = await runGit({ args: ['--version'], env: gitEnvironment(), timeoutMs: 10_000 });
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(stdout.toString('utf8')) ?? []).map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw new HivekeepError('config/invalid', `expected git ${OLDEST.join('.')} or newer, found ${major}.${minor}; install a newer git`);
}
