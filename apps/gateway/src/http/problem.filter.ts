import { HivekeepError } from '@hivekeep/contracts';
import type { Logger } from '@hivekeep/runtime';
import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemOf } from './problem.ts';

/** Every failure of a request, routed or not, ends here as `application/problem+json`. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answer(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.sent) return;
    const path = request.url.split('?')[0] ?? '/';
    const problem = problemOf(asMethodError(thrown, request, reply, path), { path, id: request.id });
    if (problem.code === 'internal')
      this.#logger.error('request failed', {
        request: request.id,
        error: thrown instanceof HivekeepError ? (thrown.cause ?? thrown) : thrown,
      });
    void reply.code(problem.status).header('content-type', 'application/problem+json; charset=utf-8').send(JSON.stringify(problem));
  }
}

/** The API answers unknown paths of other methods with 405: what is not there can be read (404) but never written. */
function asMethodError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, path: string): unknown {
  if (!(thrown instanceof NotFoundException)) return thrown;
  if (request.method === 'GET' || request.method === 'HEAD')
    return Object.assign(new Error(`no such path: ${path}; GET /api/v1/openapi.json lists them`), { statusCode: 404 });
  void reply.header('allow', 'GET, HEAD');
  return Object.assign(new Error(`${request.method} is not allowed on ${path}`), { statusCode: 405 });
}
