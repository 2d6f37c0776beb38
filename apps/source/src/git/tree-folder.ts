import { HivekeepError } from '@hivekeep/contracts';
import type { Mirror } from './mirror.ts';
import { parseTree, type TreeEntry } from './parse-tree.ts';

const MAX_TREE_BYTES = 4 * 1024 ** 2;

/** A folder of a repository at one commit. Its id covers everything in it: while that is the same, so is every file. */
export class TreeFolder {
  readonly id: string;
  readonly #mirror: Mirror;
  readonly #count: (path: string, bytes: number) => void;
  readonly #entries = new Map<string, readonly TreeEntry[] | undefined>();

  /** `count` is told of each file before it is read, and throws when that is too much. */
  constructor(mirror: Mirror, id: string, count: (path: string, bytes: number) => void) {
    this.#mirror = mirror;
    this.id = id;
    this.#count = count;
  }

  /** The entries of a folder in it, `''` being itself; undefined when there is none. Links are entries, never followed. */
  async list(path: string): Promise<readonly TreeEntry[] | undefined> {
    if (this.#entries.has(path)) return this.#entries.get(path);
    const id = path === '' ? this.id : (await this.#entry(path, 'directory'))?.id;
    const entries = id === undefined ? undefined : await this.#readTree(id, path);
    this.#entries.set(path, entries);
    return entries;
  }

  async size(path: string): Promise<number> {
    const info = await this.#mirror.object(await this.#file(path));
    if (info.kind === 'object') return info.size;
    throw missing(path);
  }

  async read(path: string): Promise<Buffer> {
    const id = await this.#file(path);
    this.#count(path, await this.size(path));
    return this.#mirror.content(id);
  }

  async #file(path: string): Promise<string> {
    const entry = await this.#entry(path, 'file');
    if (entry) return entry.id;
    throw missing(path);
  }

  async #entry(path: string, kind: TreeEntry['kind']): Promise<TreeEntry | undefined> {
    const slash = path.lastIndexOf('/');
    const siblings = await this.list(slash < 0 ? '' : path.slice(0, slash));
    return siblings?.find((entry) => entry.name === path.slice(slash + 1) && entry.kind === kind);
  }

  async #readTree(id: string, path: string): Promise<TreeEntry[]> {
    const info = await this.#mirror.object(id);
    if (info.kind !== 'object' || info.type !== 'tree') throw missing(path);
    if (info.size > MAX_TREE_BYTES) throw new HivekeepError('source/too-large', `the folder ${JSON.stringify(path)} has too many entries`);
    return parseTree(await this.#mirror.content(id), id);
  }
}

function missing(path: string): HivekeepError {
  return new HivekeepError('source/path-missing', `${JSON.stringify(path)} is not in the folder`);
}
