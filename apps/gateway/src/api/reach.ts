import { HivekeepError, type ReplyOf, type RequestInput, type Rpc, type SwarmEntry } from '@hivekeep/contracts';
import { BUS, type Bus } from '@hivekeep/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { Catalog } from '../views/catalog.ts';

/** Calls to reconcilers, refused at once where nobody would answer. */
@Injectable()
export class Reach {
  readonly #catalog: Catalog;
  readonly #bus: Bus;

  constructor(@Inject(Catalog) catalog: Catalog, @Inject(BUS) bus: Bus) {
    this.#catalog = catalog;
    this.#bus = bus;
  }

  /** The swarm asked for, or the only one. Throws `usage/invalid` when there are several, `swarm/unknown` when there is none of that name. */
  swarm(asked: string | undefined): string {
    const served = this.#catalog.swarms().filter((swarm) => swarm.state !== 'unserved');
    if (asked !== undefined) {
      if (served.some((swarm) => swarm.name === asked)) return asked;
      throw new HivekeepError('swarm/unknown', `no reconciler has served swarm '${asked}'; known: ${nameList(served)}`);
    }
    const [only, ...others] = served;
    if (only === undefined) throw new HivekeepError('swarm/unreachable', 'no reconciler has been heard yet; start one');
    if (others.length === 0) return only.name;
    throw new HivekeepError('usage/invalid', `several swarms are served: say which with ?swarm=NAME (${nameList(served)})`);
  }

  /**
   * `requestId`: of the HTTP request it is for, so that the logs of both sides tell of it by one id.
   * Throws `swarm/unreachable` for a swarm that is silent, instead of a wait that ends in nothing.
   */
  async call<C extends Rpc>(contract: C, swarm: string, request: RequestInput<C>, requestId: string): Promise<ReplyOf<C>> {
    const entry = this.#catalog.swarms().find(({ name }) => name === swarm);
    if (entry === undefined || entry.state === 'silent' || entry.state === 'unserved')
      throw new HivekeepError('swarm/unreachable', entry?.message ?? `no reconciler serves swarm '${swarm}'`);
    return this.#bus.call(contract, { swarm }, request, { requestId });
  }
}

const nameList = (swarms: readonly SwarmEntry[]) => swarms.map(({ name }) => name).join(', ') || 'none';
