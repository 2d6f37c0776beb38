import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { UrlPolicy } from '@hivekeep/application';
import { SharedSlots } from '@hivekeep/runtime';
import type { GitCredentials } from './credentials.ts';
import type { GitLimits } from './git-limits.ts';
import { Mirror } from './mirror.ts';
import { parseRepositoryUrl } from './repository-url.ts';

export interface MirrorsOptions {
  /** The folder that holds one folder per mirror. */
  readonly directory: string;
  readonly credentials: GitCredentials;
  readonly limits: GitLimits;
  readonly urls: UrlPolicy;
}

const MIRROR_FOLDER = /^[0-9a-f]{32}$/;

/** Every mirror of this process: one per repository URL and credential, shared by all that read it. */
export class Mirrors {
  readonly #options: MirrorsOptions;
  /** By host: one that hangs keeps no other waiting. */
  readonly #network: SharedSlots;
  readonly #stop = new AbortController();
  readonly #mirrors = new Map<string, Mirror>();
  /** Folders used since the last sweep, and those the last sweep found unused. */
  #used = new Set<string>();
  #candidates = new Set<string>();

  constructor(options: MirrorsOptions) {
    this.#options = options;
    this.#network = new SharedSlots({ perOwner: options.limits.parallel, total: options.limits.parallel });
  }

  /** The mirror of a repository, made at the first use. Throws `source/refused` and `source/auth`; reaches no network. */
  async of(repoUrl: string): Promise<Mirror> {
    const url = parseRepositoryUrl(repoUrl, this.#options.urls);
    const credential = await this.#options.credentials.find(url);
    const key = createHash('sha256').update(`${url.url}\n${credential.id}`).digest('hex').slice(0, 32);
    this.#used.add(key);
    const known = this.#mirrors.get(key);
    if (known) return known;
    const mirror = new Mirror({
      directory: join(this.#options.directory, key),
      url,
      credential,
      limits: this.#options.limits,
      network: (command) => this.#network.run(url.authority, command),
      signal: this.#stop.signal,
    });
    this.#mirrors.set(key, mirror);
    return mirror;
  }

  /**
   * Removes mirrors that no use and none of `wanted` (repository URLs) touched in two consecutive sweeps, and gives how many.
   * Files, links and folders of other names are left alone. A failed removal stays a candidate.
   */
  async sweep(wanted: readonly string[]): Promise<number> {
    await Promise.all(wanted.map((url) => this.of(url).catch(() => undefined)));
    const used = this.#used;
    this.#used = new Set();
    const entries = await readdir(this.#options.directory, { withFileTypes: true }).catch(() => []);
    const unused = entries
      .filter((entry) => entry.isDirectory() && MIRROR_FOLDER.test(entry.name) && !used.has(entry.name))
      .map(({ name }) => name);
    const leaving = unused.filter((name) => this.#candidates.has(name) && !this.#used.has(name));
    this.#candidates = new Set(unused);
    for (const name of leaving) await this.#remove(name);
    for (const mirror of this.#mirrors.values()) await mirror.maintain();
    return leaving.length;
  }

  /** Ends every command and process. */
  close(): void {
    this.#stop.abort();
    for (const mirror of this.#mirrors.values()) mirror.close();
  }

  async #remove(name: string): Promise<void> {
    const mirror = this.#mirrors.get(name);
    this.#mirrors.delete(name);
    if (mirror) await mirror.remove();
    else await rm(join(this.#options.directory, name), { recursive: true, force: true });
    this.#candidates.delete(name);
  }
}
