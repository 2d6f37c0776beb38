import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { HivekeepError } from '@hivekeep/contracts';
import type { Logger } from '@hivekeep/runtime';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type GatewayConfig, MAX_BODY_BYTES } from '../gateway-config.ts';
import { gatewayMetrics } from '../gateway-metrics.ts';
import type { ProblemFilter } from './problem.filter.ts';

/** How often Node looks for connections past their limits, in ms; its default of 30 s would triple the limits. */
const CHECK_CONNECTIONS_MS = 1_000;
const MAX_CONNECTIONS = 2_048;

/** The HTTP server with its limits; failures that never reach a route become problems too. */
export function fastifyAdapter(config: GatewayConfig, filter: ProblemFilter): FastifyAdapter {
  const server = { headersTimeout: config.headersTimeoutMs, connectionsCheckingInterval: CHECK_CONNECTIONS_MS, maxHeaderSize: 16 * 1024 };
  return new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: true,
    genReqId: requestId,
    ...(config.tlsCert && config.tlsKey
      ? {
          https: {
            ...server,
            cert: read(config.tlsCert),
            key: read(config.tlsKey),
            minVersion: 'TLSv1.2',
            handshakeTimeout: config.headersTimeoutMs,
          },
        }
      : { http: server }),
    routerOptions: { maxParamLength: 256 },
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => filter.answer(error, request, reply),
  });
}

/** Request ids in every answer, one line of log for every request that is not a probe, safe headers. */
export function observeRequests(adapter: FastifyAdapter, logger: Logger): void {
  const fastify = adapter.getInstance();
  fastify.server.maxConnections = MAX_CONNECTIONS;
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });
  fastify.addHook('onResponse', async (request, reply) => {
    const path = request.url.split('?')[0];
    count(request, reply);
    if (path === '/healthz' || path === '/readyz') return;
    logger.info('request', {
      request: request.id,
      method: request.method,
      path,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    });
  });
}

/** By the route's pattern: paths hold names of users' objects. */
function count({ method, routeOptions }: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void {
  const labels = { method, route: routeOptions.url ?? 'none' };
  gatewayMetrics.requests.inc({ ...labels, status: statusCode });
  gatewayMetrics.request.observe(labels, elapsedTime / 1_000);
}

/** A caller's own id when it is one, so that a trace can be followed through a proxy. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new HivekeepError('config/invalid', `TLS file '${file}' cannot be read: ${(cause as Error).message}`, { cause });
  }
}
