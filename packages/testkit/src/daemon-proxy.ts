import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { tempDir } from './temp-dir.ts';

/** One call to the daemon, in the order of arrival. */
export interface DaemonCall {
  readonly method: string;
  /** Without the API version: `/services/create`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Whether it may change something: every method but GET and HEAD. */
  readonly write: boolean;
  /** The parsed JSON body of a write; undefined when there is none. */
  readonly body: unknown;
  /** When it came, in milliseconds of `performance.now`. */
  readonly at: number;
  /** The daemon's answer, once it came. */
  status?: number;
  /** The parsed JSON of the answer to a write. */
  answer?: unknown;
}

/**
 * What becomes of a call: `pass` it on, let the client wait for ever (`hang`), or end its connection (`drop`). It is asked
 * `before` the daemon sees the call and again `after` it answered, when the client does not know yet. It may take its time
 * (a delay), or end the client first (a crash at exactly this step).
 */
export type Intercept = (call: DaemonCall, phase: 'before' | 'after') => Promise<Verdict> | Verdict;
export type Verdict = 'pass' | 'hang' | 'drop';

/** Stands in front of an engine's unix socket, counts, and interferes. */
export interface DaemonProxy extends AsyncDisposable {
  /** The socket to give to the client under test. */
  readonly socket: string;
  readonly calls: readonly DaemonCall[];
  /** The calls that may have changed something. */
  writes(): DaemonCall[];
  /** Forgets the calls so far. */
  forget(): void;
  /** Replaces the interceptor; without one every call passes. */
  intercept(fn: Intercept | undefined): void;
}

/**
 * @param upstream the engine's own socket.
 * @param path where the proxy's socket is made; in a folder of its own by default.
 */
export async function daemonProxy(upstream: string, path?: string): Promise<DaemonProxy> {
  const dir = await tempDir();
  const socket = path ?? join(dir.path, 'docker.sock');
  const agent = new Agent({ keepAlive: true });
  const calls: DaemonCall[] = [];
  let interceptor: Intercept | undefined;

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { call, bytes } = await readCall(request);
    calls.push(call);
    const allowed = async (phase: 'before' | 'after') => {
      const verdict = (await interceptor?.(call, phase)) ?? 'pass';
      if (verdict === 'drop') response.destroy();
      return verdict === 'pass';
    };
    if (!(await allowed('before'))) return;
    const answer = await forward(upstream, agent, request, bytes, response);
    call.status = answer.statusCode ?? 0;
    if (!(await allowed('after'))) {
      answer.destroy();
      return;
    }
    response.writeHead(call.status, answer.headers);
    response.flushHeaders();
    if (call.write) {
      const told = await readAll(answer);
      call.answer = parsed(told);
      response.end(told);
      return;
    }
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  }

  const connections = new Set<Socket>();
  server.on('connection', (connection) => {
    connections.add(connection);
    connection.on('error', () => undefined);
    connection.once('close', () => connections.delete(connection));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
  return {
    socket,
    calls,
    writes: () => calls.filter((call) => call.write),
    forget: () => void calls.splice(0),
    intercept: (fn) => {
      interceptor = fn;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const connection of connections) connection.destroy();
      agent.destroy();
      await closed;
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function readCall(request: IncomingMessage): Promise<{ call: DaemonCall; bytes: Buffer }> {
  const at = performance.now();
  const bytes = await readAll(request);
  const url = new URL(request.url ?? '/', 'http://docker');
  const method = request.method ?? 'GET';
  const write = method !== 'GET' && method !== 'HEAD';
  const call = { method, path: url.pathname.replace(/^\/v1\.\d+(?=\/)/, ''), query: url.searchParams, write, body: parsed(bytes), at };
  return { call, bytes };
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer); // a message without an encoding gives buffers
  return Buffer.concat(chunks);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

function forward(
  socketPath: string,
  agent: Agent,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { 'transfer-encoding': _, ...headers } = request.headers;
    const call = httpRequest({
      socketPath,
      agent,
      method: request.method,
      path: request.url,
      headers: { ...headers, 'content-length': body.length },
    });
    call.once('response', resolve);
    call.once('error', reject);
    response.once('close', () => call.destroy());
    call.end(body);
  });
}
