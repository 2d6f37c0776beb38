import { type Capabilities, type ControllerStatus, httpApi, type SwarmEntry } from '@hivekeep/contracts';
import { Controller, Inject, Req } from '@nestjs/common';
import type { AuthorizedRequest } from '../auth/auth.guard.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import { Endpoint } from '../http/endpoint.ts';
import { AUTHORIZER, VERSION } from '../tokens.ts';
import { Catalog } from '../views/catalog.ts';
import { narrowAppSet, visibleNames } from './narrowing.ts';

/** What a family client asks for; it reports and never gates. */
const FEATURES = { 'multi-swarm': true, sso: false, projects: false, audit: false, notifications: false };
const SEAMS = { fetcher: 'source', builder: 'source', registry: 'bus', lister: 'presence', engine: 'reconciler', nodeReach: 'node-agent' };

@Controller()
export class StatusController {
  readonly #catalog: Catalog;
  readonly #authorizer: Authorizer;
  readonly #version: string;

  constructor(@Inject(Catalog) catalog: Catalog, @Inject(AUTHORIZER) authorizer: Authorizer, @Inject(VERSION) version: string) {
    this.#catalog = catalog;
    this.#authorizer = authorizer;
    this.#version = version;
  }

  @Endpoint(httpApi.status)
  async status(@Req() { subject }: AuthorizedRequest): Promise<ControllerStatus> {
    const controller = await this.#authorizer.authorize(subject, 'controller', '');
    const names = this.#catalog.applications().map((entry) => entry.name);
    const appSet = this.#catalog.appSet();
    const asked = new Set([...names, ...appSet.orphaned, ...appSet.pruned, ...appSet.pruneHeldBy]);
    const visible = await visibleNames(this.#authorizer, subject, [...asked]);
    return {
      appSet: narrowAppSet(appSet, visible, controller),
      applications: names.filter((name) => controller || visible.has(name)).length,
      swarms: this.#catalog
        .swarms()
        .map(({ name, home, state, lastHeardAt }) => ({ name, home, state, ...(lastHeardAt && { lastHeardAt }) })),
    };
  }

  @Endpoint(httpApi.capabilities)
  async capabilities(@Req() { subject }: AuthorizedRequest): Promise<Capabilities> {
    const open = { edition: 'hivekeep', features: FEATURES };
    if (!(await this.#authorizer.authorize(subject, 'controller', ''))) return open;
    const swarms = this.#catalog.swarms().map((swarm) => [swarm.name, swarm.view?.capabilities ?? []] as const);
    return { ...open, version: this.#version, licence: { status: 'absent' }, seams: SEAMS, swarms: Object.fromEntries(swarms) };
  }

  @Endpoint(httpApi.swarms)
  async swarms(@Req() { subject }: AuthorizedRequest): Promise<{ swarms: SwarmEntry[] }> {
    const swarms = this.#catalog.swarms();
    if (await this.#authorizer.authorize(subject, 'controller', '')) return { swarms };
    return { swarms: swarms.map(({ view: _view, ...entry }) => entry) };
  }
}
