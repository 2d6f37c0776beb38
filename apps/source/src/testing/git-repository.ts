import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

/** What stands at a path: a file's content, a symlink's target, a submodule's commit. */
export type Entry = string | Buffer | { readonly link: string } | { readonly submodule: string };

export interface CommitOptions {
  readonly branch?: string;
  readonly message?: string;
  /** Starts a new history: what a force push does. */
  readonly orphan?: boolean;
}

/** A bare repository on disk that tests write to without a work tree. */
export class GitRepository {
  readonly directory: string;
  #clock = 1_700_000_000;

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true });
    this.git('init', '--quiet', '--bare', '--initial-branch=main', '--template=');
    this.git('config', 'http.receivepack', 'false');
    this.git('config', 'gc.auto', '0');
  }

  /** Commits exactly these files and gives the commit's id. */
  commit(files: Readonly<Record<string, Entry>>, { branch = 'main', message = 'Change', orphan = false }: CommitOptions = {}): string {
    this.#clock += 60;
    const parts: (string | Buffer)[] = [`commit refs/heads/${branch}\n`];
    for (const role of ['author', 'committer']) parts.push(`${role} Ada Example <ada@example.com> ${this.#clock} +0000\n`);
    parts.push(data(message));
    const parent = this.#tip(branch);
    if (parent !== undefined && !orphan) parts.push(`from ${parent}\n`);
    parts.push('deleteall\n');
    for (const [path, entry] of Object.entries(files)) parts.push(...fileCommands(path, entry));
    const input = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    if (orphan && parent !== undefined) this.git('update-ref', '-d', `refs/heads/${branch}`);
    execFileSync('git', ['-C', this.directory, 'fast-import', '--quiet', '--force'], { input, stdio: ['pipe', 'ignore', 'inherit'] });
    return this.git('rev-parse', `refs/heads/${branch}`);
  }

  /** Runs git in the repository and gives its output without the last line end. */
  git(...args: string[]): string {
    const identity = ['-c', 'user.name=Ada Example', '-c', 'user.email=ada@example.com'];
    return execFileSync('git', ['-C', this.directory, ...identity, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  }

  #tip(branch: string): string | undefined {
    return this.git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`) || undefined;
  }
}

function data(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

function fileCommands(path: string, entry: Entry): (string | Buffer)[] {
  if (typeof entry === 'string' || Buffer.isBuffer(entry)) return [`M 100644 inline ${path}\n`, data(entry)];
  if ('link' in entry) return [`M 120000 inline ${path}\n`, data(entry.link)];
  return [`M 160000 ${entry.submodule} ${path}\n`];
}
