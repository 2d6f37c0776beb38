export { CommitTree, cleanPath } from './commit-tree.ts';
export { CredentialsDocument, GitCredentials } from './credentials.ts';
export { readCredentialsFile } from './credentials-file.ts';
export { GitFetcher } from './git-fetcher.ts';
export { DEFAULT_GIT_LIMITS, type GitLimits } from './git-limits.ts';
export { headOf } from './head-of.ts';
export { Mirrors } from './mirrors.ts';
export { redactUrl } from './repository-url.ts';
export { assertGitVersion } from './run-git.ts';
