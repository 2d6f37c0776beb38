import { labels } from '@hivekeep/application';
import { canonicalJson, HivekeepError } from '@hivekeep/contracts';
import type { LiveService, SwarmSnapshot } from '@hivekeep/planner';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import { type ConfigDataReader, ConfigTable } from './config-table.ts';
import { followEvents, type Hint, type ObjectKind } from './event-stream.ts';
import { type OwnWrite, OwnWrites } from './own-writes.ts';

/** Something changed that this process did not write, or (`resync`) hints may have been lost and everything should be looked at. */
export type SwarmChange =
  | { readonly kind: ObjectKind; readonly id: string; readonly name: string; readonly action: Hint['action']; readonly stack?: string }
  | { readonly kind: 'resync' };

export interface SwarmWatcherOptions {
  readonly swarm: DockerSwarm;
  /** Gets the data of the configs it wants as they are read. */
  readonly configData?: ConfigDataReader;
  /** The wall clock for `takenAt`, in milliseconds. */
  readonly now?: () => number;
  readonly monotonicNow?: () => number;
  /** How often all configs are read again although no hint asked for it. */
  readonly resyncEveryMs?: number;
}

interface Told {
  readonly spec: string;
  readonly stack: string | undefined;
}

/** Leases, states and intents; records of releases are named otherwise. */
const BOOKKEEPING_PREFIX = 'hivekeep.';
const RESYNC_EVERY_MS = 10 * 60_000;

/**
 * The swarm in memory. The events stream marks objects dirty and does nothing else; `refresh` reads what must be read, in 5 calls
 * (6 with tasks) whatever the number of applications, plus one for each config a hint named.
 */
