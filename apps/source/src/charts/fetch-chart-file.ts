import { setTimeout as pause } from 'node:timers/promises';
import { HivekeepError } from '@hivekeep/contracts';
import { type ChartUrlPolicy, checkChartUrl, displayUrl, isAllowedHost } from './chart-url-policy.ts';
import { type GetResponse, httpGet } from './http-get.ts';

export interface FetchOptions {
  readonly policy: ChartUrlPolicy;
  readonly maxBytes: number;
  /** For one try. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What was received before: the answer may be that it is unchanged. */
  readonly known?: Validators | undefined;
}

export interface Validators {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export type Fetched = { readonly kind: 'unchanged' } | { readonly kind: 'content'; readonly body: Buffer; readonly validators: Validators };

const MAX_REDIRECTS = 10;
/** Waits before a further try; what may pass is tried three times. Source: the family's transport. */
const RETRY_AFTER_MS = [500, 2_000];
const MAY_PASS = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Fetches a file of a chart repository. Redirects never leave https, nor reach a private network, unless the operator allows the host.
 * Throws `source/refused`, `source/too-large`, `source/unreachable`, `source/timeout`, and `source/auth` when the server wants a login.
 */
export async function fetchChartFile(address: string, options: FetchOptions): Promise<Fetched> {
  for (const wait of [...RETRY_AFTER_MS, undefined]) {
    try {
      const response = await follow(checkChartUrl(address, options.policy), options);
      if (!MAY_PASS.has(response.status) || wait === undefined) return read(response, address);
    } catch (error) {
      if (wait === undefined || !HivekeepError.is(error, 'source/unreachable', 'source/timeout')) throw error;
    }
    await retryPause(wait, options.signal);
  }
  throw new HivekeepError('internal', 'the last try neither answered nor failed');
}

async function retryPause(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {
    throw new HivekeepError('cancelled', 'a chart repository was not asked again: the service stops');
  });
}

async function follow(start: URL, options: FetchOptions): Promise<GetResponse> {
  let url = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { maxBytes, timeoutMs, signal, policy } = options;
    const withCredentials = url.origin === start.origin;
    const credentials = url === start ? url : withLogin(url, start, withCredentials);
    const response = await httpGet(
      { url: credentials, headers: conditional(options), withCredentials, maxBytes, timeoutMs, signal },
      policy,
    );
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) return response;
    url = redirectTarget(url, location, policy);
  }
  throw new HivekeepError('source/refused', `${displayUrl(start)} redirects more than ${MAX_REDIRECTS} times`);
}

function withLogin(url: URL, start: URL, sameOrigin: boolean): URL {
  const target = new URL(url);
  [target.username, target.password] = sameOrigin ? [start.username, start.password] : ['', ''];
  return target;
}

function redirectTarget(from: URL, location: string, policy: ChartUrlPolicy): URL {
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (target === undefined) throw new HivekeepError('source/refused', `${displayUrl(from)} redirects to what is no address`);
  if (from.protocol === 'https:' && target.protocol !== 'https:' && !isAllowedHost(target, policy))
    throw new HivekeepError('source/refused', `${displayUrl(from)} redirects to ${displayUrl(target)}, which is not encrypted`);
  return checkChartUrl(target.href, policy);
}

function conditional({ known }: FetchOptions): Record<string, string> {
  return {
    ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
    ...(known?.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
  };
}

function read({ status, body, headers }: GetResponse, address: string): Fetched {
  if (status === 304) return { kind: 'unchanged' };
  if (status === 200) return { kind: 'content', body, validators: { etag: headers.etag, lastModified: headers['last-modified'] } };
  const display = displayUrl(new URL(address));
  if (status === 401 || status === 403)
    throw new HivekeepError('source/auth', `${display} answers ${status}: it wants a login, or another one`);
  const code = MAY_PASS.has(status) ? 'source/unreachable' : 'chart/not-found';
  throw new HivekeepError(code, `${display} answers ${status}; expected 200`);
}
