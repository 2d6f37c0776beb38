import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { HivekeepError } from '@hivekeep/contracts';
import Docker from 'dockerode';
import type { DockerEndpoint } from './docker-endpoint.ts';
import { engineError } from './engine-error.ts';
import { engineBody } from './engine-json.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the call fails as `swarm/timeout`. */
  readonly timeoutMs?: number | undefined;
}

export interface EngineRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Absolute, without a query and version: `/services/ID/update`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  /** Value of `X-Registry-Auth`. */
  readonly registryAuth?: string | undefined;
  /** For people, without payload. */
  readonly action: string;
}

/** What became of a call, for a counter or a log; never a body. */
export type CallObserver = (call: { readonly method: string; readonly path: string; readonly ms: number; readonly code: string }) => void;

export interface EngineHttpOptions {
  readonly endpoint: DockerEndpoint;
  readonly timeoutMs?: number;
  /** Connections kept to the daemon; the event stream has one of its own. */
  readonly maxConnections?: number;
  readonly onCall?: CallObserver;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const OK = { 200: true, 201: true, 204: true };

type Dial = (options: object, callback: (error: unknown, answer: Readable | null) => void) => void;

/**
 * The only door to dockerode. It dials for itself, because dockerode's own `update` methods put whole specs into the URL and
 * change the options they are given. Every call has a timeout, every answer a size, and errors leave translated.
 */
export class EngineHttp {
  readonly #calls: Docker;
  readonly #streams: Docker;
  readonly #timeoutMs: number;
  readonly #onCall: CallObserver | undefined;
  readonly #agents: readonly Agent[];

  constructor(options: EngineHttpOptions) {
    const calls = agentFor(options.endpoint, options.maxConnections ?? 16, true);
    const streams = agentFor(options.endpoint, 4, false);
    this.#agents = [calls, streams];
    this.#calls = connect(options.endpoint, calls);
    this.#streams = connect(options.endpoint, streams);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#onCall = options.onCall;
  }

  /**
   * One call and its whole answer: parsed JSON, a string where the answer is none, undefined where it is empty.
   * @throws HivekeepError `swarm/*`, or `cancelled` when the caller's signal ended it.
   */
  async call(request: EngineRequest): Promise<unknown> {
    const timeout = AbortSignal.timeout(request.timeoutMs ?? this.#timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    const started = performance.now();
    try {
      const answer = await this.#exchange(request, signal).catch((thrown: unknown) => this.#again(request, signal, thrown));
      this.#report(request, started, 'ok');
      return answer;
    } catch (thrown) {
      const error = translate(request, thrown, timeout);
      this.#report(request, started, error.code);
      throw error;
    }
  }

  /** A stream without an end (events): the answer's bytes until the signal or the daemon ends it. Has a connection of its own. */
  async stream(request: Omit<EngineRequest, 'timeoutMs'>, signal: AbortSignal, connectMs = this.#timeoutMs): Promise<Readable> {
    const connecting = new AbortController();
    const timer = setTimeout(() => connecting.abort(), connectMs);
    try {
      const answer = await dial(this.#streams, request, AbortSignal.any([signal, connecting.signal]));
      // An aborted stream ends as an 'error' event; without a listener that would end the process.
      answer.on('error', () => {});
      return answer;
    } catch (thrown) {
      throw translate({ ...request, signal }, thrown, connecting.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends all connections. */
  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  /**
   * A read on a kept connection that the daemon was just closing is sent once more, on a connection of its own: others that are kept
   * may be closing, too. A write never is: it may have been done.
   */
  #again(request: EngineRequest, signal: AbortSignal, thrown: unknown): Promise<unknown> {
    const closed = thrown instanceof Error && 'code' in thrown && (thrown.code === 'ECONNRESET' || thrown.code === 'EPIPE');
    if (request.method !== 'GET' || !closed || signal.aborted) throw thrown;
    return this.#exchange(request, signal, this.#streams);
  }

  async #exchange(request: EngineRequest, signal: AbortSignal, connection = this.#calls): Promise<unknown> {
    signal.throwIfAborted();
    const answer = await dial(connection, request, signal);
    return parse(await readAll(answer, request.action));
  }

  #report(request: EngineRequest, started: number, code: string): void {
    this.#onCall?.({ method: request.method, path: request.path, ms: performance.now() - started, code });
  }
}

function agentFor(endpoint: DockerEndpoint, maxSockets: number, keepAlive: boolean): Agent {
  const options = { keepAlive, maxSockets, keepAliveMsecs: 5_000 };
  return terse(endpoint.kind === 'tcp' && endpoint.tls ? new TlsAgent(options) : new Agent(options));
}

/**
 * Makes an object short to look at. For a debug line that nobody reads, docker-modem inspects a request's whole options, hidden
 * members and all depths included: with the sockets of an agent and the family of a signal that is milliseconds for each call.
 */
function terse<T extends object>(object: T): T {
  return Object.defineProperty(object, inspect.custom, { value: () => object.constructor.name, configurable: true });
}

/** Members are given even where undefined: docker-modem fills what is missing from this process's DOCKER_HOST. */
function connect(endpoint: DockerEndpoint, agent: Agent): Docker {
  if (endpoint.kind === 'socket') {
    const options = { socketPath: endpoint.path, host: undefined, port: undefined, protocol: 'http', agent };
    return new Docker(options as Docker.DockerOptions);
  }
  const protocol = endpoint.tls ? 'https' : 'http';
  const options = { host: endpoint.host, port: endpoint.port, protocol, pathPrefix: '/', ca: undefined, cert: undefined, key: undefined };
  return new Docker({ ...options, ...endpoint.tls, agent } as Docker.DockerOptions);
}

function dial(docker: Docker, request: EngineRequest, signal: AbortSignal): Promise<Readable> {
  const options = {
    path: request.query ? `${request.path}?` : request.path,
    method: request.method,
    isStream: true,
    abortSignal: terse(signal),
    statusCodes: OK,
    options: { _query: request.query ?? {}, _body: engineBody(request.body ?? {}) },
    ...(request.registryAuth && { authconfig: { base64: request.registryAuth } }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  (docker.modem.dial as Dial).call(docker.modem, options, (error, answer) => (answer ? resolve(answer) : reject(error)));
  return promise;
}

async function readAll(answer: Readable, action: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new HivekeepError(
        'swarm/invalid',
        `${action}: the daemon's answer is over ${MAX_ANSWER_BYTES} bytes; remove configs nobody uses`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function translate(request: EngineRequest, thrown: unknown, timeout: AbortSignal): HivekeepError {
  if (thrown instanceof HivekeepError) return thrown;
  const { action } = request;
  if (request.signal?.aborted) return engineError({ action, cancelled: true, cause: thrown });
  if (timeout.aborted) return engineError({ action, timedOut: true, cause: thrown });
  if (thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number')
    return engineError({ action, status: thrown.statusCode, text: daemonMessage(thrown) });
  return engineError({ action, cause: thrown });
}

/** docker-modem's frame around the daemon's message. */
const MODEM_FRAME = /^\(HTTP code \d+\) .*? - /;

function daemonMessage(error: Error): string {
  return error.message.replace(MODEM_FRAME, '').trim();
}