export class SwarmWatcher {
  readonly #swarm: DockerSwarm;
  readonly #configs: ConfigTable;
  readonly #options: SwarmWatcherOptions;
  readonly #own = new OwnWrites();
  /** The spec of each service as last told, so that swarm's bookkeeping (new index, same spec) tells nobody anything. */
  readonly #told = new Map<string, Told>();
  /** Services we made and have not read yet: a spec that nobody has replaced since is what we wrote. */
  readonly #created = new Set<string>();
  readonly #pending = new Map<string, Hint>();
  readonly #listeners = new Set<(change: SwarmChange) => void>();
  readonly #stopping = new AbortController();
  #draining = false;
  #connected = false;
  #following: Promise<void> | undefined;
  #lastFullAt = Number.NEGATIVE_INFINITY;
  #error: HivekeepError | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SwarmWatcherOptions) {
    this.#options = options;
    this.#swarm = options.swarm;
    this.#configs = new ConfigTable(options.swarm, options.configData);
  }

  /** Whether the events stream is open. */
  get connected(): boolean {
    return this.#connected;
  }
  /** Why the events stream is not open. */
  get error(): HivekeepError | undefined {
    return this.#error;
  }

  /** Follows the events until `stop`. */
  start(): void {
    this.#following ??= followEvents(
      this.#swarm,
      { hint: (hint) => this.#take(hint), connected: () => this.#onConnected(), disconnected: (error) => this.#onDisconnected(error) },
      this.#stopping.signal,
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  /** `listener` runs at once for each change of others. Gives back how to end that. */
  onChanged(listener: (change: SwarmChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Has the next refresh read everything. */
  resync(): void {
    this.#configs.mark();
  }

  /**
   * The swarm now. An error when any part can't be read: an unread swarm is unknown, never empty.
   * @throws HivekeepError `swarm/*`, `cancelled`
   */
  refresh(options: { withTasks: boolean; signal?: AbortSignal }): Promise<SwarmSnapshot> {
    const turn = this.#turn.then(() => this.#read(options));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /**
   * Runs a write of ours so that its echo in the events makes nobody react.
   * @returns what `write` gives; @throws what `write` throws
   */
  async own<T extends { readonly id: string } | undefined>(write: OwnWrite, send: () => Promise<T>): Promise<T> {
    this.#own.begin(write);
    let id: string | undefined;
    try {
      const result = await send();
      id = result?.id ?? write.id;
      if (write.kind === 'config' && id) this.#configs.mark(id);
      if (write.kind === 'service' && id && write.action === 'update') await this.#rebase(id);
      if (write.kind === 'service' && id && write.action === 'create') this.#created.add(id);
      return result;
    } finally {
      for (const hint of this.#own.end(write, write.kind === 'service' && write.action === 'update' ? undefined : id)) this.#take(hint);
    }
  }

  async #read({ withTasks, signal }: { withTasks: boolean; signal?: AbortSignal }): Promise<SwarmSnapshot> {
    const started = (this.#options.monotonicNow ?? (() => performance.now()))();
    const full = !this.#connected || started - this.#lastFullAt >= (this.#options.resyncEveryMs ?? RESYNC_EVERY_MS);
    if (full) this.#configs.mark();
    const call = signal ? { signal } : {};
    const [services, networks, configs, secrets, nodes, tasks] = await Promise.all([
      this.#swarm.listServices(call),
      this.#swarm.listNetworks(call),
      this.#configs.refresh(signal),
      this.#swarm.listSecrets(call),
      this.#swarm.listNodes(call),
      withTasks ? this.#swarm.listTasks(call) : [],
    ]);
    if (full) this.#lastFullAt = started;
    this.#learn(services);
    return { takenAt: (this.#options.now ?? Date.now)(), services, networks, configs, secrets, nodes, tasks };
  }

  /** Specs seen for the first time are known from now on; those seen before change only when told. */
  #learn(services: readonly LiveService[]): void {
    const ids = new Set(services.map((service) => service.id));
    for (const id of this.#told.keys()) if (!ids.has(id)) this.#told.delete(id);
    for (const service of services) {
      this.#created.delete(service.id);
      if (!this.#told.has(service.id)) this.#told.set(service.id, toldOf(service));
    }
  }

  async #rebase(id: string): Promise<void> {
    try {
      this.#told.set(id, toldOf(await this.#swarm.inspectService(id)));
    } catch {
      // Not knowing what we wrote costs one needless look, when its echo comes.
      this.#told.delete(id);
    }
  }

  #onConnected(): void {
    this.#connected = true;
    this.#error = undefined;
    this.#own.forget();
    this.resync();
    this.#tell({ kind: 'resync' });
  }

  #onDisconnected(error: HivekeepError): void {
    this.#connected = false;
    this.#error = error;
  }

  #take(hint: Hint): void {
    if (hint.kind === 'config') {
      // Our leases, states and intents are listed by label at each look; the lease alone would wake us every 5 seconds.
      if (hint.name.startsWith(BOOKKEEPING_PREFIX)) return;
      this.#configs.mark(hint.id);
    }
    // A network can't be changed by anyone: its updates are swarm's allocation of addresses.
    if (hint.kind === 'network' && hint.action === 'update') return;
    if (this.#own.swallow(hint)) return;
    this.#pending.set(`${hint.kind}/${hint.id}`, hint);
    if (!this.#draining) this.#drain();
  }

  /** Outside the events loop, which must stay free to read. */
  async #drain(): Promise<void> {
    this.#draining = true;
    try {
      for (const [key, hint] of this.#pending) {
        if (this.#stopping.signal.aborted) return;
        this.#pending.delete(key);
        await this.#look(hint);
      }
    } finally {
      this.#draining = false;
    }
  }

  async #look(hint: Hint): Promise<void> {
    try {
      if (hint.kind === 'service') await this.#lookAtService(hint);
      else this.#tell(changeOf(hint, await this.#stackOf(hint)));
    } catch (error) {
      // What can't be read is told all the same: the reader's own look decides. What is gone again has a hint of its own.
      if (!HivekeepError.is(error, 'swarm/gone')) this.#tell(changeOf(hint, undefined));
    }
  }

  async #lookAtService(hint: Hint): Promise<void> {
    const before = this.#told.get(hint.id);
    const created = this.#created.delete(hint.id);
    if (hint.action === 'remove') {
      this.#told.delete(hint.id);
      return this.#tell(changeOf(hint, before?.stack));
    }
    const service = await this.#swarm.inspectService(hint.id);
    const now = toldOf(service);
    this.#told.set(hint.id, now);
    const asWeMadeIt = created && service.previousSpec === undefined;
    if (!asWeMadeIt && before?.spec !== now.spec) this.#tell(changeOf(hint, now.stack));
  }

  async #stackOf({ kind, id, action }: Hint): Promise<string | undefined> {
    if (kind === 'config') {
      const before = this.#configs.get(id);
      return ((await this.#configs.readOne(id)) ?? before)?.labels[labels.stack];
    }
    if (action === 'remove' || kind === 'node') return undefined;
    const object = kind === 'secret' ? await this.#swarm.inspectSecret(id) : await this.#swarm.inspectNetwork(id);
    return object.labels[labels.stack];
  }

  #tell(change: SwarmChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function changeOf({ kind, id, name, action }: Hint, stack: string | undefined): SwarmChange {
  return { kind, id, name, action, ...(stack !== undefined && { stack }) };
}

/** The spec without the index and the update's state, which swarm moves by itself. */
function toldOf(service: LiveService): Told {
  return { spec: canonicalJson(service.spec), stack: service.spec.Labels?.[labels.stack] };
}
