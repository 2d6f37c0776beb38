import { createServer, request as httpRequest, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { daemonProxy } from './daemon-proxy.ts';
import { tempDir } from './temp-dir.ts';

/** An upstream that answers every call with what it got; the proxy in front of a real engine is tested on the lab. */
let upstream: Server;
let dir: Awaited<ReturnType<typeof tempDir>>;
let reached: string[] = [];
beforeAll(async () => {
  dir = await tempDir();
  upstream = createServer(async (request, response) => {
    reached.push(`${request.method} ${request.url}`);
    let body = '';
    for await (const chunk of request) body += chunk;
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ got: body }));
  });
  await new Promise<void>((resolve) => upstream.listen(join(dir.path, 'up.sock'), resolve));
});
afterAll(async () => {
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  await dir[Symbol.asyncDispose]();
});

async function proxied() {
  reached = [];
  return daemonProxy(join(dir.path, 'up.sock'));
}

function call(socketPath: string, method: string, path: string, body?: string, timeout = 5000): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, method, path, timeout, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(`${response.statusCode} ${text}`);
    });
    request.once('timeout', () => request.destroy(new Error('timed out')));
    request.once('error', reject);
    request.end(body);
  });
}

test('passes calls on, counts them, and tells writes with their bodies', async () => {
  await using proxy = await proxied();
  expect(await call(proxy.socket, 'GET', '/v1.41/services?status=true')).toBe('201 {"got":""}');
  expect(await call(proxy.socket, 'POST', '/v1.41/services/create', '{"Name":"web"}')).toBe('201 {"got":"{\\"Name\\":\\"web\\"}"}');

  expect(proxy.calls.map(({ method, path, write, status }) => ({ method, path, write, status }))).toEqual([
    { method: 'GET', path: '/services', write: false, status: 201 },
    { method: 'POST', path: '/services/create', write: true, status: 201 },
  ]);
  expect(proxy.calls[0]?.query.get('status')).toBe('true');
  expect(proxy.writes().map(({ body, answer }) => [body, answer])).toEqual([[{ Name: 'web' }, { got: '{"Name":"web"}' }]]);
  proxy.forget();
  expect(proxy.calls).toEqual([]);
});

test('drops a call before the daemon sees it, or after, when the client does not know', async () => {
  await using proxy = await proxied();
  proxy.intercept((_, phase) => (phase === 'before' ? 'drop' : 'pass'));
  await expect(call(proxy.socket, 'POST', '/configs/create', '{}')).rejects.toThrow('socket hang up');
  expect(reached).toEqual([]);

  proxy.intercept((_, phase) => (phase === 'after' ? 'drop' : 'pass'));
  await expect(call(proxy.socket, 'POST', '/configs/create', '{}')).rejects.toThrow('socket hang up');
  expect(reached).toEqual(['POST /configs/create']);
});

test('lets chosen calls hang', async () => {
  await using proxy = await proxied();
  proxy.intercept(({ path }) => (path === '/info' ? 'hang' : 'pass'));
  await expect(call(proxy.socket, 'GET', '/v1.41/info', undefined, 100)).rejects.toThrow('timed out');
  expect(await call(proxy.socket, 'GET', '/v1.41/version')).toContain('201');
});
