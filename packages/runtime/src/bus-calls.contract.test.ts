import { randomBytes } from 'node:crypto';
import { HivekeepError, type RequestOf, rpc } from '@hivekeep/contracts';
import { consistently } from '@hivekeep/testkit';
import { Controller } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { decodeBody } from './envelope.ts';
import { type CallContext, Handle } from './handle.ts';
import { createLogger, silentLogger } from './logger.ts';
import { type RunningService, startService } from './service.ts';
import { type TestTransport, transports } from './testing/transports.ts';

const echo = rpc({
  service: 'source',
  verb: 'echo',
  scope: 'hub',
  request: z.object({ text: z.string(), times: z.number().default(2) }),
  reply: z.object({ text: z.string(), swarm: z.string() }),
  errors: [],
  deadlineMs: 5_000,
});
const fail = rpc({
  service: 'source',
  verb: 'fail',
  scope: 'hub',
  request: z.object({ how: z.enum(['ours', 'foreign', 'reply']) }),
  reply: z.object({ ok: z.literal(true) }),
  errors: ['source/invalid'],
  deadlineMs: 5_000,
});
const hang = rpc({
  service: 'source',
  verb: 'hang',
  scope: 'hub',
  request: z.object({}),
  reply: z.object({}),
  errors: [],
  deadlineMs: 150,
});
const large = rpc({
  service: 'source',
  verb: 'large',
  scope: 'hub',
  request: z.object({ padding: z.string().default(''), bytes: z.number() }),
  reply: z.object({ data: z.string() }),
  errors: [],
  deadlineMs: 10_000,
});
const contracts = [echo, fail, hang, large];
const onSwarm = rpc({
  service: 'reconciler',
  verb: 'who',
  scope: 'swarm',
  request: z.object({}),
  reply: z.string(),
  errors: [],
  deadlineMs: 2_000,
});
const onNode = rpc({
  service: 'node-agent',
  verb: 'who',
  scope: 'node',
  request: z.object({}),
  reply: z.string(),
  errors: [],
  deadlineMs: 2_000,
});

const seen: { signals: AbortSignal[]; contexts: CallContext[]; release: () => void } = {
  signals: [],
  contexts: [],
  release: () => undefined,
};

@Controller()
class Hub {
  @Handle(echo)
  async onEcho({ text, times }: RequestOf<typeof echo>, context: CallContext) {
    seen.contexts.push(context);
    return { text: text.repeat(times), swarm: context.swarm, extra: 'not in the contract' };
  }

  @Handle(fail)
  async onFail({ how }: RequestOf<typeof fail>) {
    if (how === 'ours')
      throw new HivekeepError('source/invalid', 'two things', { issues: [{ message: 'one', line: 3 }, { message: 'two' }] });
    if (how === 'foreign') throw new Error('token=canary-7f3a');
    return { ok: false as unknown as true };
  }

  @Handle(hang)
  async onHang(_request: object, { signal }: CallContext) {
    seen.signals.push(signal);
    await new Promise<void>((resolve) => {
      seen.release = resolve;
      signal.addEventListener('abort', () => resolve());
    });
    return {};
  }

  @Handle(large)
  async onLarge({ bytes }: RequestOf<typeof large>) {
    return { data: randomBytes(bytes / 2).toString('hex') };
  }
}

@Controller()
class Reconciler {
  @Handle(onSwarm)
  async onWho(_request: object, { swarm }: CallContext) {
    return swarm;
  }
}

@Controller()
class Agent {
  @Handle(onNode)
  async onWho(_request: object, { swarm, node }: CallContext) {
    return `${swarm}/${node}`;
  }
}

