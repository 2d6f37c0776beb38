import { HivekeepError, reconcilerCalls } from '@hivekeep/contracts';
import { createLogger, Handle, MemoryBus, startService } from '@hivekeep/runtime';
import { Controller } from '@nestjs/common';
import { expect, it, onTestFinished, vi } from 'vitest';
import { gatewayFixture, healthyView } from './testing/gateway-fixture.ts';

@Controller()
class Reconciler {
  @Handle(reconcilerCalls.sync)
  async onSync() {
    return { application: 'web', accepted: true };
  }

  @Handle(reconcilerCalls.pruneList)
  async onPruneList(): Promise<never> {
    throw new HivekeepError('lease/held', 'ask again');
  }

  @Handle(reconcilerCalls.history)
  async onHistory(): Promise<never> {
    throw new Error('a fault');
  }
}

it("finds a request's id in the logs of both sides, whether it is answered, refused or fails", async () => {
  const logs = { gateway: [] as Record<string, unknown>[], reconciler: [] as Record<string, unknown>[] };
  const loggerOf = (side: keyof typeof logs) => createLogger({ format: 'json', write: (line) => logs[side].push(JSON.parse(line)) });
  await using fixture = await gatewayFixture({ logger: loggerOf('gateway') });
  const reconciler = await startService({
    name: 'reconciler',
    module: { module: class ReconcilerModule {}, controllers: [Reconciler] },
    bus: new MemoryBus(fixture.broker),
    contracts: [reconcilerCalls.sync, reconcilerCalls.pruneList, reconcilerCalls.history],
    logger: loggerOf('reconciler'),
    swarm: 'home',
  });
  onTestFinished(() => reconciler.close());
  await fixture.serve('home', [healthyView('web')]);
  const served = async () => {
    expect(await (await fixture.get('/api/v1/swarms')).json()).toMatchObject({ swarms: [{ state: 'ok' }] });
    expect((await fixture.get('/api/v1/applications/web')).status).toBe(200);
  };
  await vi.waitFor(served, { timeout: 5_000, interval: 20 });
  const answers = [
    await fixture.post('/api/v1/applications/web/sync'),
    await fixture.get('/api/v1/prune'),
    await fixture.get('/api/v1/applications/web/history'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([202, 503, 500]);
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  const told = ({ message, request, call, path }: Record<string, unknown>) => [message, call ?? path, request];
  await vi.waitFor(() =>
    expect(
      logs.gateway
        .filter(({ message }) => message === 'request')
        .map(told)
        .slice(-3),
    ).toEqual([
      ['request', '/api/v1/applications/web/sync', ids[0]],
      ['request', '/api/v1/prune', ids[1]],
      ['request', '/api/v1/applications/web/history', ids[2]],
    ]),
  );
  expect(logs.reconciler.filter(({ call }) => call !== undefined).map(told)).toEqual([
    ['call answered', 'reconciler.sync', ids[0]],
    ['call refused', 'reconciler.prune-list', ids[1]],
    ['call failed', 'reconciler.history', ids[2]],
  ]);
});
