import { HivekeepError, type Rpc, type ServiceName } from '@hivekeep/contracts';
import { type Abstract, type DynamicModule, type INestMicroservice, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { assertHandlers } from './assert-handlers.ts';
import type { ServiceBus } from './bus.ts';
import { BusServer } from './bus-server.ts';
import { Health } from './health.ts';
import type { Logger } from './logger.ts';
import { nestLogger } from './nest-logger.ts';
import { runtimeModule } from './runtime-module.ts';
import { ServingSwitch } from './serving-switch.ts';
import { within } from './waiting.ts';

export interface ServiceOptions {
  readonly name: ServiceName;
  readonly module: Type<unknown> | DynamicModule;
  /** Closed with the service. */
  readonly bus: ServiceBus;
  /** Every contract this service answers, no other. */
  readonly contracts: readonly Rpc[];
  readonly logger: Logger;
  readonly swarm?: string | undefined;
  readonly node?: string | undefined;
  /** False: it answers nothing until its `ServingSwitch` is turned on. */
  readonly serving?: boolean;
  /** The whole stop takes at most this long, in milliseconds; calls in hand have half of it. */
  readonly stopWithinMs?: number;
}

export interface RunningService {
  readonly name: ServiceName;
  readonly health: Health;
  readonly serving: ServingSwitch;
  /** A provider of the service's module. */
  get<T>(token: Type<T> | Abstract<T> | symbol | string): T;
  /** Ends calls in hand, then the module's providers, then the bus. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts one service on a bus: alone in a process over NATS, or several of them over one in-process broker.
 * Its module can inject `BUS`, `LOGGER`, `Health` and `ServingSwitch`. Throws, with nothing left running, when a
 * contract has no handler or two.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { name, module, bus, contracts, swarm, node, serving: serves = true } = options;
  const logger = options.logger.child({ service: name, ...(swarm !== undefined && { swarm }) });
  const serving = new ServingSwitch(serves);
  const health = new Health();
  const server = new BusServer({ wire: bus.wire, contracts, swarm, node, serving, logger });
  const stop = stopping(server, options);
  let app: INestMicroservice | undefined;
  try {
    app = await NestFactory.createMicroservice(runtimeModule(module, { bus, logger, health, serving }), {
      strategy: server,
      logger: nestLogger(logger),
      abortOnError: false,
    });
    await app.init();
    assertHandlers(server.found, contracts);
    await app.listen();
  } catch (error) {
    await stop(app);
    throw error;
  }
  health.add('ready', 'bus', () => {
    if (!bus.wire.connected) throw new HivekeepError('bus/unavailable', 'not connected to the bus');
  });
  const running = app;
  return { name, health, serving, get: (token) => running.get(token), close: () => stop(running) };
}

/** Ends the parts in order, and the bus in any case: a part that hangs must not keep a node announced or subscribed. */
function stopping(
  server: BusServer,
  { bus, logger, name, stopWithinMs = 10_000 }: ServiceOptions,
): (app: INestMicroservice | undefined) => Promise<void> {
  const partsMs = stopWithinMs * 0.7;
  const stopParts = async (app: INestMicroservice | undefined) => {
    await server.stop(partsMs / 2);
    await app?.close();
  };
  const late = () => new HivekeepError('internal', `${name} did not stop in ${partsMs} ms`);
  let stopped: Promise<void> | undefined;
  return (app) => {
    stopped ??= within(stopParts(app), { ms: partsMs, late })
      .catch((error: unknown) => logger.error('stop failed', { error }))
      .then(() => bus.close());
    return stopped;
  };
}
