import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { HivekeepError } from '@hivekeep/contracts';
import { fromEnv, isLoopback } from '../client/connection.ts';

const PROBE_MS = 3_000;

/** Probes `/healthz`. Certificates are not verified on loopback, where none can be right; redirects are never followed. */
export async function healthcheck({ server }: { server?: string }): Promise<void> {
  const base = URL.parse(server ?? fromEnv(process.env, 'SERVER') ?? 'http://127.0.0.1:8080');
  if (!base || !/^https?:$/.test(base.protocol))
    throw new HivekeepError('usage/invalid', `expected a server like http://127.0.0.1:8080, found '${server}'`);
  const { statusCode } = await probe(new URL('/healthz', base)).catch((cause: unknown) => {
    throw new HivekeepError('bus/unavailable', `${base.origin} is not alive: ${(cause as Error).message}`, { cause });
  });
  if (statusCode !== 200) throw new HivekeepError('bus/unavailable', `${base.origin} is not alive: it answered ${statusCode}`);
}

function probe(url: URL): Promise<IncomingMessage> {
  const signal = AbortSignal.timeout(PROBE_MS);
  return new Promise((resolve, reject) => {
    const taken = (response: IncomingMessage) => {
      response.resume();
      resolve(response);
    };
    const request =
      url.protocol === 'https:'
        ? getHttps(url, { signal, agent: false, rejectUnauthorized: !isLoopback(url.hostname) }, taken)
        : getHttp(url, { signal, agent: false }, taken);
    request.on('error', reject);
  });
}
