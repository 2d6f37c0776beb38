import type { World } from './world.ts';

/** Shares looks at the swarm: callers that ask while one is under way get the next one together. */
export class Looks {
  readonly #read: () => Promise<World>;
  #running: Promise<World> | undefined;
  #next: Promise<World> | undefined;
  #last: World | undefined;

  constructor(read: () => Promise<World>) {
    this.#read = read;
  }

  /** The last complete look; undefined before the first. */
  get last(): World | undefined {
    return this.#last;
  }

  /** A look that was begun after this call. Throws `swarm/*`: an unread swarm is unknown, never empty. */
  fresh(): Promise<World> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<World> {
    this.#next = undefined;
    const look = this.#read()
      .then((world) => {
        this.#last = world;
        return world;
      })
      .finally(() => {
        if (this.#running === look) this.#running = undefined;
      });
    this.#running = look;
    return look;
  }
}
