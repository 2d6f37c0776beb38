import { type Endpoint, type ErrorCode, errorCodes, HivekeepError, Issue, Problem } from '@hivekeep/contracts';
import type { z } from 'zod';
import type { Connection } from './connection.ts';
import { parseServerEvents, type ServerEvent } from './server-events.ts';

export interface ApiRequest {
  /** Values of `:name` in the path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** An answer as it came, which `-o json` prints, and as this client understands it. */
export interface ApiAnswer<T> {
  readonly raw: unknown;
  readonly value: T;
}

const REQUEST_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The gateway over HTTP. Every failure is a HivekeepError with the server's own code, or one that says it was not reached. */
export class ApiClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async call<B extends z.ZodType, R extends z.ZodType>(
    endpoint: Endpoint<B, R>,
    request: ApiRequest = {},
  ): Promise<ApiAnswer<z.output<R>>> {
    const timeout = AbortSignal.timeout(REQUEST_MS);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    const raw = await this.#answer(endpoint, request, signal).catch((error: unknown) => {
      throw endpoint.method === 'POST' ? orDoneLater(error) : error;
    });
    const parsed = endpoint.reply.safeParse(raw);
    if (parsed.success) return { raw, value: parsed.data };
    throw new HivekeepError(
      'bus/invalid-message',
      `the server's answer is not what this client knows: is ${this.#connection.server.host} a Hivekeep of another version?`,
    );
  }

  /** Events until the server or the signal ends the stream; resumes after `lastEventId`. */
  async *events(endpoint: Endpoint, request: ApiRequest & { lastEventId?: string | undefined }): AsyncGenerator<ServerEvent> {
    const signal = request.signal ?? new AbortController().signal;
    const headers = request.lastEventId === undefined ? {} : { 'last-event-id': request.lastEventId };
    const response = await this.#send(endpoint, request, signal, headers);
    if (response.body) yield* parseServerEvents(response.body);
  }

  async #answer(endpoint: Endpoint, request: ApiRequest, signal: AbortSignal): Promise<unknown> {
    const response = await this.#send(endpoint, request, signal, {});
    return parseJson(await readBody(response, signal), response);
  }

  async #send(endpoint: Endpoint, request: ApiRequest, signal: AbortSignal, headers: Record<string, string>): Promise<Response> {
    const { server, token } = this.#connection;
    const url = urlOf(server, endpoint, request);
    const post = endpoint.method === 'POST' && request.body !== undefined;
    const response = await fetch(url, {
      method: endpoint.method,
      redirect: 'error',
      signal,
      headers: { authorization: `Bearer ${token}`, ...(post && { 'content-type': 'application/json' }), ...headers },
      ...(post && { body: JSON.stringify(request.body) }),
    }).catch((cause: unknown) => {
      throw unreachable(cause, server, request.signal);
    });
    if (response.ok) return response;
    throw problemError(await readBody(response, signal), response);
  }
}

function urlOf(server: URL, endpoint: Endpoint, { params = {}, query = {} }: ApiRequest): URL {
  const path = endpoint.path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const url = new URL(server.pathname.replace(/\/$/, '') + path, server);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

function unreachable(cause: unknown, server: URL, wanted: AbortSignal | undefined): HivekeepError {
  if (wanted?.aborted) return new HivekeepError('cancelled', 'stopped before the server answered', { cause });
  if (cause instanceof Error && cause.name === 'TimeoutError')
    return new HivekeepError('bus/timeout', `${server.origin} did not answer within ${REQUEST_MS / 1000} s`, { cause });
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
  return new HivekeepError('bus/unavailable', `${server.origin} cannot be reached (${reason}): is it running, and is --server right?`, {
    cause,
  });
}

/** What changes something and was not answered in time may have been taken, or be taken when a bus that stands still goes on. */
function orDoneLater(error: unknown): unknown {
  if (!HivekeepError.is(error, 'bus/timeout')) return error;
  return new HivekeepError(error.code, `${error.message}; it may be done all the same, also later: look before you ask again`, {
    cause: error,
  });
}

async function readBody(response: Response, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new HivekeepError('bus/too-large', 'the answer is over 64 MiB: ask for less');
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof HivekeepError) throw cause;
    throw new HivekeepError(
      signal.aborted ? 'bus/timeout' : 'bus/unavailable',
      'the connection ended within the answer; look at the status, then try again',
      {
        cause,
      },
    );
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string, response: Response): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HivekeepError(
      'bus/invalid-message',
      `expected JSON from ${new URL(response.url).origin}, found something else: is it a Hivekeep gateway?`,
      { cause },
    );
  }
}

/** The server's error under its own code; one of a foreign server, or a code this client does not know, by its status. */
function problemError(text: string, response: Response): HivekeepError {
  const problem = Problem.safeParse(text.startsWith('{') ? parseJson(text, response) : undefined);
  const code = problem.success && problem.data.code in errorCodes ? (problem.data.code as ErrorCode) : codeOfStatus(response.status);
  if (!problem.success) return new HivekeepError(code, `the server answered ${response.status} ${response.statusText}`);
  const issues = Issue.array().safeParse(problem.data.issues);
  return new HivekeepError(code, problem.data.detail, issues.success ? { issues: issues.data } : {});
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'auth/unauthorized';
  if (status === 403) return 'auth/forbidden';
  if (status === 404 || status === 405) return 'application/unknown';
  if (status === 408 || status === 504) return 'bus/timeout';
  return status >= 500 ? 'bus/unavailable' : 'usage/invalid';
}
