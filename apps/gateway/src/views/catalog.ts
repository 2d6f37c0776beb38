import { type AppSetStatus, HivekeepError, HUB, type Presence, type SwarmEntry, sourceCalls } from '@hivekeep/contracts';
import { type Bus, type EventSubscription, hedged, type Logger } from '@hivekeep/runtime';
import type { GatewayConfig } from '../gateway-config.ts';
import { poll } from '../polling.ts';
import { type AppSetKnowledge, appSetStatus } from './app-set-status.ts';
import { type ApplicationEntry, applicationEntries, type NamedApplication } from './application-views.ts';
import { swarmEntries } from './swarm-entries.ts';
import { ViewStore } from './view-store.ts';

/** How many presence readings may fail before nobody counts as present. */
const MISSED_READINGS = 3;
/** How soon a source that did not answer is asked again, in ms. */
const APP_SET_RETRY_MS = 5_000;

/** Everything the API lists, kept in memory: views as they change, presence and the app set on an interval. */
export class Catalog {
  readonly #views = new ViewStore();
  readonly #bus: Bus;
  readonly #config: GatewayConfig;
  readonly #logger: Logger;
  #presences: readonly Presence[] = [];
  #presencesAt = 0;
  readonly #presentAt = new Map<string, number>();
  #appSet: AppSetKnowledge = {};
  #watch: EventSubscription | undefined;
  #polls: Promise<void>[] = [];

  constructor(bus: Bus, config: GatewayConfig, logger: Logger) {
    this.#bus = bus;
    this.#config = config;
    this.#logger = logger;
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#watch = await this.#bus.views.watch(
      (change) => {
        if (!this.#views.apply(change, Date.now())) this.#logger.warn('view ignored: unknown shape', { key: change.key });
      },
      () => this.#views.markReady(),
    );
    this.#polls = [
      poll(this.#config.presenceIntervalMs, signal, () => this.#readPresence()),
      poll(this.#config.appSetIntervalMs, signal, (stop) => this.#readAppSet(stop)),
    ];
  }

  /** Resolves when nothing of it runs any more; the signal given to `start` must have aborted. */
  async stop(): Promise<void> {
    await this.#watch?.close();
    await Promise.all(this.#polls);
  }

  get ready(): boolean {
    return this.#views.ready && this.#presencesAt > 0;
  }

  /** Throws `bus/unavailable` until views and presence were read once: an empty list must mean that there is nothing. */
  swarms(): SwarmEntry[] {
    if (!this.ready) throw new HivekeepError('bus/unavailable', 'the gateway has not read the views yet; try again in a moment');
    const now = Date.now();
    const present = now - this.#presencesAt <= MISSED_READINGS * this.#config.presenceIntervalMs + 1_000;
    return swarmEntries({
      held: this.#views.swarms(),
      presences: present ? this.#presences : [],
      presentAt: this.#presentAt,
      named: this.#named().flatMap(({ swarm }) => (swarm === '' ? [] : [swarm])),
      now,
      silentAfterMs: this.#config.silentAfterMs,
    });
  }

  /** Throws as `swarms` does. */
  applications(): ApplicationEntry[] {
    return applicationEntries(this.#named(), this.#views.applications(), this.swarms());
  }

  /** The application of that name: where the app set says, or on the swarm asked for. Throws `application/unknown`. */
  application(name: string, swarm?: string): ApplicationEntry {
    const found = this.applications().find((entry) => entry.name === name && (swarm === undefined || entry.swarm === swarm));
    if (found) return found;
    throw new HivekeepError(
      'application/unknown',
      `no application '${name}'${swarm === undefined ? '' : ` on swarm '${swarm}'`}; GET /api/v1/applications lists them`,
    );
  }

  appSet(): AppSetStatus {
    return appSetStatus(
      this.#appSet,
      [...this.#views.swarms().values()].map((held) => held.view),
    );
  }

  #named(): readonly NamedApplication[] {
    const answer = this.#appSet.answer;
    if (answer === undefined) return [];
    return [...answer.applications.map((spec) => ({ name: spec.name, swarm: spec.destination.swarm ?? '' })), ...answer.others];
  }

  /** Asks for the log of events, too: only a gateway may make it, and reconcilers wait for it. */
  async #readPresence(): Promise<undefined> {
    try {
      await this.#bus.events.logId();
      this.#presences = await this.#bus.presence.list();
      this.#presencesAt = Date.now();
      for (const { service, swarm, at } of this.#presences)
        if (service === 'reconciler' && swarm !== undefined) this.#presentAt.set(swarm, Date.parse(at) || Date.now());
    } catch (error) {
      this.#logger.warn('presence cannot be read', { error });
    }
  }

  async #readAppSet(signal: AbortSignal): Promise<number | undefined> {
    const have = this.#appSet.answer?.revision;
    try {
      const ask = (own: AbortSignal) =>
        this.#bus.call(sourceCalls.appSet, { swarm: HUB }, { home: false, ...(have && { have }) }, { signal: own });
      const answer = await hedged(ask, { signal });
      this.#appSet = { answer };
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const failure = HivekeepError.from(error).toWire();
      this.#appSet = { ...this.#appSet, failure };
      this.#logger.warn('the app set cannot be read', { code: failure.code, error: failure.message });
      return Math.min(APP_SET_RETRY_MS, this.#config.appSetIntervalMs);
    }
  }
}
