import { type Event, type EventType, HivekeepError, type Status, SwarmView, View } from '@hivekeep/contracts';
import type { Bus, Logger } from '@hivekeep/runtime';
import { onlyRelease } from './only-release.ts';
import { reconcilerMetrics } from './reconciler-metrics.ts';

/** Events that wait for the log while it can't be reached; beyond this the oldest are dropped, but for the one that may be on its way. */
const QUEUED_EVENTS = 1_000;
/** Characters of an event's message; the log takes 64 KiB an event. */
const MESSAGE_CHARS = 8_000;
/** Characters of JSON that one swarm's views may have in all: the store, which all swarms share, has room for sixteen such swarms. */
const VIEWS_CHARS = 16 * 1024 * 1024;
/** Views stored or read at once. */
const AT_ONCE = 32;

export interface EventDetails {
  readonly application?: string;
  readonly revision?: string;
  readonly message?: string;
  readonly actor?: string;
  /** The one it is of, for the log alone; the application's only one when absent. */
  readonly release?: string | undefined;
}

/** The only writer of views and events of one swarm. Never throws and never waits: what can't be told now is told later. */
export class Board {
  readonly #bus: Bus;
  readonly #swarm: string;
  readonly #logger: Logger;
  readonly #now: () => Date;
  /** What each view should be, and what was last stored of it. */
  #wanted = new Map<string, { value: View | SwarmView; text: string }>();
  #stored = new Map<string, string>();
  /** Characters of each view that was put whole. */
  readonly #sizes = new Map<string, number>();
  /** Of applications by name, as an earlier term left it. */
  readonly #told = new Map<string, Status>();
  readonly #events: Event[] = [];
  /** Events dropped since the bus took the last one that waited. */
  #dropped = 0;
  #adopted = false;
  /** Aborted when the term is over. */
  #term = new AbortController();
  #storeId = '';
  #flushing: Promise<void> | undefined;

  constructor(bus: Bus, swarm: string, logger: Logger, now: () => Date) {
    this.#bus = bus;
    this.#swarm = swarm;
    this.#logger = logger;
    this.#now = now;
  }

  application(view: View): void {
    const { observedAt: _, ...material } = view.status;
    const told = { spec: view.spec, status: material satisfies Partial<Status> };
    this.#want(this.#keyOf(view.spec.name), view, JSON.stringify(told));
  }

