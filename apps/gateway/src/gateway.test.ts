import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Endpoint, HivekeepError, httpApi, Problem } from '@hivekeep/contracts';
import { createLogger, MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { AdminToken } from './auth/admin-token.ts';
import type { Authorizer } from './auth/authorizer.ts';
import { GatewayConfig } from './gateway-config.ts';
import { startGateway } from './start-gateway.ts';
import { gatewayFixture, healthyView, TOKEN } from './testing/gateway-fixture.ts';

const Document = z.object({
  paths: z.record(z.string(), z.unknown()),
  components: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 5_000, interval: 20 });

describe('authorization', () => {
  it('refuses to start without a token', () => {
    expect(() => AdminToken.load({})).toThrow(/no admin token/);
    expect(() => AdminToken.load({ adminToken: ' \n' })).toThrow(/no admin token/);
    expect(() => AdminToken.load({ adminTokenFile: '/nonexistent/token' })).toThrow(/cannot be read/);
  });

  it('reads a rotated token file, and keeps the last token while the file is empty', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hk-token-'));
    try {
      const file = join(folder, 'token');
      await writeFile(file, 'first\n');
      const token = AdminToken.load({ adminTokenFile: file });
      expect([token.matches('first'), token.matches('first\n'), token.matches('')]).toEqual([true, false, false]);
      await writeFile(file, '');
      expect(token.matches('first')).toBe(true);
      await writeFile(file, 'second');
      expect([token.matches('first'), token.matches('second')]).toEqual([false, true]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('answers 401 without a challenge on every endpoint, before anything is read', async () => {
    await using fixture = await gatewayFixture();
    for (const endpoint of Object.values<Endpoint>(httpApi)) {
      const url = `${fixture.gateway.url}${endpoint.path.replace(/:\w+/g, 'x')}`;
      for (const authorization of [undefined, 'Bearer wrong', `Basic ${TOKEN}`, 'Bearer ', `Bearer ${TOKEN} x`]) {
        const answer = await fetch(url, { method: endpoint.method, headers: authorization === undefined ? {} : { authorization } });
        expect(answer.status, `${endpoint.path} ${authorization}`).toBe(401);
        expect(answer.headers.get('www-authenticate')).toBeNull();
        expect(Problem.parse(await answer.json())).toMatchObject({ status: 401, code: 'auth/unauthorized' });
      }
    }
  });

  it('takes the scheme in any case', async () => {
    await using fixture = await gatewayFixture();
    await until(async () =>
      expect((await fixture.get('/api/v1/status', { headers: { authorization: `bEARER ${TOKEN}` } })).status).toBe(200),
    );
  });

  it('asks for exactly the action of each endpoint, with its application', async () => {
    const asked: string[] = [];
    const recording: Authorizer = {
      ready: async () => true,
      authenticate: async () => ({ name: 'eve', groups: [], extra: {} }),
      authorize: async (_subject, action, application) => {
        asked.push(`${action}:${application}`);
        return false;
      },
      visible: async () => [],
    };
    await using fixture = await gatewayFixture({ authorizer: recording });
    for (const endpoint of Object.values<Endpoint>(httpApi)) {
      asked.length = 0;
      const answer = await fetch(`${fixture.gateway.url}${endpoint.path.replace(':app', 'edge').replace(':id', '1')}`, {
        method: endpoint.method,
      });
      expect(answer.status).toBe(403);
      expect(asked).toEqual([`${endpoint.action}:${endpoint.path.includes(':app') ? 'edge' : ''}`]);
    }
  });

  it('narrows lists and status to what the subject may see, and refuses when that cannot be told', async () => {
    let failing = false;
    const narrow: Authorizer = {
      ready: async () => true,
      authenticate: async () => ({ name: 'eve', groups: [], extra: {} }),
      authorize: async (_subject, action) => action === 'read',
      visible: async (_subject, _action, names) => {
        if (failing) throw new Error('directory is down');
        return names.filter((name) => name === 'edge');
      },
    };
    await using fixture = await gatewayFixture({
      authorizer: narrow,
      answers: {
        'source.app-set': () => {
          throw new HivekeepError('appset/invalid', 'secret-team: unknown key');
        },
      },
    });
    await fixture.serve('home', [healthyView('edge'), healthyView('hidden')]);
    await until(async () => {
      const list = await fixture.read(httpApi.applications);
      expect(list.applications.map((view) => view.spec.name)).toEqual(['edge']);
    });
    const status = await fixture.read(httpApi.status);
    expect(status).toMatchObject({ applications: 1, appSet: { mode: 'static', stale: true, error: 'the app set could not be loaded' } });
    expect(Object.keys(status.appSet)).not.toEqual(expect.arrayContaining(['source', 'revision', 'orphaned']));
    expect(await (await fixture.get('/api/v1/capabilities')).json()).toEqual({ edition: 'hivekeep', features: expect.any(Object) });
    failing = true;
    expect((await fixture.get('/api/v1/applications')).status).toBe(403);
  });
});

describe('paths', () => {
  it.each(['/API/v1/typo', '/api', '/%61pi/x', '/api/v1/applications/x/sync', '/nothing'])(
    'answers GET %s with a JSON 404',
    async (path) => {
      await using fixture = await gatewayFixture();
      const answer = await fixture.get(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(Problem.parse(await answer.json()).code).toBe('http/not-found');
    },
  );

  it('answers other methods on what is not there with 405', async () => {
    await using fixture = await gatewayFixture();
    for (const [method, path] of [
      ['POST', '/api/v1/nothing'],
      ['DELETE', '/api/v1/applications/x'],
      ['PUT', '/api/v1/status'],
    ] as const) {
      const answer = await fixture.get(path, { method });
      expect([answer.status, answer.headers.get('allow')], path).toEqual([405, 'GET, HEAD']);
    }
  });

  it('turns broken bodies, broken paths and large bodies into problems', async () => {
    await using fixture = await gatewayFixture();
    const headers = { 'content-type': 'application/json' };
    const broken = await fixture.get('/api/v1/freeze', { method: 'POST', body: '{', headers });
    expect([broken.status, Problem.parse(await broken.json()).code]).toEqual([400, 'usage/invalid']);
    const large = await fixture.get('/api/v1/freeze', { method: 'POST', body: JSON.stringify({ reason: 'x'.repeat(300_000) }), headers });
    expect([large.status, Problem.parse(await large.json()).code]).toEqual([413, 'http/too-large']);
    const wrong = await fixture.post('/api/v1/prune/forget-node', { node: 7 });
    expect([wrong.status, Problem.parse(await wrong.json()).error]).toEqual([400, expect.stringContaining('node: ')]);
    const path = await fixture.get('/api/v1/applications/%zz');
    expect([path.status, path.headers.get('content-type')]).toEqual([400, expect.stringContaining('problem+json')]);
  });

  it('answers probes without a token, and readiness by what was read', async () => {
    await using fixture = await gatewayFixture();
    const alive = await fetch(`${fixture.gateway.url}/healthz`);
    expect([alive.status, await alive.text()]).toEqual([200, 'ok']);
    await until(async () => expect((await fetch(`${fixture.gateway.url}/readyz`)).status).toBe(200));
  });

  it('describes every endpoint in OpenAPI, with references that resolve', async () => {
    await using fixture = await gatewayFixture();
    const document = Document.parse(await fixture.read(httpApi.openapi));
    expect(Object.keys(document.paths)).toHaveLength(new Set(Object.values<Endpoint>(httpApi).map(({ path }) => path)).size);
    const references = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
    );
    for (const reference of references) {
      const [kind = '', name = ''] = reference.split('/');
      expect(document.components[kind]?.[name], reference).toBeDefined();
    }
    expect(JSON.stringify(document)).not.toContain('#/$defs/');
  });

  it('has a handler for every declared endpoint', async () => {
    await using fixture = await gatewayFixture({ config: { heartbeatMs: 50 } });
    for (const endpoint of Object.values<Endpoint>(httpApi)) {
      const abort = new AbortController();
      const path = endpoint.path.replace(/:\w+/g, 'x');
      const answer = await fixture.get(path, { method: endpoint.method, signal: abort.signal });
      const code = answer.ok ? 'ok' : Problem.parse(await answer.json()).code;
      expect(code, path).not.toMatch(/^http\//);
      abort.abort();
    }
  });
});

describe('hostile clients', () => {
  it('cuts a client that sends its headers too slowly', async () => {
    await using fixture = await gatewayFixture({ config: { headersTimeoutMs: 300, requestTimeoutMs: 600 } });
    const { port } = new URL(fixture.gateway.url);
    const socket = connect(Number(port), '127.0.0.1');
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined).resume();
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const drip = setInterval(() => socket.write('a'), 50);
    await closed;
    clearInterval(drip);
    expect(socket.destroyed).toBe(true);
  });

  it('keeps tokens and query strings out of the log, and gives each answer an id', async () => {
    const lines: string[] = [];
    await using fixture = await gatewayFixture({
      logger: createLogger({ format: 'json', level: 'debug', write: (line) => lines.push(line) }),
    });
    const answer = await fixture.get('/api/v1/status?swarm=canary-query', { headers: { 'x-request-id': 'trace-1' } });
    await fetch(`${fixture.gateway.url}/api/v1/status`, { headers: { authorization: 'Bearer canary-token' } });
    expect(answer.headers.get('x-request-id')).toBe('trace-1');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    await until(async () => expect(lines.join('\n')).toContain('trace-1'));
    expect(lines.join('\n')).not.toMatch(new RegExp(`${TOKEN}|canary`));
  });

  it('leaves nothing behind when it cannot start', async () => {
    await using fixture = await gatewayFixture();
    const taken = new URL(fixture.gateway.url).host;
    const bus = new MemoryBus(new MemoryBroker());
    const start = (config: Record<string, unknown>) =>
      startGateway({ bus, config: GatewayConfig.parse(config), logger: silentLogger, signal: new AbortController().signal });
    await expect(start({ adminToken: 'x', listen: taken })).rejects.toMatchObject({ code: 'config/invalid' });
    await expect(start({ listen: '127.0.0.1:0' })).rejects.toThrow(/no admin token/);
    expect(await bus.presence.list()).toEqual([]);
  });

  it('refuses half a TLS pair', () => {
    expect(GatewayConfig.safeParse({ adminToken: 'x', tlsCert: 'a.pem' }).success).toBe(false);
  });
});
