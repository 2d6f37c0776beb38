import type { Provenance } from '@hivekeep/contracts';
import type { TreeFolder } from '../git/tree-folder.ts';

/** The files of a repository at one commit, and a note of what was read of them. One per build: the bounds count from its start. */
export interface Tree {
  readonly commit: string;
  /** Every path asked for so far with the id of its content, or why there is none: what a result depends on. */
  readonly reads: ReadonlyMap<string, string>;
  /**
   * The bytes of a file by its path from the root of the repository, symlinks inside the tree followed.
   * Throws `source/refused` (leads outside, a submodule), `source/path-missing` and `source/too-large`, always naming the path.
   */
  read(path: string): Promise<Buffer>;
  /** A folder by its path (`.` is the root), noted as a whole. Throws as `read` does. */
  folder(path: string): Promise<TreeFolder>;
}

/** A repository by what is at hand of it: nothing here asks its remote. */
export interface Repository {
  has(commit: string): Promise<boolean>;
  /** Whether `older` is `newer` or stands in its history. */
  descends(newer: string, older: string): Promise<boolean>;
  provenance(commit: string): Promise<Provenance>;
  /** `maxFileBytes`: instead of the usual bound. */
  tree(commit: string, bounds?: { readonly maxFileBytes: number }): Tree;
  /** Whether each path still has the content that was noted: then whatever was made of them is the same at this commit. */
  isUnchanged(commit: string, reads: Tree['reads']): Promise<boolean>;
}

/** A repository as its remote was when it was asked. */
export interface AskedRepository extends Repository {
  /**
   * The commit that a branch, tag or full commit id names there, at hand afterwards; fetched only when it is not.
   * Throws `source/revision-unknown`, `source/too-large` and what asking throws.
   */
  commitOf(revision: string): Promise<string>;
}

/** Gets repositories: one copy of each, shared by all that read it. */
export interface Fetcher {
  /** Throws `source/refused` and `source/auth`; reaches no network. */
  repository(repoURL: string): Promise<Repository>;
  /** Asks the remote: the answer is newer than the call. Throws `source/auth`, `source/unreachable`, `source/timeout`, `source/refused`. */
  ask(repoURL: string): Promise<AskedRepository>;
}
