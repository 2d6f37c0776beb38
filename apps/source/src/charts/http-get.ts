import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { HivekeepError } from '@hivekeep/contracts';
import { type ChartUrlPolicy, displayUrl, isAllowedHost, isPrivateAddress, privateAddress } from './chart-url-policy.ts';

export interface GetRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether user and password of the address are sent. */
  readonly withCredentials: boolean;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface GetResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Empty unless the status is 200. */
  readonly body: Buffer;
}

/**
 * One GET without redirects. The address that is connected to is the one that was checked, so that a name can't answer with another.
 * Throws `source/refused`, `source/too-large` while the body streams, `source/timeout` and `source/unreachable`.
 */
export async function httpGet(request: GetRequest, policy: ChartUrlPolicy): Promise<GetResponse> {
  const { url, timeoutMs } = request;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([request.signal, deadline]);
  try {
    return await receive(await send(request, policy, signal), request);
  } catch (error) {
    if (error instanceof HivekeepError) throw error;
    if (request.signal.aborted) throw new HivekeepError('cancelled', `${displayUrl(url)} was not read to its end`);
    if (deadline.aborted) throw new HivekeepError('source/timeout', `${displayUrl(url)} did not answer within ${timeoutMs} ms`);
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new HivekeepError('source/unreachable', `${displayUrl(url)} can't be reached${code}`, { cause: error });
  }
}

function send({ url, headers, withCredentials }: GetRequest, policy: ChartUrlPolicy, signal: AbortSignal): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const bare = new URL(url);
  const auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  [bare.username, bare.password] = ['', ''];
  const options: https.RequestOptions = {
    signal,
    agent: false,
    headers: { 'user-agent': 'hivekeep', 'accept-encoding': 'identity', ...headers },
    ...(withCredentials && auth !== ':' && { auth }),
    lookup: (name, settings, done) => guardedLookup(url, policy, name, settings, done),
  };
  const request = (url.protocol === 'https:' ? https : http).get(bare, options, resolve);
  request.on('error', reject);
  return promise;
}

type LookupDone = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

function guardedLookup(url: URL, policy: ChartUrlPolicy, name: string, options: LookupOptions, done: LookupDone): void {
  lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, []);
    const usable = isAllowedHost(url, policy) ? addresses : addresses.filter(({ address }) => !isPrivateAddress(address));
    const [first] = usable;
    if (first === undefined) return done(privateAddress(url), []);
    return options.all ? done(null, usable) : done(null, first.address, first.family);
  });
}

async function receive(response: http.IncomingMessage, { url, maxBytes }: GetRequest): Promise<GetResponse> {
  const status = response.statusCode ?? 0;
  const tooLarge = () => new HivekeepError('source/too-large', `${displayUrl(url)} is larger than ${maxBytes} bytes`);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (status === 200) {
      if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge();
        chunks.push(chunk);
      }
    }
    return { status, headers: response.headers, body: Buffer.concat(chunks) };
  } finally {
    response.destroy();
  }
}
