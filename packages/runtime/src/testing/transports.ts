import { natsServer } from '@hivekeep/testkit';
import type { ServiceBus } from '../bus.ts';
import { MemoryBroker, MemoryBus } from '../memory/memory-bus.ts';
import { connectNatsBus } from '../nats/nats-bus.ts';

export interface TestTransport extends AsyncDisposable {
  connect(name: string): Promise<ServiceBus>;
  /** The transport forgets everything it stored, as when a volume is lost; connections come back by themselves. */
  loseStore(): Promise<void>;
}

export const EVENT_LIMIT = 40;
export const PRESENCE_TTL_MS = 900;

/** The transports that must pass the same tests, by name. */
export const transports: [string, () => Promise<TestTransport>][] = [
  ['in-process', memoryTransport],
  ['NATS', natsTransport],
];

async function memoryTransport(): Promise<TestTransport> {
  const broker = new MemoryBroker({ maxEvents: EVENT_LIMIT, presenceTtlMs: PRESENCE_TTL_MS });
  const buses: ServiceBus[] = [];
  return {
    connect: async () => {
      const bus = new MemoryBus(broker);
      buses.push(bus);
      return bus;
    },
    loseStore: async () => broker.lose(),
    [Symbol.asyncDispose]: async () => {
      for (const bus of buses) await bus.close();
    },
  };
}

async function natsTransport(): Promise<TestTransport> {
  const server = await natsServer();
  const buses: ServiceBus[] = [];
  return {
    connect: async (name) => {
      const bus = await connectNatsBus({
        servers: [server.url],
        name,
        limits: { events: { count: EVENT_LIMIT, bytes: 1024 * 1024, ageMs: 60_000 }, presenceTtlMs: PRESENCE_TTL_MS },
      });
      buses.push(bus);
      return bus;
    },
    loseStore: async () => {
      await server.wipe();
      await server.start();
    },
    [Symbol.asyncDispose]: async () => {
      for (const bus of buses) await bus.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
