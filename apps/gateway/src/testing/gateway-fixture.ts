import { type Endpoint, type Event, initialStatus, type Presence, type Rpc, type SwarmView, type View } from '@hivekeep/contracts';
import { type Bus, type CallOptions, MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import type { z } from 'zod';
import { GatewayConfig } from '../gateway-config.ts';
import { type GatewayOptions, startGateway } from '../start-gateway.ts';

export const TOKEN = 'correct-horse';

type Answer = (request: unknown, swarm: string) => unknown;

/** A gateway on a free port over the in-process bus, with reconcilers whose answers the test gives by `<service>.<verb>`, or on the bus. */
export async function gatewayFixture(
  given: { answers?: Record<string, Answer>; config?: Record<string, unknown> } & Pick<
    Partial<GatewayOptions>,
    'authorizer' | 'logger'
  > = {},
) {
  const broker = new MemoryBroker();
  const bus = new MemoryBus(broker);
  const call = async (contract: Rpc, target: { swarm: string }, request: unknown, options?: CallOptions) => {
    const answer = given.answers?.[`${contract.service}.${contract.verb}`];
    return answer ? answer(request, target.swarm) : bus.call(contract, target, request, options);
  };
  const { events, views, artifacts, presence } = bus;
  const answering = { events, views, artifacts, presence, call, close: () => bus.close() } as Bus; // answers are the test's
  const config = GatewayConfig.parse({ listen: '127.0.0.1:0', adminToken: TOKEN, presenceIntervalMs: 20, ...given.config });
  const gateway = await startGateway({
    bus: answering,
    config,
    logger: given.logger ?? silentLogger,
    signal: new AbortController().signal,
    version: '1.2.3',
    ...(given.authorizer && { authorizer: given.authorizer }),
  });
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...init.headers } });
  return {
    gateway,
    bus,
    broker,
    get,
    /** The parsed answer of an endpoint, at its own path or a given one. */
    read: async <R extends z.ZodType>(endpoint: Endpoint<z.ZodType, R>, path = endpoint.path): Promise<z.output<R>> =>
      endpoint.reply.parse(await (await get(path)).json()),
    post: (path: string, body?: unknown) =>
      get(path, {
        method: 'POST',
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    /** A swarm with an active reconciler and one view per application. */
    serve: async (swarm: string, applications: readonly View[] = [], more: Partial<SwarmView> = {}) => {
      const leave = await bus.presence.announce(() => reconcilerPresence(swarm));
      await bus.views.put(`${swarm}.swarm`, swarmView(swarm, more));
      for (const view of applications) await bus.views.put(`${swarm}.application.${view.spec.name}`, view);
      return leave;
    },
    [Symbol.asyncDispose]: () => gateway.stop(),
  };
}

export function reconcilerPresence(swarm: string): Presence {
  return {
    service: 'reconciler',
    instance: swarm,
    version: '1',
    swarm,
    active: true,
    home: swarm === 'home',
    at: new Date().toISOString(),
  };
}

export function swarmView(swarm: string, more: Partial<SwarmView> = {}): SwarmView {
  const lists = { orphaned: [], pruned: [], pruneHeldBy: [] };
  return {
    swarm,
    home: swarm === 'home',
    controllerId: 'default',
    version: '1',
    active: true,
    epoch: 1,
    state: 'ok',
    appSet: { mode: 'static', source: '', revision: '', stale: false, ...lists },
    applications: 1,
    nodes: [],
    capabilities: [{ name: 'LiveDrift', present: true }],
    prune: { enabled: false, volumes: false, items: [], approvals: [], strays: [] },
    recordBytes: 0,
    warnings: [],
    observedAt: new Date().toISOString(),
    ...more,
  };
}

export function healthyView(name: string, swarm?: string): View {
  const initial = initialStatus();
  return {
    spec: {
      name,
      source: { repoURL: 'https://git.example/shop.git', revision: 'main' },
      allow: {},
      destination: swarm === undefined ? {} : { swarm },
      syncPolicy: { automated: true },
      driftDetection: 'manifest',
    },
    status: {
      sync: { ...initial.sync, state: 'synced', revision: 'a'.repeat(40) },
      health: { state: 'healthy', message: '', services: { healthy: 1, total: 1 } },
      releases: [],
    },
  };
}

export function event(application: string, message = ''): Event {
  return { application, swarm: 'home', type: 'sync-succeeded', message, at: '2026-01-02T03:04:05Z' };
}
