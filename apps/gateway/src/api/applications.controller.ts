import { type DiffResponse, type History, httpApi, reconcilerCalls, type View } from '@hivekeep/contracts';
import { Body, Controller, Header, Inject, Param, Query, Req } from '@nestjs/common';
import type { AuthorizedRequest } from '../auth/auth.guard.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import { Endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-body.ts';
import { AUTHORIZER } from '../tokens.ts';
import { Catalog } from '../views/catalog.ts';
import { ApplicationList } from './application-list.ts';
import { visibleNames } from './narrowing.ts';
import { Reach } from './reach.ts';

@Controller()
export class ApplicationsController {
  readonly #catalog: Catalog;
  readonly #reach: Reach;
  readonly #authorizer: Authorizer;
  readonly #list = new ApplicationList();

  constructor(@Inject(Catalog) catalog: Catalog, @Inject(Reach) reach: Reach, @Inject(AUTHORIZER) authorizer: Authorizer) {
    this.#catalog = catalog;
    this.#reach = reach;
    this.#authorizer = authorizer;
  }

  @Endpoint(httpApi.applications)
  @Header('content-type', 'application/json; charset=utf-8')
  async list(@Req() { subject }: AuthorizedRequest, @Query('swarm') swarm?: string): Promise<Buffer> {
    const entries = this.#catalog.applications().filter((entry) => swarm === undefined || entry.swarm === swarm);
    const visible = await visibleNames(
      this.#authorizer,
      subject,
      entries.map((entry) => entry.name),
    );
    return this.#list.body(entries.filter((entry) => visible.has(entry.name)).map(({ view }) => view));
  }

  @Endpoint(httpApi.application)
  get(@Param('app') app: string, @Query('swarm') swarm?: string): View {
    return this.#catalog.application(app, swarm).view;
  }

  @Endpoint(httpApi.diff)
  async diff(
    @Req() { id: requestId }: AuthorizedRequest,
    @Param('app') app: string,
    @Query('swarm') swarm?: string,
  ): Promise<DiffResponse> {
    return this.#reach.call(reconcilerCalls.diff, this.#swarmOf(app, swarm), { application: app }, requestId);
  }

  @Endpoint(httpApi.history)
  async history(@Req() { id: requestId }: AuthorizedRequest, @Param('app') app: string, @Query('swarm') swarm?: string): Promise<History> {
    return this.#reach.call(reconcilerCalls.history, this.#swarmOf(app, swarm), { application: app }, requestId);
  }

  @Endpoint(httpApi.sync)
  async sync(@Req() { id: requestId, subject }: AuthorizedRequest, @Param('app') app: string, @Query('swarm') swarm?: string) {
    return this.#reach.call(reconcilerCalls.sync, this.#swarmOf(app, swarm), { application: app, actor: subject.name }, requestId);
  }

  @Endpoint(httpApi.refresh)
  async refresh(@Req() { id: requestId, subject }: AuthorizedRequest, @Param('app') app: string, @Query('swarm') swarm?: string) {
    return this.#reach.call(reconcilerCalls.refresh, this.#swarmOf(app, swarm), { application: app, actor: subject.name }, requestId);
  }

  @Endpoint(httpApi.rollback)
  async rollback(
    @Req() { id: requestId, subject }: AuthorizedRequest,
    @Param('app') app: string,
    @Body() body: unknown,
    @Query('swarm') swarm?: string,
  ) {
    const { release, to } = parseBody(httpApi.rollback.body, body);
    const asked = { application: app, actor: subject.name, ...(release !== undefined && { release }), ...(to !== undefined && { to }) };
    return this.#reach.call(reconcilerCalls.rollback, this.#swarmOf(app, swarm), asked, requestId);
  }

  @Endpoint(httpApi.pause)
  async pause(
    @Req() { id: requestId, subject }: AuthorizedRequest,
    @Param('app') app: string,
    @Body() body: unknown,
    @Query('swarm') swarm?: string,
  ) {
    const { reason = '' } = parseBody(httpApi.pause.body, body);
    return this.#reach.call(reconcilerCalls.pause, this.#swarmOf(app, swarm), { application: app, actor: subject.name, reason }, requestId);
  }

  @Endpoint(httpApi.resume)
  async resume(@Req() { id: requestId, subject }: AuthorizedRequest, @Param('app') app: string, @Query('swarm') swarm?: string) {
    return this.#reach.call(reconcilerCalls.resume, this.#swarmOf(app, swarm), { application: app, actor: subject.name }, requestId);
  }

  #swarmOf(app: string, swarm: string | undefined): string {
    return this.#catalog.application(app, swarm).swarm;
  }
}
