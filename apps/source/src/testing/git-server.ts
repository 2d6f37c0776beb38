import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitRepository } from './git-repository.ts';

/** How the server treats one repository. */
export interface Behaviour {
  /** Basic authorization it asks for, as `user:token`. */
  readonly credential?: string;
  /** Takes the request and never answers. */
  readonly hang?: boolean;
  /** Answers with this status and, for redirects, location. */
  readonly status?: number;
  readonly location?: string;
}

export interface SeenRequest {
  readonly repository: string;
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** A real Git server over smart HTTP (`git http-backend`) for tests, on a free port of loopback. */
export class GitServer {
  readonly root = mkdtempSync(join(tmpdir(), 'hivekeep-git-server-'));
  readonly seen: SeenRequest[] = [];
  readonly behaviour = new Map<string, Behaviour>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<GitServer> {
    const started = new GitServer();
    await new Promise<void>((resolve) => started.#server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  repository(name: string): GitRepository {
    return new GitRepository(join(this.root, `${name}.git`));
  }

  get authority(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  url(name: string): string {
    return `http://${this.authority}/${name}.git`;
  }

  /** How often a client began to talk about a repository: once per `ls-remote` and once per `fetch`. */
  conversations(name: string): number {
    return this.seen.filter(({ repository, path }) => repository === name && path.endsWith('/info/refs')).length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.root, { recursive: true, force: true });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const repository = url.pathname.split('/')[1]?.replace(/\.git$/, '') ?? '';
    const { authorization } = request.headers;
    this.seen.push({ repository, method: request.method ?? '', path: url.pathname, authorization });
    const { credential, hang, status, location } = this.behaviour.get(repository) ?? {};
    if (hang) return;
    if (status !== undefined) {
      response.writeHead(status, location === undefined ? {} : { location: `${location}${url.pathname}${url.search}` }).end();
      return;
    }
    if (credential !== undefined && authorization !== `Basic ${Buffer.from(credential).toString('base64')}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('denied');
      return;
    }
    this.#backend(request, response, url);
  }

  /** One CGI call (RFC 3875). */
  #backend(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: this.root,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method,
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        CONTENT_LENGTH: request.headers['content-length'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => undefined);
    request.pipe(child.stdin);
    let head: Buffer | undefined = Buffer.alloc(0);
    child.stdout.on('data', (chunk: Buffer) => {
      if (head === undefined) {
        response.write(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const headers = head
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string]);
      const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1];
      response.writeHead(
        Number.parseInt(status ?? '200', 10),
        Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')),
      );
      response.write(head.subarray(end + 4));
      head = undefined;
    });
    child.on('close', () => response.end());
    response.on('close', () => child.kill('SIGKILL'));
  }
}
