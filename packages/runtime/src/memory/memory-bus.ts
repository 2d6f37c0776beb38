import type { Artifacts, Calls, EventLog, PresenceBoard, ServiceBus, Views } from '../bus.ts';
import { callsOver } from '../calls.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { MemoryArtifacts } from './memory-artifacts.ts';
import { MemoryEvents } from './memory-events.ts';
import { MemoryPresence } from './memory-presence.ts';
import { MemoryViews } from './memory-views.ts';
import { MemoryWire } from './memory-wire.ts';
import { SubjectTable } from './subject-table.ts';

export interface MemoryBrokerOptions {
  /** Events kept for replay. */
  readonly maxEvents?: number;
  /** Bytes of packed artifacts kept. */
  readonly maxArtifactBytes?: number;
  /** A presence record that is not renewed lasts this long, in milliseconds. */
  readonly presenceTtlMs?: number;
}

/** What the buses of one process share: the in-process stand-in for a NATS server. */
export class MemoryBroker {
  readonly subjects = new SubjectTable();
  readonly events: MemoryEvents;
  readonly views = new MemoryViews();
  readonly artifacts: MemoryArtifacts;
  readonly presence: MemoryPresence;

  constructor({ maxEvents = 5_000, maxArtifactBytes = 64 * 1024 * 1024, presenceTtlMs = 15_000 }: MemoryBrokerOptions = {}) {
    this.events = new MemoryEvents(maxEvents);
    this.artifacts = new MemoryArtifacts(maxArtifactBytes);
    this.presence = new MemoryPresence(presenceTtlMs);
  }

  /** Forgets all that is stored, as a lost volume does; subscriptions live on. */
  lose(): void {
    for (const store of [this.events, this.views, this.artifacts, this.presence]) store.lose();
  }
}

/** One service's connection to the broker of its process. */
export class MemoryBus implements ServiceBus {
  readonly wire: MemoryWire;
  readonly events: EventLog;
  readonly views: Views;
  readonly artifacts: Artifacts;
  readonly presence: PresenceBoard;
  readonly call: Calls['call'];
  readonly #closed = new AbortController();

  constructor(broker: MemoryBroker, logger: Logger = silentLogger) {
    this.wire = new MemoryWire(broker.subjects);
    this.call = callsOver(this.wire).call;
    this.events = broker.events;
    this.views = broker.views;
    this.artifacts = broker.artifacts;
    this.presence = broker.presence.board(this.#closed.signal, logger);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.wire.close();
  }
}
