import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HivekeepError } from '@hivekeep/contracts';
import type { Health, HealthReport } from './health.ts';
import { METRICS_TYPE, metricsText } from './metrics.ts';

export interface Monitor {
  /** Where it listens, as a URL. */
  readonly url: string;
  /** Adds what a part of the process says of itself. */
  watch(health: Health): void;
  stop(): Promise<void>;
}

const CHECK_MS = 1_000;
const REQUEST_MS = 5_000;
const MAX_CONNECTIONS = 64;

/**
 * Serves `/healthz`, `/readyz` and `/metrics` for whoever runs the process; it holds no secret and needs no token, and is never
 * published. `/healthz` is what a container's health check asks: not well until every part was ready once, so that a rolling
 * update waits for a new task, or rolls back; from then on only whether the process works, because restarting it mends neither
 * the bus nor an engine. Throws `config/invalid` when it can't listen.
 */
export async function startMonitor({ host, port }: { host: string; port: number }): Promise<Monitor> {
  const parts = new Set<Health>();
  let wasReady = false;
  const ready = async () => {
    const report = merged(await Promise.all([...parts].map((health) => health.report('ready'))));
    const ok = report.ok && parts.size > 0;
    wasReady ||= ok;
    return { ...report, ok };
  };
  const live = async () =>
    wasReady || (await ready()).ok ? merged(await Promise.all([...parts].map((health) => health.report('live')))) : ready();
  const routes: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/healthz': async (response) => answer(response, await live()),
    '/readyz': async (response) => answer(response, await ready()),
    '/metrics': async (response) => void response.setHeader('content-type', METRICS_TYPE).end(await metricsText()),
  };
  const server = createServer({ connectionsCheckingInterval: CHECK_MS, requestTimeout: REQUEST_MS }, (request, response) => {
    void serve(routes, request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const url = await listen(server, host, port);
  return {
    url,
    watch: (health) => void parts.add(health),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  routes: Record<string, (response: ServerResponse) => Promise<void>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const route = routes[(request.url ?? '').split('?')[0] ?? ''];
  if (!route || (request.method !== 'GET' && request.method !== 'HEAD')) return void response.writeHead(route ? 405 : 404).end();
  await route(response).catch(() => response.destroy());
}

function answer(response: ServerResponse, { ok, checks }: HealthReport): void {
  const lines = checks.filter((check) => !check.ok).map(({ name, message }) => `${name}: ${message ?? 'failed'}\n`);
  const text = lines.join('') || (ok ? 'ok\n' : 'starting\n');
  response.writeHead(ok ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}

function merged(reports: readonly HealthReport[]): HealthReport {
  return { ok: reports.every(({ ok }) => ok), checks: reports.flatMap(({ checks }) => checks) };
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new HivekeepError('config/invalid', `cannot serve health and metrics on port ${port}: ${cause.message}`, { cause })),
    );
    server.listen(port, host === '' ? undefined : host, resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has such an address
}
