import type { ChildProcess } from 'node:child_process';
import { HivekeepError } from '@hivekeep/contracts';
import { looksCorrupt } from './git-errors.ts';
import { gitEnvironment, killGroup, spawnGit } from './run-git.ts';

/** What stands under an object name such as `<commit>:<path>`, symlinks inside the tree followed. */
export type ObjectInfo =
  | { readonly kind: 'object'; readonly id: string; readonly type: 'blob' | 'tree' | 'commit' | 'tag'; readonly size: number }
  /** `escapes`: a link leads outside the tree; `broken`: it leads nowhere or in a circle; `missing`: nothing there. */
  | { readonly kind: 'escapes' | 'broken' | 'missing' };

interface Waiting {
  readonly command: string;
  readonly withContent: boolean;
  attempts: number;
  resolve(answer: { info: ObjectInfo; content: Buffer }): void;
  reject(error: Error): void;
}

const IDLE_MS = 30_000;
const ANSWER_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 2;
const NOTHING = Buffer.alloc(0);

/** Thrown when the repository itself is damaged; the mirror makes itself anew. */
export class CorruptRepository extends Error {}

/**
 * Reads objects of one bare repository through one `git cat-file --batch-command` process (git 2.36 or newer), started at need
 * and ended when idle. A process that fails or does not answer is ended and started anew for the next question.
 */
export class ObjectReader {
  readonly #gitDir: string;
  #child: ChildProcess | undefined;
  #waiting: Waiting[] = [];
  #buffer: Buffer = NOTHING;
  #stderr = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(gitDir: string) {
    this.#gitDir = gitDir;
  }

  async info(name: string): Promise<ObjectInfo> {
    return (await this.#ask('info', name)).info;
  }

  /** The bytes of an object by its id; ask for its size first. Throws `source/revision-unknown` when it is gone. */
  async content(id: string): Promise<Buffer> {
    const { info, content } = await this.#ask('contents', id);
    if (info.kind !== 'object') throw new HivekeepError('source/revision-unknown', `the object ${id} is no longer in the mirror`);
    return content;
  }

  /** Ends the process; the next question starts another. */
  close(): void {
    this.#fail(new HivekeepError('cancelled', 'the repository is being closed'));
  }

  #ask(command: 'info' | 'contents', name: string): Promise<{ info: ObjectInfo; content: Buffer }> {
    if (/[\n\0]/.test(name)) return Promise.reject(new HivekeepError('source/refused', 'a path holds a line break or NUL'));
    return new Promise((resolve, reject) => {
      this.#send({ command: `${command} ${name}`, withContent: command === 'contents', attempts: 0, resolve, reject });
    });
  }

  #send(question: Waiting): void {
    const child = this.#start();
    question.attempts += 1;
    this.#waiting.push(question);
    child.stdin?.write(`${question.command}\n`);
    this.#arm();
  }

  #start(): ChildProcess {
    if (this.#child) return this.#child;
    const args = ['cat-file', '--batch-command', '--follow-symlinks'];
    const child = spawnGit({ args, gitDir: this.#gitDir, env: gitEnvironment() }, 'pipe');
    this.#child = child;
    this.#buffer = NOTHING;
    this.#stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => this.#receive(child, chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#stderr.length < 4096) this.#stderr += chunk.toString('utf8');
    });
    child.stdin?.on('error', () => undefined); // `close` follows, when all it said has been read
    child.on('error', () => this.#ended(child));
    child.on('close', () => this.#ended(child));
    return child;
  }

  #receive(child: ChildProcess, chunk: Buffer): void {
    if (child !== this.#child) return;
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const parsed = parseAnswer(this.#buffer, next.withContent);
      if (!parsed) break;
      this.#buffer = this.#buffer.subarray(parsed.length);
      this.#waiting.shift();
      next.resolve(parsed);
    }
    this.#arm();
  }

  /** The process ended by itself or was killed: its questions are asked once more, unless the repository is damaged. */
  #ended(child: ChildProcess): void {
    if (child !== this.#child) return;
    if (looksCorrupt(this.#stderr)) {
      this.#fail(new CorruptRepository('git cat-file found damage'));
      return;
    }
    const again = this.#waiting.filter(({ attempts }) => attempts < MAX_ATTEMPTS);
    this.#waiting = this.#waiting.filter(({ attempts }) => attempts >= MAX_ATTEMPTS);
    this.#fail(new HivekeepError('internal', 'git cat-file ended unexpectedly, more than once'));
    for (const question of again) this.#send(question);
  }

  #fail(error: Error): void {
    clearTimeout(this.#timer);
    const child = this.#child;
    const waiting = this.#waiting;
    this.#child = undefined;
    this.#waiting = [];
    this.#buffer = NOTHING;
    if (child) killGroup(child);
    for (const { reject } of waiting) reject(error);
  }

  /** One timer for both bounds: an answer that does not come, and a process nobody needs. */
  #arm(): void {
    clearTimeout(this.#timer);
    const busy = this.#waiting.length > 0;
    this.#timer = setTimeout(
      () => this.#fail(new HivekeepError('source/timeout', `git cat-file did not answer within ${ANSWER_TIMEOUT_MS} ms`)),
      busy ? ANSWER_TIMEOUT_MS : IDLE_MS,
    );
    this.#timer.unref();
  }
}

/** One answer at the start of the buffer (git-cat-file(1), "BATCH OUTPUT"), or undefined while it is incomplete. */
function parseAnswer(buffer: Buffer, withContent: boolean): { info: ObjectInfo; content: Buffer; length: number } | undefined {
  const end = buffer.indexOf(10);
  if (end < 0) return undefined;
  const line = buffer.toString('utf8', 0, end);
  const object = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/.exec(line);
  if (object) {
    const size = Number(object[3]);
    const info: ObjectInfo = { kind: 'object', id: object[1] as string, type: object[2] as 'blob', size };
    if (!withContent) return { info, content: NOTHING, length: end + 1 };
    if (buffer.length < end + 1 + size + 1) return undefined;
    return { info, content: Buffer.from(buffer.subarray(end + 1, end + 1 + size)), length: end + 1 + size + 1 };
  }
  const special = /^(symlink|dangling|loop|notdir) (\d+)$/.exec(line);
  if (!special) return { info: { kind: 'missing' }, content: NOTHING, length: end + 1 };
  const length = end + 1 + Number(special[2]) + 1;
  if (buffer.length < length) return undefined;
  const kind = special[1] === 'symlink' ? 'escapes' : special[1] === 'notdir' ? 'missing' : 'broken';
  return { info: { kind }, content: NOTHING, length };
}
