import type { AppSetAnswer } from '@hivekeep/contracts';

export interface AppSetContent {
  readonly bytes: Uint8Array;
  /** What errors name: the file, in Git `path@commit`. */
  readonly file: string;
  /** The commit, outside Git the sha256 of the content. */
  readonly revision: string;
}

/** Where the app set stands. */
export interface AppSetReader {
  readonly mode: AppSetAnswer['mode'];
  /** For people. */
  readonly source: string;
  /** Which set this is; the lease binds it. */
  readonly identity: string;
  /** The repository that must be kept; undefined outside Git. */
  readonly repoURL: string | undefined;
  /**
   * The newest content there is, asked for just now. Throws `appset/not-found`, `appset/too-large`, `appset/invalid` (leads outside)
   * and, in Git, what a mirror throws.
   */
  newest(): Promise<AppSetContent>;
  /** The content of an earlier revision, without asking anyone; undefined when it is not at hand. */
  earlier(revision: string): Promise<AppSetContent | undefined>;
  /** Whether `older` is `newer` or stands in its history; undefined where there is no history. */
  descends(newer: string, older: string): Promise<boolean | undefined>;
}
