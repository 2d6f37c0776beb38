import { HivekeepError, httpApi, type StoredEvent } from '@hivekeep/contracts';
import type { Logger } from '@hivekeep/runtime';
import { BUS, type Bus } from '@hivekeep/runtime';
import { Controller, Inject, type OnModuleDestroy, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { AuthorizedRequest } from '../auth/auth.guard.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import type { GatewayConfig } from '../gateway-config.ts';
import { gatewayMetrics } from '../gateway-metrics.ts';
import { Endpoint } from '../http/endpoint.ts';
import { AUTHORIZER, CONFIG, LOGGER } from '../tokens.ts';
import { eventFrame, HEARTBEAT } from './event-frames.ts';
import { EventStream } from './event-stream.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

@Controller()
export class EventsController implements OnModuleDestroy {
  readonly #bus: Bus;
  readonly #authorizer: Authorizer;
  readonly #config: GatewayConfig;
  readonly #logger: Logger;
  readonly #open = new Set<EventStream>();
  #closed = false;

  constructor(
    @Inject(BUS) bus: Bus,
    @Inject(AUTHORIZER) authorizer: Authorizer,
    @Inject(CONFIG) config: GatewayConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#bus = bus;
    this.#authorizer = authorizer;
    this.#config = config;
    this.#logger = logger;
  }

  /** Subscribed before the client is told that it is connected: what happens from then on, it gets. */
  @Endpoint(httpApi.events)
  async events(
    @Req() request: AuthorizedRequest,
    @Res() reply: FastifyReply,
    @Query('application') application?: string,
    @Query('swarm') swarm?: string,
  ): Promise<void> {
    if (this.#open.size >= this.#config.maxStreams)
      throw new HivekeepError('bus/unavailable', `${this.#config.maxStreams} event clients are connected already; try again later`);
    const stream = new EventStream({
      response: reply.raw,
      maxBytes: this.#config.streamBufferBytes,
      admit: (name) => this.#admits(request, name),
      onLag: () => this.#logger.warn('event client lags and is disconnected', { request: request.id }),
    });
    const closed = new Promise<void>((resolve) => reply.raw.once('close', resolve));
    const subscription = await this.#bus.events.subscribe(lastEventId(request), (stored) => {
      if (wanted(stored, application, swarm)) stream.push(eventFrame(stored), 'event' in stored ? stored.event.application : undefined);
    });
    this.#open.add(stream);
    gatewayMetrics.streams.set(this.#open.size);
    const heartbeat = setInterval(() => stream.push(HEARTBEAT), this.#config.heartbeatMs);
    reply.hijack();
    reply.raw.writeHead(200, { ...HEADERS, 'x-request-id': request.id });
    reply.raw.write(': connected\nretry: 2000\n\n');
    stream.open();
    if (this.#closed || request.method === 'HEAD') stream.cut();
    await closed;
    clearInterval(heartbeat);
    this.#open.delete(stream);
    gatewayMetrics.streams.set(this.#open.size);
    await subscription.close();
  }

  onModuleDestroy(): void {
    this.closeAll();
  }

  /** Ends every stream; a client that arrives later gets a closed one. */
  closeAll(): void {
    this.#closed = true;
    for (const stream of this.#open) stream.cut();
  }

  /** Asked for each event, so that a token that was taken back or a narrowed subject counts from then on. */
  async #admits(request: AuthorizedRequest, application: string | undefined): Promise<boolean> {
    const subject = await this.#authorizer.authenticate(request.headers.authorization);
    return subject !== undefined && (await this.#authorizer.authorize(subject, 'read', application ?? ''));
  }
}

function wanted(stored: StoredEvent, application: string | undefined, swarm: string | undefined): boolean {
  if ('reset' in stored) return true;
  return (application === undefined || stored.event.application === application) && (swarm === undefined || stored.event.swarm === swarm);
}

/** `Last-Event-ID` as a browser's EventSource sends it when it comes back. */
function lastEventId(request: AuthorizedRequest): string | undefined {
  const given = request.headers['last-event-id'];
  const id = Array.isArray(given) ? given[0] : given;
  return id === undefined || id === '' ? undefined : id.slice(0, 256);
}
