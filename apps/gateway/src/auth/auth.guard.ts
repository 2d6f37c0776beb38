import { type Endpoint, HivekeepError } from '@hivekeep/contracts';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ENDPOINT, PUBLIC } from '../http/endpoint.ts';
import { AUTHORIZER } from '../tokens.ts';
import type { Authorizer, Subject } from './authorizer.ts';

/** A request that passed the guard. */
export type AuthorizedRequest = FastifyRequest & { subject: Subject };

/** Asks the authorizer for the endpoint's own action and application. A route without a declared endpoint is refused. */
@Injectable()
export class AuthGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #authorizer: Authorizer;

  constructor(@Inject(Reflector) reflector: Reflector, @Inject(AUTHORIZER) authorizer: Authorizer) {
    this.#reflector = reflector;
    this.#authorizer = authorizer;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.#reflector.get<boolean>(PUBLIC, context.getHandler()) === true) return true;
    const endpoint = this.#reflector.get<Endpoint | undefined>(ENDPOINT, context.getHandler());
    if (endpoint === undefined) throw new HivekeepError('auth/forbidden', 'forbidden: this route declares no action');
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    const subject = await this.#authorizer.authenticate(request.headers.authorization);
    if (subject === undefined)
      throw new HivekeepError('auth/unauthorized', 'unauthorized: send the header "Authorization: Bearer TOKEN" with the admin token');
    const application = (request.params as { app?: string }).app ?? '';
    if (!(await this.#authorizer.authorize(subject, endpoint.action, application)))
      throw new HivekeepError('auth/forbidden', `forbidden: '${subject.name}' may not ${endpoint.action} ${application || 'here'}`);
    request.subject = subject;
    return true;
  }
}
