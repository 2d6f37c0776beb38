import { rpc, type ServiceName } from '@hivekeep/contracts';
import { Controller } from '@nestjs/common';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Handle } from './handle.ts';
import { createLogger } from './logger.ts';
import { MemoryBroker, MemoryBus } from './memory/memory-bus.ts';
import { startService } from './service.ts';

const asked = (verb: string, callers: readonly ServiceName[]) =>
  rpc({ service: 'source', verb, scope: 'hub', callers, request: z.object({}), reply: z.object({}), errors: [], deadlineMs: 2_000 });
const person = asked('person', ['gateway']);
const anybody = asked('anybody', ['reconciler', 'gateway']);

@Controller()
class Answers {
  @Handle(person)
  async onPerson() {
    return {};
  }

  @Handle(anybody)
  async onAnybody() {
    return {};
  }
}

it('tells of calls for HTTP requests as the gateway tells of those, and of others for who looks closely', async () => {
  const lines: Record<string, unknown>[] = [];
  const bus = new MemoryBus(new MemoryBroker());
  const service = await startService({
    name: 'source',
    module: { module: class AnswersModule {}, controllers: [Answers] },
    bus,
    contracts: [person, anybody],
    logger: createLogger({ format: 'json', level: 'debug', write: (line) => lines.push(JSON.parse(line)) }),
  });
  onTestFinished(() => service.close());
  await bus.call(person, { swarm: 'east' }, {}, { requestId: 'r-1' });
  await bus.call(anybody, { swarm: 'east' }, {}, { requestId: 'r-2' });
  expect(lines.filter(({ request }) => request !== undefined)).toMatchObject([
    { level: 'info', message: 'call answered', call: 'source.person', request: 'r-1' },
    { level: 'debug', message: 'call answered', call: 'source.anybody', request: 'r-2' },
  ]);
});
