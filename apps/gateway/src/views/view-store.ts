import { SwarmView, View } from '@hivekeep/contracts';
import type { ViewChange } from '@hivekeep/runtime';

export interface HeldApplication {
  readonly swarm: string;
  readonly name: string;
  readonly view: View;
}

export interface HeldSwarm {
  readonly view: SwarmView;
  /** When it was put, in ms of this process' clock; of views found at the start the reconciler's own word, never the future. */
  readonly heardAt: number;
}

/** What reconcilers have put, by (swarm, application), in memory. */
export class ViewStore {
  readonly #applications = new Map<string, HeldApplication>();
  readonly #swarms = new Map<string, HeldSwarm>();
  #ready = false;

  get ready(): boolean {
    return this.#ready;
  }

  markReady(): void {
    this.#ready = true;
  }

  /**
   * Takes one change. False: the key or value is none of ours, which a newer reconciler may put, and is ignored; what was said of that
   * application before is forgotten, since it is no longer so.
   */
  apply({ key, value }: ViewChange, now: number): boolean {
    const parsed = /^([^.]+)\.(?:swarm|application\.(.+))$/.exec(key);
    const swarm = parsed?.[1];
    if (swarm === undefined) return false;
    const name = parsed?.[2];
    return name === undefined ? this.#applySwarm(swarm, value, now) : this.#applyApplication(key, swarm, name, value);
  }

  applications(): HeldApplication[] {
    return [...this.#applications.values()];
  }

  swarms(): ReadonlyMap<string, HeldSwarm> {
    return this.#swarms;
  }

  #applySwarm(swarm: string, value: unknown, now: number): boolean {
    if (value === undefined) {
      this.#swarms.delete(swarm);
      return true;
    }
    const view = SwarmView.safeParse(value);
    if (!view.success) return false;
    const said = Date.parse(view.data.observedAt);
    this.#swarms.set(swarm, { view: view.data, heardAt: this.#ready || Number.isNaN(said) ? now : Math.min(now, said) });
    return true;
  }

  #applyApplication(key: string, swarm: string, name: string, value: unknown): boolean {
    if (value === undefined) {
      this.#applications.delete(key);
      return true;
    }
    const view = View.safeParse(value);
    if (!view.success) {
      this.#applications.delete(key);
      return false;
    }
    this.#applications.set(key, { swarm, name, view: view.data });
    return true;
  }
}
