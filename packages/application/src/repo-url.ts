export interface UrlPolicy {
  /** Hosts that plain `http` is allowed to, besides loopback. */
  readonly insecureHosts: readonly string[];
  /** Whether an absolute path on this machine is a repository. */
  readonly allowLocal: boolean;
}

/** Encrypted or loopback remotes only. */
export const strictUrlPolicy: UrlPolicy = { insecureHosts: [], allowLocal: false };

const MAX_URL_LENGTH = 1024;
const SCP_FORM = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?!\/\/)[^:-].*$/;

/**
 * Why a repository's address is refused, undefined when it is not. Allowed: `https`, `ssh://`, the scp form, `http` to loopback or
 * an allowed host, a path of this machine where local repositories are allowed. The text never holds a password of the URL.
 */
export function checkRepoUrl(url: string, policy: UrlPolicy = strictUrlPolicy): string | undefined {
  if (url === '') return 'is required';
  if (url.length > MAX_URL_LENGTH) return `has ${url.length} characters; at most ${MAX_URL_LENGTH} are allowed`;
  if (/[\s\p{Cc}\\]/u.test(url)) return 'holds white space, a backslash or control characters';
  if (url.startsWith('/')) return policy.allowLocal ? undefined : 'is a path on this machine; repositories there need --allow-local-git';
  if (url.includes('://')) return checkUrl(url, policy);
  return SCP_FORM.test(url) ? undefined : 'is no repository URL; expected https://…, ssh://… or user@host:path';
}

function checkUrl(url: string, policy: UrlPolicy): string | undefined {
  if (!URL.canParse(url)) return 'is no valid URL';
  const { protocol, hostname, host, username, password, search, hash } = new URL(url);
  if (password !== '') return 'holds a password; put it into the Git credentials instead';
  if (search !== '' || hash !== '') return 'has a query or fragment; a repository URL has neither';
  if (hostname === '' || hostname.startsWith('-') || username.startsWith('-')) return 'has no valid host';
  if (protocol === 'ssh:') return undefined;
  if (protocol !== 'https:' && protocol !== 'http:') return `uses ${protocol}//; expected https://, ssh:// or user@host:path`;
  if (username !== '') return 'holds a user name; put it into the Git credentials instead';
  if (protocol === 'https:' || isLoopback(hostname)) return undefined;
  const allowed = policy.insecureHosts.map((name) => name.toLowerCase());
  if (allowed.includes(hostname) || allowed.includes(host)) return undefined;
  return `is not encrypted; use https, or allow this host with --allow-insecure-git ${hostname}`;
}

function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare);
}
