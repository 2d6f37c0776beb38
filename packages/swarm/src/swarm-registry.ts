import { HivekeepError } from '@hivekeep/contracts';
import type { Backend } from './seams/backend.ts';
import type { Lister, Registry } from './seams/registry.ts';
import type { SwarmTarget } from './seams/target.ts';

/** The one swarm of a reconciler: by its name, and as the empty destination where it is the home one. */
export class SingleSwarmRegistry implements Registry, Lister {
  readonly #backend: Backend;
  readonly #home: boolean;

  constructor(options: { backend: Backend; home: boolean }) {
    this.#backend = options.backend;
    this.#home = options.home;
  }

  backend({ swarm }: SwarmTarget): Backend {
    if (swarm === this.#backend.target.swarm || (swarm === '' && this.#home)) return this.#backend;
    throw new HivekeepError(
      'swarm/unknown',
      `this reconciler serves swarm ${this.#backend.target.swarm}, not ${swarm || 'the home swarm'}`,
    );
  }

  async swarms(): Promise<SwarmTarget[]> {
    return [this.#backend.target, ...(this.#home ? [{ swarm: '' }] : [])];
  }
}
