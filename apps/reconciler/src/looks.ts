import { setImmediate } from 'node:timers/promises';
import type { World } from './world.ts';

/** Shares looks at the swarm: callers of the same moment get one, those that ask while it is under way get the next one together. */
export class Looks {
  readonly #read: () => Promise<World>;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<World> | undefined;
  #last: World | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(read: () => Promise<World>) {
    this.#read = read;
  }

  /** The last complete look; undefined before the first. */
  get last(): World | undefined {
    return this.#last;
  }

  /** Milliseconds since the last complete look; infinite before the first. */
  get ageMs(): number {
    return performance.now() - this.#lastAt;
  }

  /** A look that was begun after this call. Throws `swarm/*`: an unread swarm is unknown, never empty. */
  fresh(): Promise<World> {
    this.#next ??= this.#look();
    return this.#next;
  }

  async #look(): Promise<World> {
    // not before the one under way has ended, and all who ask at this moment (the passes of a tick) have come
    await Promise.allSettled([this.#running, setImmediate()]);
    this.#next = undefined;
    const reading = this.#read();
    this.#running = reading;
    const world = await reading;
    this.#last = world;
    this.#lastAt = performance.now();
    return world;
  }
}
