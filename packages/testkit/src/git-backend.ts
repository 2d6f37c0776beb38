import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isolatedGit } from './git-repo.ts';

/** Answers one request. Once `maxBytes` of the body went out nothing more does, and `reached` is called: by default it ends the connection. */
export type GitBackend = (request: IncomingMessage, response: ServerResponse, maxBytes: number, reached?: () => void) => Promise<void>;

/** Serves the bare repositories below `root` with git's own CGI program (RFC 3875), git-http-backend(1). */
export function gitBackend(root: string): GitBackend {
  return (request, response, maxBytes, reached = () => response.destroy()) =>
    new Promise((resolve, reject) => {
      const child = spawn('git', ['http-backend'], { env: cgiEnvironment(root, request), stdio: ['pipe', 'pipe', 'ignore'] });
      child.once('error', reject);
      child.once('close', () => resolve());
      child.stdin.on('error', () => undefined); // it stops reading when it has what it needs
      request.pipe(child.stdin);
      response.once('close', () => child.kill('SIGKILL'));

      let head: Buffer | undefined = Buffer.alloc(0);
      let left = maxBytes;
      const send = (chunk: Buffer) => {
        if (left <= 0) return;
        response.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) reached();
      };
      child.stdout.on('data', (chunk: Buffer) => {
        if (!head) return send(chunk);
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        writeHead(response, head.subarray(0, end).toString());
        const body = head.subarray(end + 4);
        head = undefined;
        if (body.length > 0) send(body);
      });
      child.stdout.once('end', () => {
        if (left > 0) response.end();
      });
    });
}

function writeHead(response: ServerResponse, lines: string): void {
  for (const line of lines.split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
}

function cgiEnvironment(root: string, request: IncomingMessage): NodeJS.ProcessEnv {
  const url = new URL(request.url ?? '/', 'http://git');
  const header = (name: string) => String(request.headers[name] ?? '');
  return {
    ...isolatedGit,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: header('git-protocol'),
    REQUEST_METHOD: request.method,
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: header('content-type'),
    CONTENT_LENGTH: header('content-length'),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    REMOTE_ADDR: '127.0.0.1',
    REMOTE_USER: 'test',
  };
}
