import { HivekeepError } from '@hivekeep/contracts';
import type { Tree } from '../seams/fetcher.ts';
import type { GitLimits } from './git-limits.ts';
import type { Mirror } from './mirror.ts';
import { TreeFolder } from './tree-folder.ts';

/** A tree of a mirror. */
export class CommitTree implements Tree {
  readonly commit: string;
  readonly #mirror: Mirror;
  readonly #limits: GitLimits;
  readonly #reads = new Map<string, string>();
  #bytes = 0;

  constructor(mirror: Mirror, commit: string, limits: GitLimits) {
    this.#mirror = mirror;
    this.commit = commit;
    this.#limits = limits;
  }

  get reads(): ReadonlyMap<string, string> {
    return this.#reads;
  }

  async read(path: string): Promise<Buffer> {
    const clean = cleanPath(path);
    const info = await this.#mirror.info(this.commit, clean);
    this.#reads.set(clean, info.kind === 'object' ? info.id : info.kind);
    if (this.#reads.size > this.#limits.maxFiles)
      throw new HivekeepError('source/too-large', `more than ${this.#limits.maxFiles} files are read; ${quote(clean)} would be the next`);
    if (info.kind !== 'object') throw await this.#unreadable(clean, info.kind);
    if (info.type !== 'blob') throw new HivekeepError('source/path-missing', `${quote(clean)} is a folder at ${this.#at}; expected a file`);
    if (info.size > this.#limits.maxFileBytes)
      throw new HivekeepError('source/too-large', `${quote(clean)} has ${info.size} bytes; at most ${this.#limits.maxFileBytes} are read`);
    this.#count(clean, info.size);
    return this.#mirror.content(info.id);
  }

  /**
   * A folder by its path from the root of the repository (`.` is the root), noted as a whole: whatever is read of it later is the
   * same while its id is. Symlinks on the way to it are followed inside the tree. Throws as `read` does.
   */
  async folder(path: string): Promise<TreeFolder> {
    const clean = path === '.' || path === './' ? '' : cleanPath(path);
    const info = await this.#mirror.info(this.commit, clean);
    this.#reads.set(clean, info.kind === 'object' ? info.id : info.kind);
    if (info.kind !== 'object') throw await this.#unreadable(clean, info.kind);
    if (info.type !== 'tree') throw new HivekeepError('source/path-missing', `${quote(clean)} is a file at ${this.#at}; expected a folder`);
    return new TreeFolder(this.#mirror, info.id, (inner, bytes) => this.#count(`${clean}/${inner}`, bytes));
  }

  #count(path: string, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.maxTotalBytes)
      throw new HivekeepError(
        'source/too-large',
        `the files read have more than ${this.#limits.maxTotalBytes} bytes together; ${quote(path)} is the last`,
      );
  }

  async #unreadable(path: string, why: 'escapes' | 'broken' | 'missing'): Promise<HivekeepError> {
    if (why === 'escapes') return new HivekeepError('source/refused', `${quote(path)} is a symlink that leads outside the repository`);
    if (why === 'broken') return new HivekeepError('source/refused', `${quote(path)} is a symlink that leads nowhere or in a circle`);
    const submodule = await this.#mirror.submoduleOn(this.commit, path);
    if (submodule !== undefined)
      return new HivekeepError('source/refused', `${quote(path)} is in the submodule ${quote(submodule)}; submodules are not read`);
    return new HivekeepError('source/path-missing', `${quote(path)} is not in the repository at ${this.#at}`);
  }

  get #at(): string {
    return this.commit.slice(0, 12);
  }
}

/** Whether each path still has the content that was noted: then whatever was made of them is the same at this commit. */
export async function readsAreEqual(mirror: Mirror, commit: string, reads: ReadonlyMap<string, string>): Promise<boolean> {
  const same = await Promise.all(
    [...reads].map(async ([path, noted]) => {
      const info = await mirror.info(commit, path);
      return (info.kind === 'object' ? info.id : info.kind) === noted;
    }),
  );
  return same.every(Boolean);
}

/** A path from the root of a repository in its simplest form. Throws `source/refused` when it is absolute, leads out or is no path. */
export function cleanPath(path: string): string {
  if (path === '' || hasForbiddenCharacter(path)) throw new HivekeepError('source/refused', `${quote(path)} is no path in a repository`);
  if (path.startsWith('/'))
    throw new HivekeepError('source/refused', `${quote(path)} is absolute; expected a path from the root of the repository`);
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw new HivekeepError('source/refused', `${quote(path)} leads outside the repository`);
  }
  if (parts.length === 0) throw new HivekeepError('source/path-missing', `${quote(path)} is the root of the repository; expected a file`);
  return parts.join('/');
}

function hasForbiddenCharacter(path: string): boolean {
  return path.length > 4096 || [...path].some((character) => character < ' ' || character === '\\' || character === '\u007f');
}

function quote(path: string): string {
  return JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path);
}
