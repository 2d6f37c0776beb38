export { CommitTree, cleanPath, readsAreEqual } from './commit-tree.ts';
export { CredentialsDocument, GitCredentials } from './credentials.ts';
export { readCredentialsFile } from './credentials-file.ts';
export { DEFAULT_GIT_LIMITS, type GitLimits } from './git-limits.ts';
export type { Mirror } from './mirror.ts';
export { Mirrors } from './mirrors.ts';
export type { RemoteRefs } from './remote-refs.ts';
export { redactUrl, type UrlPolicy } from './repository-url.ts';
export { Slots } from './slots.ts';
