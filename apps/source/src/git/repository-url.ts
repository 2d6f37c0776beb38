import { checkRepoUrl, type UrlPolicy } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';

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

const SCP_FORM = /^(?:[^@]*@)?([^:@]+):(.*)$/;

/**
 * Reads a repository's address under the rules of the app set (`checkRepoUrl`), which hold for the app set's own repository and for
 * specs from the bus as well. Throws `source/refused`; a password of the URL is never in the message.
 */
export function parseRepositoryUrl(text: string, policy: UrlPolicy): RepositoryUrl {
  const display = redactUrl(text).slice(0, 1024);
  const refusal = checkRepoUrl(text, policy);
  if (refusal !== undefined) throw new HivekeepError('source/refused', `the repository URL ${JSON.stringify(display)} ${refusal}`);
  if (text.startsWith('/')) return { kind: 'local', url: text, host: '', authority: '', display };
  if (!text.includes('://')) {
    const [, host = '', path = ''] = SCP_FORM.exec(text) ?? [];
    return { kind: 'ssh', url: text, host: host.toLowerCase(), authority: host.toLowerCase(), display: `${host}:${path}` };
  }
  const { protocol, hostname, host } = new URL(text);
  const kind = protocol === 'https:' ? 'https' : protocol === 'http:' ? 'http' : 'ssh';
  return { kind, url: text, host: hostname.toLowerCase(), authority: host.toLowerCase(), display };
}

/** A text in which no URL has a user, password, query or fragment. */
export function redactUrl(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/gi, '$1').replace(/([a-z][a-z0-9+.-]*:\/\/[^\s?#'"]*)[?#][^\s'"]*/gi, '$1');
}
