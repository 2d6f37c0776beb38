import type { Provenance } from '@hivekeep/contracts';
import type { AskedRepository, Fetcher, Repository, Tree } from '../seams/fetcher.ts';
import { CommitTree, readsAreEqual } from './commit-tree.ts';
import type { GitLimits } from './git-limits.ts';
import type { Mirror } from './mirror.ts';
import type { Mirrors } from './mirrors.ts';
import type { RemoteRefs } from './remote-refs.ts';

/** Git repositories, each by its mirror. */
export class GitFetcher implements Fetcher {
  readonly #mirrors: Mirrors;
  readonly #limits: GitLimits;

  constructor(mirrors: Mirrors, limits: GitLimits) {
    this.#mirrors = mirrors;
    this.#limits = limits;
  }

  async repository(repoURL: string): Promise<Repository> {
    return new MirroredRepository(await this.#mirrors.of(repoURL), this.#limits);
  }

  async ask(repoURL: string): Promise<AskedRepository> {
    const mirror = await this.#mirrors.of(repoURL);
    return new AskedMirror(mirror, this.#limits, await mirror.ask());
  }
}

class MirroredRepository implements Repository {
  protected readonly mirror: Mirror;
  readonly #limits: GitLimits;

  constructor(mirror: Mirror, limits: GitLimits) {
    this.mirror = mirror;
    this.#limits = limits;
  }

  has(commit: string): Promise<boolean> {
    return this.mirror.has(commit);
  }

  descends(newer: string, older: string): Promise<boolean> {
    return this.mirror.descends(newer, older);
  }

  provenance(commit: string): Promise<Provenance> {
    return this.mirror.provenance(commit);
  }

  tree(commit: string, bounds?: { readonly maxFileBytes: number }): Tree {
    return new CommitTree(this.mirror, commit, { ...this.#limits, ...bounds });
  }

  isUnchanged(commit: string, reads: Tree['reads']): Promise<boolean> {
    return readsAreEqual(this.mirror, commit, reads);
  }
}

class AskedMirror extends MirroredRepository implements AskedRepository {
  readonly #refs: RemoteRefs;

  constructor(mirror: Mirror, limits: GitLimits, refs: RemoteRefs) {
    super(mirror, limits);
    this.#refs = refs;
  }

  commitOf(revision: string): Promise<string> {
    return this.mirror.commitOf(revision, this.#refs);
  }
}
