import { httpApi, type PruneList, reconcilerCalls } from '@hivekeep/contracts';
import { Body, Controller, Inject, Param, Query, Req } from '@nestjs/common';
import type { AuthorizedRequest } from '../auth/auth.guard.ts';
import { Endpoint } from '../http/endpoint.ts';
import { parseBody } from '../http/parse-body.ts';
import { Reach } from './reach.ts';

/** What concerns a whole swarm: its sweeps and its freeze. */
@Controller()
export class PruneController {
  readonly #reach: Reach;

  constructor(@Inject(Reach) reach: Reach) {
    this.#reach = reach;
  }

  @Endpoint(httpApi.prune)
  async list(@Req() { id: requestId }: AuthorizedRequest, @Query('swarm') swarm?: string): Promise<PruneList> {
    return this.#reach.call(reconcilerCalls.pruneList, this.#reach.swarm(swarm), {}, requestId);
  }

  @Endpoint(httpApi.pruneApprove)
  async approve(
    @Req() { id: requestId, subject }: AuthorizedRequest,
    @Param('id') id: string,
    @Body() body: unknown,
    @Query('swarm') swarm?: string,
  ) {
    const { releases, swarm: named } = parseBody(httpApi.pruneApprove.body, body);
    const target = this.#reach.swarm(named ?? swarm);
    return this.#reach.call(reconcilerCalls.pruneApprove, target, { id, actor: subject.name, ...(releases && { releases }) }, requestId);
  }

  @Endpoint(httpApi.forgetNode)
  async forgetNode(@Req() { id: requestId, subject }: AuthorizedRequest, @Body() body: unknown, @Query('swarm') swarm?: string) {
    const { node, swarm: named } = parseBody(httpApi.forgetNode.body, body);
    return this.#reach.call(reconcilerCalls.pruneForgetNode, this.#reach.swarm(named ?? swarm), { node, actor: subject.name }, requestId);
  }

  @Endpoint(httpApi.freeze)
  async freeze(@Req() { id: requestId, subject }: AuthorizedRequest, @Body() body: unknown, @Query('swarm') swarm?: string) {
    const { reason = '', swarm: named } = parseBody(httpApi.freeze.body, body);
    return this.#reach.call(reconcilerCalls.freeze, this.#reach.swarm(named ?? swarm), { actor: subject.name, reason }, requestId);
  }

  @Endpoint(httpApi.unfreeze)
  async unfreeze(@Req() { id: requestId, subject }: AuthorizedRequest, @Body() body: unknown, @Query('swarm') swarm?: string) {
    const { swarm: named } = parseBody(httpApi.unfreeze.body, body);
    return this.#reach.call(reconcilerCalls.unfreeze, this.#reach.swarm(named ?? swarm), { actor: subject.name }, requestId);
  }
}
