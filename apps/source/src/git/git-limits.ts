/** Bounds of everything Git may cost. Times are milliseconds, sizes bytes. */
export interface GitLimits {
  readonly askTimeoutMs: number;
  readonly fetchTimeoutMs: number;
  /** Pack files of one mirror; a fetch that grows it beyond is ended. */
  readonly maxRepositoryBytes: number;
  readonly maxFileBytes: number;
  /** Files and bytes that one application, or the app set, may read. */
  readonly maxFiles: number;
  readonly maxTotalBytes: number;
  /** Network commands at the same time, over all repositories; a host that none runs for may begin one all the same. */
  readonly parallel: number;
}

export const DEFAULT_GIT_LIMITS: GitLimits = {
  askTimeoutMs: 30_000,
  fetchTimeoutMs: 600_000,
  maxRepositoryBytes: 1024 ** 3,
  maxFileBytes: 8 * 1024 ** 2,
  maxFiles: 2_000,
  maxTotalBytes: 64 * 1024 ** 2,
  parallel: 4,
};
