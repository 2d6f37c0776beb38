import { isIP } from 'node:net';
import { HivekeepError } from '@hivekeep/contracts';

export interface UrlPolicy {
  /** Hosts that plain `http` is allowed to, besides loopback. */
  readonly insecureHosts: readonly string[];
  /** Whether an absolute path on this machine is a repository. */
  readonly allowLocal: boolean;
}

export interface RepositoryUrl {
  readonly kind: 'https' | 'http' | 'ssh' | 'local';
  /** What git is given. */
  readonly url: string;
  /** Lower case, without port or user; empty for a local path. */
  readonly host: string;
  /** `host` or `host:port`, as a credential entry names it. */
  readonly authority: string;
  /** For people and logs: no user, no password, no query. */
  readonly display: string;
}

const MAX_URL_LENGTH = 1024;
const SCP_FORM = /^(?:([A-Za-z0-9_][A-Za-z0-9_.-]*)@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/)([^:].*)$/;

/**
 * Reads a repository's address. Throws `source/refused` for what is not `https`, `ssh://`, the scp form, `http` to loopback
 * or an allowed host, or a path where local repositories are allowed; never with a password of the URL in the message.
 */
export function parseRepositoryUrl(text: string, policy: UrlPolicy): RepositoryUrl {
  if (text === '' || text.length > MAX_URL_LENGTH)
    throw refused(`a repository URL has 1 to ${MAX_URL_LENGTH} characters, this one has ${text.length}`);
  if (hasControlOrSpace(text)) throw refused('a repository URL holds no white space or control characters');
  if (text.startsWith('/')) return localRepository(text, policy);
  if (text.includes('://')) return urlRepository(text, policy);
  const scp = SCP_FORM.exec(text);
  if (scp?.[2] === undefined || scp[3] === undefined || scp[3].startsWith('-'))
    throw refused(`${redactUrl(text)} is no repository URL; expected https://…, ssh://… or user@host:path`);
  const host = scp[2].toLowerCase();
  return { kind: 'ssh', url: text, host, authority: host, display: `${host}:${scp[3]}` };
}

/** A URL without user, password, query and fragment; of other text, what stands before an `@` is left out. */
export function redactUrl(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/gi, '$1').replace(/([a-z][a-z0-9+.-]*:\/\/[^\s?#'"]*)[?#][^\s'"]*/gi, '$1');
}

function localRepository(path: string, policy: UrlPolicy): RepositoryUrl {
  if (!policy.allowLocal) throw refused(`${path} is a path on this machine; repositories there need --allow-local-git`);
  return { kind: 'local', url: path, host: '', authority: '', display: path };
}

function urlRepository(text: string, policy: UrlPolicy): RepositoryUrl {
  if (!URL.canParse(text)) throw refused(`${redactUrl(text)} is no valid URL`);
  const parsed = new URL(text);
  const host = parsed.hostname.toLowerCase();
  const display = redactUrl(text);
  if (parsed.password !== '') throw refused(`${display} holds a password; put it into the Git credentials instead`);
  if (parsed.search !== '' || parsed.hash !== '') throw refused(`${display} has a query or fragment; a repository URL has neither`);
  if (host === '' || host.startsWith('-') || parsed.username.startsWith('-')) throw refused(`${display} has no valid host`);
  const common = { url: text, host, authority: parsed.host.toLowerCase(), display };
  if (parsed.protocol === 'https:' || parsed.protocol === 'http:') {
    if (parsed.username !== '') throw refused(`${display} holds a user name; put it into the Git credentials instead`);
    if (parsed.protocol === 'https:') return { kind: 'https', ...common };
    if (
      isLoopback(host) ||
      policy.insecureHosts.some((allowed) => allowed.toLowerCase() === host || allowed.toLowerCase() === common.authority)
    )
      return { kind: 'http', ...common };
    throw refused(`${display} is not encrypted; use https, or allow this host with --allow-insecure-git ${host}`);
  }
  if (parsed.protocol === 'ssh:') return { kind: 'ssh', ...common };
  throw refused(`${display} uses ${parsed.protocol}//; expected https://, ssh:// or user@host:path`);
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

function hasControlOrSpace(text: string): boolean {
  return [...text].some((character) => character <= ' ' || character === '\u007f' || character === '\\');
}

function refused(message: string): HivekeepError {
  return new HivekeepError('source/refused', message);
}
