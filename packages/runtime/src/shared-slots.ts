import { hasRoom, type SharedLimits } from './has-room.ts';

interface Owner {
  readonly name: string;
  running: number;
  readonly queue: (() => void)[];
}

/** Runs tasks of many owners so that those of one do not wait for another's: `hasRoom` says how many at a time. */
export class SharedSlots {
  readonly #limits: SharedLimits;
  /** Those with a task. */
  readonly #owners = new Map<string, Owner>();
  #running = 0;

  constructor(limits: SharedLimits) {
    this.#limits = limits;
  }

  /**
   * Gives what the task gives; tasks of one owner start in order of arrival. A task that waits can't be cancelled here: it
   * looks at its own signal when it starts.
   */
  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const owner = this.#owners.get(name) ?? { name, running: 0, queue: [] };
    if (this.#hasRoom(owner)) this.#take(owner);
    else await new Promise<void>((resolve) => owner.queue.push(resolve));
    try {
      return await task();
    } finally {
      this.#give(owner);
    }
  }

  #hasRoom({ running }: Owner): boolean {
    return hasRoom(this.#limits, { own: running, all: this.#running });
  }

  #take(owner: Owner): void {
    owner.running += 1;
    this.#running += 1;
    this.#owners.set(owner.name, owner);
  }

  /** Hands the slot on before anyone else can take it: to who runs the fewest, so that nobody waits who runs none. */
  #give(owner: Owner): void {
    owner.running -= 1;
    this.#running -= 1;
    const waiting = [...this.#owners.values()].filter((each) => each.queue.length > 0 && this.#hasRoom(each));
    const [next] = waiting.toSorted((a, b) => a.running - b.running);
    if (next) this.#take(next);
    next?.queue.shift()?.();
    if (owner.running === 0) this.#owners.delete(owner.name);
  }
}
