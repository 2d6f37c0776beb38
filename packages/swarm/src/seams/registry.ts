import type { Backend } from './backend.ts';
import type { SwarmTarget } from './target.ts';

export interface Registry {
  /** The same instance for the same target: it is asked on every tick. @throws HivekeepError `swarm/unknown` */
  backend(target: SwarmTarget): Backend;
}

export interface Lister {
  /** Every swarm that can be resolved, the home one included. */
  swarms(): Promise<readonly SwarmTarget[]>;
}
