import { randomUUID } from 'node:crypto';
import type { EventSubscription, ViewChange, Views } from '../bus.ts';

/** Views within one process. */
export class MemoryViews implements Views {
  #id = randomUUID();
  readonly #values = new Map<string, string>();
  readonly #watchers = new Set<(change: ViewChange) => void>();

  async put(key: string, value: unknown): Promise<void> {
    const json = JSON.stringify(value);
    this.#values.set(key, json);
    this.#tell(key, json);
  }

  async remove(key: string): Promise<void> {
    if (this.#values.delete(key)) this.#tell(key, undefined);
  }

  async watch(deliver: (change: ViewChange) => void, ready: () => void): Promise<EventSubscription> {
    const own = (change: ViewChange) => deliver(change);
    const whileWatched = (work: () => void) => setImmediate(() => this.#watchers.has(own) && work());
    for (const [key, json] of this.#values) whileWatched(() => deliver({ key, value: JSON.parse(json) }));
    whileWatched(ready);
    this.#watchers.add(own);
    return { close: async () => void this.#watchers.delete(own) };
  }

  async get(key: string): Promise<unknown> {
    const json = this.#values.get(key);
    return json === undefined ? undefined : JSON.parse(json);
  }

  async keys(swarm: string): Promise<string[]> {
    return [...this.#values.keys()].filter((key) => key.startsWith(`${swarm}.`));
  }

  async storeId(): Promise<string> {
    return this.#id;
  }

  /** Forgets everything, as a lost volume does. */
  lose(): void {
    this.#id = randomUUID();
    const keys = [...this.#values.keys()];
    this.#values.clear();
    for (const key of keys) this.#tell(key, undefined);
  }

  #tell(key: string, json: string | undefined): void {
    for (const watcher of this.#watchers)
      setImmediate(() => this.#watchers.has(watcher) && watcher({ key, value: json === undefined ? undefined : JSON.parse(json) }));
  }
}