  removeApplication(name: string): void {
    if (this.#term.signal.aborted) return;
    this.#wanted.delete(this.#keyOf(name));
    this.#told.delete(name);
    this.#flush();
  }

  swarm(view: SwarmView): void {
    this.#want(`${this.#swarm}.swarm`, view, JSON.stringify(view));
  }

  /** `actor` is who asked for what set this off; empty: the controller by itself. */
  event(type: EventType, details: EventDetails = {}): void {
    const { application = '', message, release = this.#onlyRelease(application), ...rest } = details;
    this.#events.push({
      application,
      swarm: this.#swarm,
      type,
      at: this.#now()
        .toISOString()
        .replace(/\.\d{3}Z$/, 'Z'),
      ...rest,
      ...(message !== undefined && { message: message.length > MESSAGE_CHARS ? `${message.slice(0, MESSAGE_CHARS)}…` : message }),
    });
    if (this.#events.length > QUEUED_EVENTS) this.#drop();
    this.#logger[levelOf(type)](details.message ?? type, {
      application,
      release,
      event: type,
      ...(details.revision && { revision: details.revision }),
    });
    this.#flush();
  }

  /** A term is over: none of its views is told any more, also while it stops, since another holder puts newer ones. Events stay. */
  forget(): void {
    this.#wanted = new Map();
    this.#stored = new Map();
    this.#adopted = false;
    this.#term.abort(new HivekeepError('cancelled', 'the term is over'));
  }

  /** A term begins, and the one before has stopped. */
  begin(): void {
    this.#term = new AbortController();
  }

  /** Once in a term, when its first set stands: the views an earlier one left of applications that are gone are removed. */
  async adopt(): Promise<void> {
    if (this.#adopted || this.#term.signal.aborted) return;
    const stored = this.#stored;
    try {
      const keys = await this.#applicationKeys();
      if (stored !== this.#stored) return; // the term is over: what it does not tell of is not gone
      for (const key of keys) if (!stored.has(key)) stored.set(key, '');
    } catch (error) {
      this.#logger.warn('the views of an earlier term could not be read; the next load tries again', { error });
      return;
    }
    this.#adopted = true;
    for (const name of this.#told.keys()) if (!this.#wanted.has(this.#keyOf(name))) this.#told.delete(name);
  }

  /** Reads what an earlier term or process told last, so that its changes are not told again. Gives the swarm's view. */
  async recall(): Promise<SwarmView | undefined> {
    this.#told.clear();
    try {
      const keys = await this.#applicationKeys();
      for (let at = 0; at < keys.length; at += AT_ONCE) {
        const read = keys.slice(at, at + AT_ONCE).map(async (key) => {
          const view = View.safeParse(await this.#bus.views.get(key));
          if (view.success) this.#told.set(view.data.spec.name, view.data.status);
        });
        await Promise.all(read);
      }
      return SwarmView.safeParse(await this.#bus.views.get(`${this.#swarm}.swarm`)).data;
    } catch (error) {
      this.#logger.warn('what was told before could not be read; events may be told again', { error });
      return undefined;
    }
  }

  /** Whether an earlier term told of applications at all. */
  get toldBefore(): boolean {
    return this.#told.size > 0;
  }

  /** What an earlier term told last of an application that has been in the set since. */
  told(application: string): Status | undefined {
    return this.#told.get(application);
  }

  /** Puts all views again when their store was made anew; called each tick. */
  async check(): Promise<void> {
    try {
      const id = await this.#bus.views.storeId();
      if (id !== this.#storeId) this.#stored.clear();
      this.#storeId = id;
    } catch {
      return;
    }
    this.#flush();
  }

  /** Ends when everything told so far is stored, or could not be. */
  async settled(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  #keyOf(application: string): string {
    return `${this.#swarm}.application.${application}`;
  }

  #onlyRelease(application: string): string | undefined {
    const view = this.#wanted.get(this.#keyOf(application))?.value;
    return view && 'status' in view ? onlyRelease(view.status) : undefined;
  }

  async #applicationKeys(): Promise<string[]> {
    return (await this.#bus.views.keys(this.#swarm)).filter((key) => key.startsWith(this.#keyOf('')));
  }

  #want(key: string, value: View | SwarmView, text: string): void {
    if (this.#term.signal.aborted || this.#wanted.get(key)?.text === text) return;
    this.#wanted.set(key, { value, text });
    this.#flush();
  }

  #flush(): void {
    this.#flushing ??= this.#flushOnce().finally(() => {
      this.#flushing = undefined;
    });
  }

  /** What can't be stored of the one keeps nothing of the other back. Again for events that came while views were stored. */
  async #flushOnce(): Promise<void> {
    await Promise.resolve();
    let failed = false;
    do {
      for (const flush of [() => this.#flushEvents(), () => this.#flushViews()]) {
        try {
          await flush();
        } catch (error) {
          failed = true;
          this.#logger.warn('views or events could not be stored; they are kept and tried again at the next tick', { error });
        }
      }
    } while (!failed && this.#events.length > 0);
  }

  #drop(): void {
    this.#events.splice(1, 1);
    this.#dropped += 1;
    reconcilerMetrics.eventsDropped.inc();
  }

  async #flushEvents(): Promise<void> {
    try {
      for (let [event] = this.#events; event; [event] = this.#events) {
        await this.#publish(event);
        this.#events.shift();
      }
      if (this.#dropped > 0)
        this.#logger.warn('the bus takes events again; those dropped meanwhile are in this log alone', { dropped: this.#dropped });
      this.#dropped = 0;
    } finally {
      reconcilerMetrics.eventsQueued.set(this.#events.length);
    }
  }

  /** One that the log will never take is told to the service's own log alone: those behind it must not wait for ever. */
  async #publish(event: Event): Promise<void> {
    try {
      await this.#bus.events.publish(event);
    } catch (error) {
      if (!HivekeepError.is(error, 'bus/too-large', 'bus/invalid-message')) throw error;
      this.#logger.error('an event was refused and is dropped', { application: event.application, event: event.type, error });
    }
  }

  async #flushViews(): Promise<void> {
    for (;;) {
      // those of one term: what is stored after `forget` is noted where nobody looks
      const [wanted, stored, { signal }] = [this.#wanted, this.#stored, this.#term];
      const changed = [...wanted].filter(([key, { text }]) => stored.get(key) !== text);
      const gone = [...stored.keys()].filter((key) => !wanted.has(key));
      reconcilerMetrics.viewsQueued.set(changed.length + gone.length);
      if (changed.length === 0 && gone.length === 0) return;
      const puts = changed.slice(0, AT_ONCE).map(async ([key, { value, text }]) => {
        await this.#put(key, value, text.length, signal);
        stored.set(key, text);
      });
      const removals = gone.slice(0, AT_ONCE).map(async (key) => {
        await this.#bus.views.remove(key, signal);
        stored.delete(key);
        this.#sizes.delete(key);
      });
      const failed = (await Promise.allSettled([...puts, ...removals])).find((each) => each.status === 'rejected');
      if (failed && !signal.aborted) throw failed.reason;
    }
  }

  /**
   * A view that is too large for the bus, or for which this swarm has no room left, is put without its releases, and says so: an old
   * one in its place would be a lie.
   */
  async #put(key: string, value: View | SwarmView, size: number, signal: AbortSignal): Promise<void> {
    this.#sizes.set(key, size);
    const fits = [...this.#sizes.values()].reduce((sum, each) => sum + each, 0) <= VIEWS_CHARS;
    try {
      if (!fits && 'status' in value) throw new HivekeepError('bus/too-large', 'the views of this swarm are too large in all');
      await this.#bus.views.put(key, value, signal);
    } catch (error) {
      if (!HivekeepError.is(error, 'bus/too-large') || !('status' in value)) throw error;
      this.#sizes.delete(key);
      await this.#bus.views.put(key, withoutReleases(value), signal);
    }
  }
}

function withoutReleases({ spec, status: { releases: _, ...status } }: View): View {
  const told = { rule: 'view', message: 'the status of its releases is too large to be shown' };
  return { spec, status: { ...status, warnings: [...(status.warnings ?? []), told] } };
}

function levelOf(type: EventType): 'error' | 'warn' | 'info' {
  if (type === 'sync-failed') return 'error';
  if (
    [
      'prune-failed',
      'prune-held',
      'resources-pruned',
      'live-drift-detected',
      'drift-converged',
      'self-update-issued',
      'out-of-band-write',
      'lease-lost',
    ].includes(type)
  )
    return 'warn';
  return 'info';
}
