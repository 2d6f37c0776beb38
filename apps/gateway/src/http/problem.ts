import { STATUS_CODES } from 'node:http';
import { errorCodes, HivekeepError, type Problem } from '@hivekeep/contracts';

/** The codes a foreign HTTP failure (framework, parser) is told with. */
const foreign: Record<number, string> = {
  400: 'usage/invalid',
  404: 'http/not-found',
  405: 'http/method-not-allowed',
  408: 'http/timeout',
  413: 'http/too-large',
  414: 'http/too-large',
  415: 'http/unsupported-media-type',
};

/** The status and body of an error answer, by RFC 9457. Unknown failures say nothing of their cause. */
export function problemOf(thrown: unknown, request: { path: string; id: string }): Problem {
  const status = foreignStatus(thrown);
  if (!(thrown instanceof HivekeepError) && status !== undefined && status < 500)
    return build(status, foreign[status] ?? 'usage/invalid', (thrown as Error).message, request);
  const error = HivekeepError.from(thrown);
  return {
    ...build(errorCodes[error.code].http, error.code, error.message, request),
    ...(error.issues && { issues: [...error.issues] }),
  };
}

function build(status: number, code: string, detail: string, request: { path: string; id: string }): Problem {
  return {
    type: `urn:hivekeep:error:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    instance: request.path,
    error: detail,
    code,
    requestId: request.id,
  };
}

/** Fastify errors carry `statusCode`, Nest ones `getStatus()`. */
function foreignStatus(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  if ('getStatus' in thrown && typeof thrown.getStatus === 'function') return Number(thrown.getStatus());
  return 'statusCode' in thrown && typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
}
