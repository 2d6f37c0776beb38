import { type DynamicModule, Inject, Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { BUS, type Bus } from './bus.ts';
import { Health } from './health.ts';
import { createLogger, type Logger } from './logger.ts';
import { MemoryBroker, MemoryBus } from './memory/memory-bus.ts';
import { LOGGER } from './runtime-module.ts';
import { startService } from './service.ts';
import { ServingSwitch } from './serving-switch.ts';

let destroying: () => Promise<void> = async () => undefined;

@Injectable()
class Part implements OnModuleDestroy {
  constructor(
    @Inject(BUS) readonly bus: Bus,
    @Inject(LOGGER) readonly logger: Logger,
    readonly health: Health,
    readonly serving: ServingSwitch,
  ) {}

  onModuleDestroy(): Promise<void> {
    return destroying();
  }
}

@Module({ providers: [Part] })
class PartModule {}

function start(module: DynamicModule | typeof PartModule, lines: string[] = [], bus = new MemoryBus(new MemoryBroker())) {
  const logger = createLogger({ format: 'text', write: (line) => lines.push(line) });
  return startService({ name: 'source', module, bus, contracts: [], logger, stopWithinMs: 300 });
}

describe('startService', () => {
  it('gives bus, logger, health and switch to the providers, and closes them before the bus', async () => {
    const service = await start(PartModule);
    const part = service.get(Part);
    expect(part).toMatchObject({ health: service.health, serving: service.serving });
    expect(await service.health.report('ready')).toMatchObject({ ok: true, checks: [{ name: 'bus', ok: true }] });
    let idAtDestruction = '';
    destroying = async () => {
      idAtDestruction = await part.bus.views.storeId();
    };
    await service.close();
    expect(idAtDestruction).not.toBe('');
    expect(await service.health.report('ready')).toMatchObject({ ok: false });
  });

  it('stops within its bound when a part hangs, says so, and stops once', async () => {
    const lines: string[] = [];
    const bus = new MemoryBus(new MemoryBroker());
    const service = await start(PartModule, lines, bus);
    let count = 0;
    destroying = () => {
      count += 1;
      return new Promise(() => undefined);
    };
    const started = performance.now();
    await Promise.all([service.close(), service.close()]);
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(count).toBe(1);
    expect(lines.join()).toContain('source did not stop in 210 ms');
    expect(bus.wire.connected).toBe(false);
  });

  it('throws what a provider throws at the start, and leaves nothing open', async () => {
    const broken = {
      module: class BrokenModule {},
      providers: [
        {
          provide: 'broken',
          useFactory: () => {
            throw new Error('no such file');
          },
        },
      ],
    };
    const bus = new MemoryBus(new MemoryBroker());
    await expect(start(broken, [], bus)).rejects.toThrow('no such file');
    expect(bus.wire.connected).toBe(false);
  });
});
