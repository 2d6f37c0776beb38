import { HivekeepError, httpApi, Problem, type RequestOf, reconcilerCalls } from '@hivekeep/contracts';
import { connectNatsBus, Handle, MemoryBroker, MemoryBus, type ServiceBus, silentLogger, startService } from '@hivekeep/runtime';
import { eventually, natsServer } from '@hivekeep/testkit';
import { Controller, Module } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { GatewayConfig } from './gateway-config.ts';
import { startGateway } from './start-gateway.ts';
import { event, healthyView, reconcilerPresence, swarmView, TOKEN } from './testing/gateway-fixture.ts';

/** Answers two calls as a reconciler does, over whichever bus it is started on. */
@Controller()
class Reconciler {
  @Handle(reconcilerCalls.sync)
  async sync({ application }: RequestOf<typeof reconcilerCalls.sync>) {
    return { application, accepted: true };
  }

  @Handle(reconcilerCalls.freeze)
  async freeze(): Promise<{ frozen: boolean }> {
    throw new HivekeepError('swarm/conflict', 'the lease changed meanwhile; try again');
  }
}

@Module({ controllers: [Reconciler] })
class ReconcilerModule {}

interface Transport extends AsyncDisposable {
  readonly connect: () => Promise<ServiceBus>;
}

async function memory(): Promise<Transport> {
  const broker = new MemoryBroker();
  return { connect: async () => new MemoryBus(broker), [Symbol.asyncDispose]: async () => undefined };
}

async function nats(): Promise<Transport> {
  const server = await natsServer();
  return {
    connect: () => connectNatsBus({ servers: [server.url], name: 'test' }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe.each([
  ['in-process', memory],
  ['NATS', nats],
])('over %s', (_name, open) => {
  it('lists what reconcilers put, passes calls and their errors on, streams events, and notices silence', async () => {
    await using transport = await open();
    const bus = await transport.connect();
    const contracts = [reconcilerCalls.sync, reconcilerCalls.freeze];
    const service = await startService({
      name: 'reconciler',
      module: ReconcilerModule,
      bus,
      contracts,
      logger: silentLogger,
      swarm: 'home',
    });
    const config = GatewayConfig.parse({ listen: '127.0.0.1:0', adminToken: TOKEN, presenceIntervalMs: 50 });
    const gateway = await startGateway({
      bus: await transport.connect(),
      config,
      logger: silentLogger,
      signal: new AbortController().signal,
    });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const ask = (path: string, method = 'GET') => fetch(`${gateway.url}/api/v1/${path}`, { method, headers });
    const health = async () => httpApi.application.reply.safeParse(await (await ask('applications/web')).json()).data?.status.health.state;
    try {
      const leave = await bus.presence.announce(() => reconcilerPresence('home'));
      await bus.views.put('home.swarm', swarmView('home'));
      await bus.views.put('home.application.web', healthyView('web'));
      await eventually(async () => (await health()) === 'healthy');

      expect(await (await ask('applications/web/sync', 'POST')).json()).toEqual({ application: 'web', accepted: true });
      const frozen = await ask('freeze', 'POST');
      expect([frozen.status, Problem.parse(await frozen.json()).code]).toEqual([409, 'swarm/conflict']);

      const events = await ask('events');
      const id = await bus.events.publish(event('web', 'hello'));
      expect(await firstFrame(events)).toContain(`id: ${id}\nevent: sync-succeeded\n`);

      await leave();
      await eventually(async () => (await health()) === 'unknown');
      expect((await ask('applications/web/sync', 'POST')).status).toBe(503);
    } finally {
      await gateway.stop();
      await service.close();
    }
  });
});

/** The first event of a stream, without the comments before it. */
async function firstFrame(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const frame = text.split('\n\n').find((part) => part.startsWith('id: '));
    if (frame !== undefined) return `${frame}\n`;
  }
  throw new Error(`the stream ended without an event: ${text}`);
}
