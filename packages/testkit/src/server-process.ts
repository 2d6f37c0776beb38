import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** A server program under test: started and ended by pid, and ended by the kernel when the tests' process dies. */
export interface ServerProcess {
  readonly pid: number;
  /** SIGKILL, and waits until it has ended. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay, nothing answers. @throws when it has not stopped after 5 s. */
  pause(): void;
  resume(): void;
  readonly ended: boolean;
  /** Undefined while it runs, and when a signal ended it. */
  readonly exitCode: number | undefined;
}

/** How long a process may take to stop; it takes some microseconds. */
const STOP_MS = 5_000;

/** Starts `program` with its output in `logFile`. @throws when the program is not installed. */
export async function startServer(program: string, args: readonly string[], logFile: string): Promise<ServerProcess> {
  const log = openSync(logFile, 'a');
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { stdio: ['ignore', log, log] });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return new OwnedProcess(child);
}

class OwnedProcess implements ServerProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<void>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exit = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get exitCode(): number | undefined {
    return this.#child.exitCode ?? undefined;
  }

  async kill(): Promise<void> {
    if (this.ended) return;
    this.#child.kill('SIGKILL');
    await this.#exit;
  }

  pause(): void {
    this.#child.kill('SIGSTOP');
    const until = performance.now() + STOP_MS;
    while (!hasStopped(this.pid)) {
      if (performance.now() >= until) throw new Error(`process ${this.pid} runs on ${STOP_MS} ms after SIGSTOP`);
    }
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }
}

/** Whether no thread of a process runs on (proc(5), stat). A signal takes its time: until it arrives a thread may still answer. */
function hasStopped(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'));
    return threads.every((stat) => /\) [TtZX] /.test(stat));
  } catch {
    return !existsSync(`/proc/${pid}`); // else a thread has ended between the two reads
  }
}

/** A TCP port of the loopback address that was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
  return address.port;
}

/** The end of a log file, for the message of a server that does not start. */
export async function logTail(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-5).join('\n');
}
