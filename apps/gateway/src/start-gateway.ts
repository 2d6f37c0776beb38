import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { HivekeepError } from '@hivekeep/contracts';
import { type Bus, Health, type Logger } from '@hivekeep/runtime';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EventsController } from './api/events.controller.ts';
import { AdminToken } from './auth/admin-token.ts';
import { AdminAuthorizer, type Authorizer } from './auth/authorizer.ts';
import { type GatewayParts, gatewayModule } from './gateway.module.ts';
import { type GatewayConfig, parseListen } from './gateway-config.ts';
import { fastifyAdapter, observeRequests } from './http/fastify.ts';
import { ProblemFilter } from './http/problem.filter.ts';
import { Catalog } from './views/catalog.ts';

export interface GatewayOptions {
  /** Closed with the gateway. */
  readonly bus: Bus;
  readonly config: GatewayConfig;
  readonly logger: Logger;
  /** Aborts the start and the background reads; `stop` is still to be called. */
  readonly signal: AbortSignal;
  readonly version?: string;
  /** Who may do what; the bearer of the admin token everything when absent. */
  readonly authorizer?: Authorizer;
}

export interface RunningGateway {
  /** Where it listens, as a URL. */
  readonly url: string;
  readonly health: Health;
  /** Closes the listener, ends streams, waits for requests in flight. */
  stop(): Promise<void>;
}

/**
 * Serves the HTTP API until stopped. Throws `config/invalid` without an admin token, or when it cannot listen, and what the
 * bus throws; nothing is left running then.
 */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { bus, config, logger, version = '0.0.0' } = options;
  const background = new AbortController();
  const undo: (() => Promise<unknown>)[] = [() => bus.close()];
  const stop = async () => {
    background.abort();
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const authorizer = options.authorizer ?? new AdminAuthorizer(AdminToken.load(config));
    const catalog = new Catalog(bus, config, logger);
    undo.push(() => catalog.stop());
    await catalog.start(AbortSignal.any([options.signal, background.signal]));
    const app = await httpApplication({ bus, config, logger, authorizer, catalog, version });
    undo.push(() => app.close());
    undo.push(await announce(bus, version));
    const url = await listen(app, config);
    undo.push(async () => app.get(EventsController).closeAll());
    const health = new Health();
    health.add('ready', 'views', () => {
      if (!catalog.ready) throw new HivekeepError('bus/unavailable', 'the views have not been read yet');
    });
    logger.info('gateway listens', { url });
    return { url, health, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function httpApplication(parts: GatewayParts): Promise<NestFastifyApplication> {
  const filter = new ProblemFilter(parts.logger);
  const adapter = fastifyAdapter(parts.config, filter);
  const app = await NestFactory.create<NestFastifyApplication>(gatewayModule(parts), adapter, { logger: false, abortOnError: false });
  app.useGlobalFilters(filter);
  observeRequests(adapter, parts.logger);
  return app;
}

function announce(bus: Bus, version: string): Promise<() => Promise<void>> {
  const instance = randomUUID();
  return bus.presence.announce(() => ({ service: 'gateway', instance, version, at: new Date().toISOString() }));
}

async function listen(app: NestFastifyApplication, config: GatewayConfig): Promise<string> {
  const { host, port } = parseListen(config.listen);
  try {
    await app.listen(port, host);
  } catch (cause) {
    if (host === '::' && (cause as NodeJS.ErrnoException).code === 'EAFNOSUPPORT') await app.listen(port, '0.0.0.0');
    else throw new HivekeepError('config/invalid', `cannot listen on '${config.listen}': ${(cause as Error).message}`, { cause });
  }
  const address = app.getHttpServer().address() as AddressInfo;
  const name = host === '::' || host === '0.0.0.0' ? 'localhost' : address.address;
  return `${config.tlsCert ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${address.port}`;
}
