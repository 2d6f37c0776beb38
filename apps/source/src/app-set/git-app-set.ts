import { MAX_APP_SET_BYTES } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import { CommitTree, type GitLimits, type Mirror, type Mirrors, redactUrl } from '../git/index.ts';
import type { AppSetContent, AppSetReader } from './app-set-reader.ts';
import { tooLarge } from './file-app-set.ts';

export interface GitAppSetOptions {
  readonly repoURL: string;
  /** A branch, tag or full commit id. */
  readonly revision: string;
  /** From the root of the repository. */
  readonly path: string;
}

/** An app set in a Git repository, read at the newest commit of its revision. */
export class GitAppSet implements AppSetReader {
  readonly mode = 'git';
  readonly source: string;
  readonly identity: string;
  readonly repoURL: string;
  readonly #options: GitAppSetOptions;
  readonly #mirrors: Mirrors;
  readonly #limits: GitLimits;

  constructor(options: GitAppSetOptions, mirrors: Mirrors, limits: GitLimits) {
    this.#options = options;
    this.#mirrors = mirrors;
    this.#limits = { ...limits, maxFileBytes: MAX_APP_SET_BYTES };
    this.repoURL = options.repoURL;
    this.source = `${redactUrl(options.repoURL)} ${options.path}@${options.revision}`;
    this.identity = `${redactUrl(options.repoURL)} ${options.path}`;
  }

  async newest(): Promise<AppSetContent> {
    const mirror = await this.#mirror();
    return this.#read(mirror, await mirror.commitOf(this.#options.revision, await mirror.ask()));
  }

  async earlier(revision: string): Promise<AppSetContent | undefined> {
    const mirror = await this.#mirror();
    return (await mirror.has(revision)) ? this.#read(mirror, revision) : undefined;
  }

  async descends(newer: string, older: string): Promise<boolean> {
    return (await this.#mirror()).descends(newer, older);
  }

  #mirror(): Promise<Mirror> {
    return this.#mirrors.of(this.#options.repoURL);
  }

  async #read(mirror: Mirror, commit: string): Promise<AppSetContent> {
    const file = `${this.#options.path}@${commit}`;
    try {
      const bytes = await new CommitTree(mirror, commit, this.#limits).read(this.#options.path);
      return { bytes, file, revision: commit };
    } catch (error) {
      if (HivekeepError.is(error, 'source/too-large')) throw tooLarge(file);
      if (HivekeepError.is(error, 'source/path-missing'))
        throw new HivekeepError('appset/not-found', `the app set ${file}: ${error.message}`);
      if (HivekeepError.is(error, 'source/refused')) throw new HivekeepError('appset/invalid', `the app set ${file}: ${error.message}`);
      throw error;
    }
  }
}
