import { HivekeepError, type Spec, type View } from '@hivekeep/contracts';
import type { Driver } from '@hivekeep/swarm';
import type { Registrations } from './registrations.ts';
import { throwIfAborted } from './work/lane.ts';

export interface SwarmDriverTools {
  readonly registrations: Registrations;
  /** Told of the applications that joined, left, or are declared otherwise. */
  changed(change: { readonly removed: string[]; readonly replaced: string[]; readonly added: string[] }): void;
}

/**
 * Keeps the applications of a swarm as they are declared: each one held is brought up to date by passes of its own, whose last status is
 * what is observed. One that left is let go, not removed: only the sweep deletes, on its own evidence.
 */
export class SwarmDriver implements Driver<Spec, View> {
  readonly name = 'swarm';
  readonly #tools: SwarmDriverTools;
  #generation = 0;

  constructor(tools: SwarmDriverTools) {
    this.#tools = tools;
  }

  /** Throws `appset/stale` for an older generation than was seen, and `cancelled`. */
  async reconcile({ generation, complete, desired, signal }: Parameters<Driver<Spec, View>['reconcile']>[0]): Promise<View[]> {
    throwIfAborted(signal);
    if (generation < this.#generation)
      throw new HivekeepError(
        'appset/stale',
        `generation ${generation} of the application set is older than ${this.#generation}, which stands`,
      );
    this.#generation = generation;
    const { registrations, changed } = this.#tools;
    const names = new Set(desired.map(({ name }) => name));
    const kept = complete ? [] : registrations.all().flatMap(({ name, spec }) => (names.has(name) ? [] : [spec]));
    const change = await registrations.apply([...desired, ...kept]);
    if (change.added.length + change.removed.length + change.replaced.length > 0) changed(change);
    return desired.flatMap(({ name }) => {
      const entry = registrations.get(name);
      return entry ? [{ spec: entry.spec, status: entry.status }] : [];
    });
  }
}
