import { z } from 'zod';

const ms = (fallback: number) => z.number().int().positive().max(86_400_000).default(fallback);

/** What the gateway is told at its start. Flags are the kebab-case names, environment variables `HIVEKEEP_…`. */
export const GatewayConfig = z
  .object({
    listen: z
      .string()
      .regex(/^(\[[0-9a-fA-F:]+\]|[^:]*):\d{1,5}$/, 'expected HOST:PORT or :PORT')
      .default(':8080')
      .describe('Address of the HTTP API; `:PORT` listens on all interfaces.'),
    adminTokenFile: z.string().min(1).optional().describe('File with the admin bearer token; read again when it changes.'),
    adminToken: z.string().min(1).optional().describe('The admin bearer token itself; from the environment only.'),
    tlsCert: z.string().min(1).optional().describe('PEM certificate chain; needs `tls-key`.'),
    tlsKey: z.string().min(1).optional().describe('PEM private key; needs `tls-cert`.'),
    appSetIntervalMs: ms(180_000).describe('How often the names of all applications are asked for, in milliseconds.'),
    presenceIntervalMs: ms(2_000).describe('How often presence is read, in milliseconds.'),
    silentAfterMs: ms(90_000).describe('A swarm whose view is older than this many milliseconds is shown as silent.'),
    heartbeatMs: ms(15_000).describe('Time between comments on an idle event stream, in milliseconds.'),
    streamBufferBytes: z
      .number()
      .int()
      .positive()
      .max(64 * 1024 * 1024)
      .default(256 * 1024)
      .describe('Unsent bytes after which a slow event client is disconnected; it resumes by Last-Event-ID.'),
    maxStreams: z.number().int().positive().max(10_000).default(256).describe('Event clients at one time.'),
    headersTimeoutMs: ms(10_000).describe('How long a client may take to send its headers, in milliseconds.'),
    requestTimeoutMs: ms(30_000).describe('How long a client may take to send its request, in milliseconds.'),
  })
  .refine((config) => (config.tlsCert === undefined) === (config.tlsKey === undefined), {
    message: 'tls-cert and tls-key are given together or not at all',
    path: ['tlsCert'],
  });
export type GatewayConfig = z.output<typeof GatewayConfig>;

/** Most bytes of a request's body; the largest real one lists releases to approve. */
export const MAX_BODY_BYTES = 256 * 1024;

/** `HOST:PORT` taken apart; an empty host listens everywhere. */
export function parseListen(listen: string): { host: string; port: number } {
  const at = listen.lastIndexOf(':');
  const host = listen.slice(0, at).replace(/^\[|\]$/g, '');
  return { host: host === '' ? '::' : host, port: Number(listen.slice(at + 1)) };
}
