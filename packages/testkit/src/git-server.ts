import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitBackend } from './git-backend.ts';
import { createGitRepo, type GitRepo } from './git-repo.ts';
import { tempDir } from './temp-dir.ts';

/** What the server does with a request. */
export type GitBehaviour =
  | { kind: 'serve' }
  /** Answers after a while. */
  | { kind: 'slow'; delayMs: number }
  /** Takes the request and never answers. */
  | { kind: 'hang' }
  /** Answers with this HTTP status. */
  | { kind: 'refuse'; status: number }
  /** Ends the connection after so many bytes of the answer's body. */
  | { kind: 'cut'; afterBytes: number };

export interface GitServerOptions {
  /** Every request needs this password, with any user name. */
  token?: string;
}

export interface GitRequest {
  readonly repo: string;
  readonly method: string;
  /** `info/refs` (what ls-remote asks first), `git-upload-pack`, … */
  readonly path: string;
  /** `git-upload-pack` for reads, `git-receive-pack` for pushes. */
  readonly service: string | null;
}

/** A real git over smart HTTP on loopback. */
export interface GitServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/NAME.git` */
  url(repo: string): string;
  /** Makes the repository `name`. */
  createRepo(name: string): Promise<GitRepo>;
  /** From now on; for one repository when it is named. */
  behave(behaviour: GitBehaviour, repo?: string): void;
  /** Every request since the start or the last `forget`. */
  readonly requests: readonly GitRequest[];
  forget(): void;
  /** Stops listening and ends every connection; `listen` takes the same port again. */
  cut(): Promise<void>;
  listen(): Promise<void>;
}

export async function gitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const dir = await tempDir();
  const requests: GitRequest[] = [];
  const behaviours = new Map<string, GitBehaviour>();
  const serve = gitBackend(dir.path);

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = describe(request);
    requests.push(asked);
    if (options.token !== undefined && passwordOf(request) !== options.token) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const behaviour = behaviours.get(asked.repo) ?? behaviours.get('') ?? { kind: 'serve' };
    if (behaviour.kind === 'hang') return;
    if (behaviour.kind === 'refuse') {
      response.writeHead(behaviour.status).end();
      return;
    }
    if (behaviour.kind === 'slow') await sleep(behaviour.delayMs);
    await serve(request, response, behaviour.kind === 'cut' ? behaviour.afterBytes : Number.POSITIVE_INFINITY);
  }

  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => connections.delete(socket));
  });
  let port = 0;
  const listen = async () => {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port; // a TCP server's address is never a pipe's name
  };
  const cut = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of connections) socket.destroy();
    await closed;
  };
  await listen();

  return {
    url: (repo) => `http://127.0.0.1:${port}/${repo}.git`,
    createRepo: (name) => createGitRepo(join(dir.path, `${name}.git`)),
    behave: (behaviour, repo = '') => void behaviours.set(repo, behaviour),
    requests,
    forget: () => void requests.splice(0),
    cut,
    listen,
    [Symbol.asyncDispose]: async () => {
      await cut();
      await dir[Symbol.asyncDispose]();
    },
  };
}

function describe(request: IncomingMessage): GitRequest {
  const url = new URL(request.url ?? '/', 'http://git');
  const [, repo = '', path = ''] = /^\/(.+?)\.git\/(.*)$/.exec(url.pathname) ?? [];
  const service = url.searchParams.get('service') ?? (path.startsWith('git-') ? path : null);
  return { repo, path, service, method: request.method ?? 'GET' };
}

function passwordOf(request: IncomingMessage): string | undefined {
  const [scheme, credentials = ''] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() === 'bearer') return credentials;
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? [];
  return password;
}