describe.each(transports)('calls over %s', (_name, open) => {
  let transport: TestTransport;
  let lines: string[];
  const services: RunningService[] = [];
  const logger = createLogger({ format: 'json', level: 'debug', write: (line) => lines.push(line) });

  const startHub = async (name = 'hub') => {
    const bus = await transport.connect(name);
    const service = await startService({ name: 'source', module: hubModule(), bus, contracts, logger, stopWithinMs: 2_000 });
    services.push(service);
    return service;
  };

  beforeEach(async () => {
    lines = [];
    seen.signals = [];
    seen.contexts = [];
    transport = await open();
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.close()));
    await transport[Symbol.asyncDispose]();
  });

  it('answers with defaults filled in, the trusted swarm, and nothing the contract does not say', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    const reply = await caller.call(echo, { swarm: 'east' }, { text: 'ab' }, { requestId: 'r-1' });
    expect(reply).toEqual({ text: 'abab', swarm: 'east' });
    expect(seen.contexts[0]).toMatchObject({ swarm: 'east', requestId: 'r-1' });
  });

  it('brings errors as code, message and issues', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    const thrown = await caller.call(fail, { swarm: 'east' }, { how: 'ours' }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(HivekeepError);
    expect(thrown).toMatchObject({
      code: 'source/invalid',
      message: 'two things',
      issues: [{ message: 'one', line: 3 }, { message: 'two' }],
    });
  });

  it('keeps the cause of an unknown throw in the log of the service', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    const thrown = await caller.call(fail, { swarm: 'east' }, { how: 'foreign' }).catch((error: Error) => error);
    expect(thrown).toMatchObject({ code: 'internal' });
    expect(String(thrown)).not.toContain('canary');
    expect(lines.join('\n')).toContain('canary-7f3a');
  });

  it('refuses a request and a reply that do not fit the contract', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    const wrong = { text: 5 } as unknown as { text: string };
    await expect(caller.call(echo, { swarm: 'east' }, wrong)).rejects.toMatchObject({ code: 'bus/invalid-message' });
    await expect(caller.call(fail, { swarm: 'east' }, { how: 'reply' })).rejects.toMatchObject({ code: 'bus/invalid-message' });
  });

  it('says at once that nobody answers', async () => {
    const caller = await transport.connect('caller');
    const started = performance.now();
    await expect(caller.call(echo, { swarm: 'east' }, { text: 'a' })).rejects.toMatchObject({ code: 'bus/no-answer' });
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it.each(['', 'a.b', '*', 'a b'])('refuses the swarm %j as part of a subject', async (swarm) => {
    const caller = await transport.connect('caller');
    await expect(caller.call(echo, { swarm }, { text: 'a' })).rejects.toMatchObject({ code: 'bus/invalid-message' });
  });

  it('times out and aborts the handler at the deadline of the caller', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    await expect(caller.call(hang, { swarm: 'east' }, {})).rejects.toMatchObject({ code: 'bus/timeout' });
    await vi.waitFor(() => expect(seen.signals[0]?.aborted).toBe(true));
    await expect(caller.call(hang, { swarm: 'east' }, {}, { timeoutMs: 30 })).rejects.toMatchObject({ code: 'bus/timeout' });
  });

  it('stops waiting when the caller gives up', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    const abort = new AbortController();
    const call = caller.call(hang, { swarm: 'east' }, {}, { signal: abort.signal, timeoutMs: 5_000 });
    await vi.waitFor(() => expect(seen.signals).toHaveLength(1));
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await expect(caller.call(echo, { swarm: 'east' }, { text: 'a' }, { signal: abort.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('refuses more calls than one handler may run, and answers again when they are done', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    const calls = Array.from({ length: 70 }, () =>
      caller.call(hang, { swarm: 'east' }, {}, { timeoutMs: 700 }).catch((error: HivekeepError) => error.code),
    );
    const codes = await Promise.all(calls);
    expect(codes.filter((code) => code === 'bus/busy')).toHaveLength(6);
    expect(codes.filter((code) => code === 'bus/timeout')).toHaveLength(64);
    await expect(caller.call(echo, { swarm: 'east' }, { text: 'a' })).resolves.toMatchObject({ text: 'aa' });
  });

  it('takes the call of a swarm while another has as many in hand as it may', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    const silent = Array.from({ length: 65 }, () => caller.call(hang, { swarm: 'east' }, {}, { timeoutMs: 5_000 }));
    const ends = silent.map((call) => call.catch((error: HivekeepError) => error.code));
    expect(await Promise.race(ends)).toBe('bus/busy');
    await vi.waitFor(() => expect(seen.signals).toHaveLength(64));
    const call = caller.call(hang, { swarm: 'west' }, {}, { timeoutMs: 5_000 });
    await vi.waitFor(() => expect(seen.signals).toHaveLength(65));
    seen.release();
    await expect(call).resolves.toEqual({});
    await Promise.all(services.splice(0).map((service) => service.close()));
    await Promise.all(ends);
  });

  it('takes one call of a swarm that has none in hand, however many there are in all', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    const call = (swarm: string) => caller.call(hang, { swarm }, {}, { timeoutMs: 5_000 }).catch((error: HivekeepError) => error.code);
    const full = ['s1', 's2', 's3', 's4'].flatMap((swarm) => Array.from({ length: 64 }, () => call(swarm)));
    await vi.waitFor(() => expect(seen.signals).toHaveLength(256));
    const first = call('s5');
    await vi.waitFor(() => expect(seen.signals).toHaveLength(257));
    expect(await call('s5')).toBe('bus/busy');
    seen.release();
    expect(await first).toEqual({});
    await Promise.all(services.splice(0).map((service) => service.close()));
    await Promise.all(full);
  });

  it('carries large messages and says so when one is too large', async () => {
    await startHub();
    const caller = await transport.connect('caller');
    const { data } = await caller.call(large, { swarm: 'east' }, { bytes: 900_000 });
    expect(data).toHaveLength(900_000);
    const padding = 'services: web: image: registry/app:1\n'.repeat(80_000);
    await expect(caller.call(large, { swarm: 'east' }, { bytes: 10, padding })).resolves.toMatchObject({ data: expect.any(String) });
    await expect(caller.call(large, { swarm: 'east' }, { bytes: 17_000_000 })).rejects.toMatchObject({ code: 'bus/too-large' });
    await expect(caller.call(large, { swarm: 'east' }, { bytes: 10, padding: 'x'.repeat(17_000_000) })).rejects.toMatchObject({
      code: 'bus/too-large',
    });
  });

  it('shares the calls between the members of a queue, each call to one', async () => {
    await startHub('hub-1');
    await startHub('hub-2');
    const caller = await transport.connect('caller');
    await Promise.all(Array.from({ length: 40 }, () => caller.call(echo, { swarm: 'east' }, { text: 'a' })));
    expect(seen.contexts).toHaveLength(40);
  });

  it('lets a standby answer nothing until it serves', async () => {
    const [active, standby, caller] = await Promise.all(['active', 'standby', 'caller'].map((name) => transport.connect(name)));
    const module = { module: class ReconcilerModule {}, controllers: [Reconciler] };
    const start = (bus: typeof active, serving: boolean) =>
      startService({
        name: 'reconciler',
        module,
        bus: bus as NonNullable<typeof bus>,
        contracts: [onSwarm],
        logger: silentLogger,
        swarm: 'east',
        serving,
      });
    const first = await start(active, true);
    const second = await start(standby, false);
    services.push(first, second);
    const who = () => caller?.call(onSwarm, { swarm: 'east' }, {});
    await expect(who()).resolves.toBe('east');
    await first.serving.turn(false);
    await expect(who()).rejects.toMatchObject({ code: 'bus/no-answer' });
    await second.serving.turn(true);
    await expect(who()).resolves.toBe('east');
    await expect(caller?.call(onSwarm, { swarm: 'west' }, {})).rejects.toMatchObject({ code: 'bus/no-answer' });
  });

  it('reaches one node by its id', async () => {
    const caller = await transport.connect('caller');
    const module = { module: class AgentModule {}, controllers: [Agent] };
    for (const node of ['n1', 'n2']) {
      const bus = await transport.connect(node);
      services.push(
        await startService({ name: 'node-agent', module, bus, contracts: [onNode], logger: silentLogger, swarm: 'east', node }),
      );
    }
    await expect(caller.call(onNode, { swarm: 'east', node: 'n2' }, {})).resolves.toBe('east/n2');
    await expect(caller.call(onNode, { swarm: 'east', node: 'n3' }, {})).rejects.toMatchObject({ code: 'bus/no-answer' });
  });

  it('sends nothing over the wire that the contract does not say', async () => {
    await startHub();
    const { wire } = await transport.connect('caller');
    const request = Buffer.from(JSON.stringify({ text: 'a' }));
    const { headers, body } = await wire.request('hk.v1.east.source.echo', {}, request, { timeoutMs: 2_000 });
    expect({ headers, body: decodeBody(body) }).toEqual({ headers: { 'hk-outcome': 'ok' }, body: { text: 'aa', swarm: 'east' } });
  });

  it('takes no new call when the service stops, and lets the one in hand end', async () => {
    const service = await startHub();
    const caller = await transport.connect('caller');
    const call = caller.call(hang, { swarm: 'east' }, {}, { timeoutMs: 5_000 });
    await vi.waitFor(() => expect(seen.signals).toHaveLength(1));
    const closing = service.close();
    const refused = { code: 'bus/no-answer' };
    await vi.waitFor(() => expect(caller.call(echo, { swarm: 'east' }, { text: 'a' })).rejects.toMatchObject(refused));
    await consistently(() => expect(seen.signals[0]?.aborted).toBe(false), 60, 20);
    seen.release();
    await expect(call).resolves.toEqual({});
    await closing;
  });

  it('aborts a call in hand that does not end while the service stops', async () => {
    const service = await startHub();
    const caller = await transport.connect('caller');
    const call = caller.call(hang, { swarm: 'east' }, {}, { timeoutMs: 5_000 }).catch((error: HivekeepError) => error.code);
    await vi.waitFor(() => expect(seen.signals).toHaveLength(1));
    await service.close();
    expect(seen.signals[0]?.aborted).toBe(true);
    expect(await call).toBe('cancelled');
  });

  it('fails at once when its own connection is closed', async () => {
    const caller = await transport.connect('caller');
    await caller.close();
    await expect(caller.call(echo, { swarm: 'east' }, { text: 'a' })).rejects.toMatchObject({ code: 'bus/unavailable' });
  });

  it.each([
    ['no handler', [Hub], [...contracts, onSwarm], 'reconciler.who has 0 handlers'],
    ['two handlers', [Hub, class Second extends Hub {}], contracts, 'source.echo has 2 handlers'],
    ['a foreign handler', [Hub, Agent], contracts, 'node-agent.who is no contract'],
  ])('refuses to start with %s', async (_case, controllers, expected, message) => {
    const bus = await transport.connect('hub');
    const start = startService({
      name: 'source',
      module: { module: class HubModule {}, controllers },
      bus,
      contracts: expected,
      logger: silentLogger,
      swarm: 'east',
    });
    await expect(start).rejects.toThrow(message);
    expect(bus.wire.connected).toBe(false);
  });
});

function hubModule() {
  return { module: class HubModule {}, controllers: [Hub] };
}
