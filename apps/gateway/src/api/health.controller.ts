import { httpApi } from '@hivekeep/contracts';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Authorizer } from '../auth/authorizer.ts';
import { Endpoint, Public } from '../http/endpoint.ts';
import { openApiDocument } from '../http/openapi.ts';
import { AUTHORIZER, VERSION } from '../tokens.ts';
import { Catalog } from '../views/catalog.ts';

@Controller()
export class HealthController {
  readonly #catalog: Catalog;
  readonly #authorizer: Authorizer;
  readonly #version: string;

  constructor(@Inject(Catalog) catalog: Catalog, @Inject(AUTHORIZER) authorizer: Authorizer, @Inject(VERSION) version: string) {
    this.#catalog = catalog;
    this.#authorizer = authorizer;
    this.#version = version;
  }

  /** Alive, whatever the state of swarms and sources. */
  @Public()
  @Get('/healthz')
  healthz(): string {
    return 'ok';
  }

  /** Whether lists can be answered. */
  @Public()
  @Get('/readyz')
  async readyz(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const ready = this.#catalog.ready && (await this.#authorizer.ready());
    void reply.code(ready ? 200 : 503);
    return ready ? 'ok' : 'not ready: the views have not been read yet';
  }

  @Endpoint(httpApi.openapi)
  openapi(): Record<string, unknown> {
    return openApiDocument(this.#version);
  }
}
