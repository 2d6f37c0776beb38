import { HivekeepError } from '@hivekeep/contracts';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../logger.ts';
import { counter, gauge } from '../metrics.ts';
import { within } from '../waiting.ts';
import { natsError } from './nats-errors.ts';

const connected = gauge('bus_connected', 'Whether this process is connected to the bus (1) or not (0).');
const reconnects = counter('bus_reconnects', 'Times this process was connected to the bus again.');

/** Above any deadline of a contract: what runs here has a shorter one of its own. */
const MAX_WAIT_MS = 600_000;

/** A connection that knows whether it is up, which the client itself tells only as a stream of events. */
export class NatsLink {
  readonly connection: NatsConnection;
  readonly #listeners = new Set<() => void>();
  #isUp = true;
  /** Aborts when the present connection is lost: replies on their way are lost with it. */
  #up = new AbortController();

  constructor(connection: NatsConnection, logger: Logger) {
    this.connection = connection;
    connected.set(1);
    void this.#follow(logger);
  }

  get connected(): boolean {
    return this.#isUp && !this.connection.isClosed();
  }

  /**
   * Runs something that needs the connection and gives its failures as ours. Throws `bus/unavailable` at once without a
   * connection (the client itself would let the caller wait out its timeout), and when it is lost meanwhile.
   */
  async run<T>(doing: string, work: () => Promise<T>): Promise<T> {
    if (!this.connected) throw unavailable();
    const { signal } = this.#up;
    try {
      return await within(work(), { ms: MAX_WAIT_MS, signal, late: () => new HivekeepError('bus/timeout', `${doing}: no answer in time`) });
    } catch (thrown) {
      throw natsError(thrown, doing);
    }
  }

  /** Calls the listener after each reconnect. Returns what ends that. */
  onReconnect(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async #follow(logger: Logger): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect' || status.type === 'close') this.#lose(logger, status.type);
      if (status.type === 'reconnect') this.#restore(logger);
      if (status.type === 'error') logger.warn('bus error', { error: status.error });
    }
    this.#lose(logger, 'close');
  }

  #lose(logger: Logger, how: string): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    connected.set(0);
    if (how === 'disconnect') logger.warn('bus disconnected');
    this.#up.abort(unavailable());
  }

  #restore(logger: Logger): void {
    this.#isUp = true;
    connected.set(1);
    reconnects.inc();
    this.#up = new AbortController();
    logger.info('bus connected again');
    for (const listener of this.#listeners) listener();
  }
}

function unavailable(): HivekeepError {
  return new HivekeepError('bus/unavailable', 'not connected to the bus; it is tried again all the time');
}
