import { MAX_APP_SET_BYTES } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import { redactUrl } from '../git/index.ts';
import type { Fetcher, Repository } from '../seams/fetcher.ts';
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
  readonly #fetcher: Fetcher;

  constructor(options: GitAppSetOptions, fetcher: Fetcher) {
    this.#options = options;
    this.#fetcher = fetcher;
    this.repoURL = options.repoURL;
    this.source = `${redactUrl(options.repoURL)} ${options.path}@${options.revision}`;
    this.identity = `${redactUrl(options.repoURL)} ${options.path}`;
  }

  async newest(): Promise<AppSetContent> {
    const asked = await this.#fetcher.ask(this.repoURL);
    return this.#read(asked, await asked.commitOf(this.#options.revision));
  }

  async earlier(revision: string): Promise<AppSetContent | undefined> {
    const repository = await this.#fetcher.repository(this.repoURL);
    return (await repository.has(revision)) ? this.#read(repository, revision) : undefined;
  }

  async descends(newer: string, older: string): Promise<boolean> {
    return (await this.#fetcher.repository(this.repoURL)).descends(newer, older);
  }

  async #read(repository: Repository, commit: string): Promise<AppSetContent> {
    const file = `${this.#options.path}@${commit}`;
    try {
      const bytes = await repository.tree(commit, { maxFileBytes: MAX_APP_SET_BYTES }).read(this.#options.path);
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
