import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';

/** Where a daemon listens. TLS material is PEM text. */
export type DockerEndpoint =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: { ca: string; cert: string; key: string } };

const DEFAULT_SOCKET = '/var/run/docker.sock';

/**
 * Reads a `DOCKER_HOST` value: empty, `unix:///path` or `tcp://host:port`. With `certDir` (the meaning of `DOCKER_CERT_PATH`:
 * `ca.pem`, `cert.pem`, `key.pem`) the connection is TLS with a client certificate.
 * @throws HivekeepError `usage/invalid` for another scheme or a missing port or certificate.
 */
export function dockerEndpoint(dockerHost: string | undefined, certDir?: string): DockerEndpoint {
  if (!dockerHost) return { kind: 'socket', path: DEFAULT_SOCKET };
  if (dockerHost.startsWith('unix://')) return { kind: 'socket', path: dockerHost.slice('unix://'.length) || DEFAULT_SOCKET };
  const match = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[^/:@?#]+):(\d{1,5})\/?$/.exec(dockerHost);
  if (!match)
    throw new HivekeepError('usage/invalid', `expected a Docker host unix:///path or tcp://host:port, found ${JSON.stringify(dockerHost)}`);
  const base = { kind: 'tcp', host: match[1] as string, port: Number(match[2]) } as const;
  return certDir ? { ...base, tls: readCertificates(certDir) } : base;
}

function readCertificates(dir: string) {
  try {
    const read = (name: string) => readFileSync(join(dir, name), 'utf8');
    return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
  } catch (cause) {
    throw new HivekeepError('usage/invalid', `expected ca.pem, cert.pem and key.pem in ${dir}; at least one can't be read`, { cause });
  }
}
