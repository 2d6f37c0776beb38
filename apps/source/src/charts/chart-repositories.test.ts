import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHART_LIMITS } from '@hivekeep/charts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chartRepositories } from '../testing/chart-renderer.ts';
import { ChartServer } from '../testing/chart-server.ts';
import type { ChartRepositories, ChartRepositoriesOptions } from './chart-repositories.ts';
import { checkChartUrl, isPrivateAddress } from './chart-url-policy.ts';

const TEMPLATE = 'services:\n  web:\n    image: nginx:1\n';
let directory: string;
let server: ChartServer;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hivekeep-charts-'));
  server = await ChartServer.start();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const repositories = (options: Partial<ChartRepositoriesOptions> = {}) => chartRepositories(directory, options);
const wanted = (version = '1.0.0', url = server.url) => ({ repository: 'main', url, chart: 'web', version });
async function fetch(made: ChartRepositories, version?: string): Promise<Buffer> {
  return made.archive(await made.locate(wanted(version)));
}

describe('a version of a chart', () => {
  it('is exact: a v in front and build metadata make no difference, a range is none', async () => {
    await server.publish('web', '1.0.0', TEMPLATE);
    await server.publish('web', '1.1.0', TEMPLATE);
    const made = repositories();
    expect((await made.locate(wanted('v1.0.0'))).entry.version).toBe('1.0.0');
    expect((await made.locate(wanted('1.0.0+build'))).entry.version).toBe('1.0.0');
    await expect(made.locate(wanted('^1.0'))).rejects.toMatchObject({ code: 'chart/not-found', message: expect.stringContaining('1.1.0') });
    await expect(made.locate({ ...wanted(), chart: 'none' })).rejects.toMatchObject({ code: 'chart/not-found' });
  });

  it('is fetched once and then taken from the disk, where it is checked again', async () => {
    const digest = await server.publish('web', '1.0.0', TEMPLATE);
    await fetch(repositories());
    await fetch(repositories());
    expect(server.requests.filter((line) => line.includes('.tgz'))).toEqual(['/web-1.0.0.tgz 200']);
    writeFileSync(join(directory, 'archives', `${digest}.tgz`), 'tampered');
    await fetch(repositories());
    expect(server.requests.filter((line) => line.includes('.tgz'))).toHaveLength(2);
  });

  it.each<[string, string | undefined, RegExp | undefined]>([
    ['another digest', 'a'.repeat(64), /the index says aaaa/],
    ['another algorithm', 'md5:abc', /expected sha256/],
    ['no digest', undefined, undefined],
  ])('with %s', async (_name, digest, message) => {
    await server.publish('web', '1.0.0', TEMPLATE);
    server.index([{ name: 'web', version: '1.0.0', urls: ['web-1.0.0.tgz'], ...(digest && { digest }) }]);
    if (message)
      await expect(fetch(repositories())).rejects.toMatchObject({ code: 'chart/invalid', message: expect.stringMatching(message) });
    else {
      await fetch(repositories());
      await fetch(repositories());
      expect(server.requests.filter((line) => line.includes('.tgz'))).toHaveLength(2);
    }
  });
});

describe('an index', () => {
  it('is asked for again only when it has aged, and then revalidated', async () => {
    await server.publish('web', '1.0.0', TEMPLATE);
    let now = 1_000_000;
    const made = repositories({ maxAgeMs: 60_000, now: () => now });
    await made.locate(wanted());
    await made.locate(wanted());
    expect(server.requests).toEqual(['/index.yaml 200']);
    now += 60_001;
    await made.locate(wanted());
    await repositories({ maxAgeMs: 60_000, now: () => now }).locate(wanted());
    expect(server.requests).toEqual(['/index.yaml 200', '/index.yaml 304']);
  });

  it('is asked for again when a version is missing', async () => {
    await server.publish('web', '1.0.0', TEMPLATE);
    let now = 1_000_000;
    const made = repositories({ maxAgeMs: 600_000, now: () => now });
    await made.locate(wanted());
    await server.publish('web', '2.0.0', TEMPLATE);
    await expect(made.locate(wanted('2.0.0'))).rejects.toMatchObject({ code: 'chart/not-found' });
    now += 30_001;
    expect((await made.locate(wanted('2.0.0'))).entry.version).toBe('2.0.0');
  });

  it('that was good is used while the repository gives none, and is never replaced by a bad one', async () => {
    await server.publish('web', '1.0.0', TEMPLATE);
    const told: string[] = [];
    const made = repositories({ onStale: (_repository, { code }) => told.push(code) });
    await made.locate(wanted());
    server.routes.set('/index.yaml', { body: 'entries: [' });
    await made.locate(wanted());
    server.routes.set('/index.yaml', { status: 404 });
    await made.locate(wanted());
    expect(told).toEqual(['chart/invalid', 'chart/not-found']);
  });

  it('that is damaged on the disk is fetched again', async () => {
    await server.publish('web', '1.0.0', TEMPLATE);
    await repositories({ maxAgeMs: 60_000 }).locate(wanted());
    const [file = ''] = readdirSync(join(directory, 'indexes')).filter((name) => name.endsWith('.yaml'));
    writeFileSync(join(directory, 'indexes', file), 'entries: [');
    await repositories({ maxAgeMs: 60_000 }).locate(wanted());
    expect(server.requests).toEqual(['/index.yaml 200', '/index.yaml 200']);
  });

  it('that is not there leaves nothing on the disk', async () => {
    await expect(repositories().locate(wanted())).rejects.toMatchObject({ code: 'chart/not-found' });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('that is asked for many times at once is fetched once', async () => {
    await server.publish('web', '1.0.0', TEMPLATE);
    const made = repositories({ maxAgeMs: 60_000 });
    await Promise.all(Array.from({ length: 20 }, () => made.locate(wanted())));
    expect(server.requests).toEqual(['/index.yaml 200']);
  });
});

describe('what a server does wrong', () => {
  it('is tried again when it may pass, and not when it will not', async () => {
    await server.publish('web', '1.0.0', TEMPLATE);
    const index = server.routes.get('/index.yaml');
    let failures = 0;
    server.routes.set('/index.yaml', (request) => {
      failures += 1;
      if (failures === 1) return { status: 502 };
      return typeof index === 'function' ? index(request) : undefined;
    });
    await repositories().locate(wanted());
    expect(server.requests).toEqual(['/index.yaml 502', '/index.yaml 200']);
  });

  it('ends by its size while it is sent', async () => {
    await server.publish('web', '1.0.0', TEMPLATE);
    server.routes.set('/web-1.0.0.tgz', { body: Buffer.alloc(CHART_LIMITS.archiveBytes + 1), headers: { 'transfer-encoding': 'chunked' } });
    await expect(fetch(repositories())).rejects.toMatchObject({ code: 'source/too-large' });
  });

  it('ends by its time', async () => {
    server.routes.set('/index.yaml', () => undefined);
    await expect(repositories({ timeoutMs: 50 }).locate(wanted())).rejects.toMatchObject({ code: 'source/timeout' });
  });

  it('costs many that ask one after another its wait once', async () => {
    let now = 1_000_000;
    const made = repositories({ maxAgeMs: 600_000, now: () => now });
    for (let i = 0; i < 5; i++) await expect(made.locate(wanted())).rejects.toMatchObject({ code: 'chart/not-found' });
    expect(server.requests).toHaveLength(1);
    await server.publish('web', '1.0.0', TEMPLATE);
    now += 30_001;
    await made.locate(wanted());
  });

  it('ends when the service does', async () => {
    server.routes.set('/index.yaml', () => undefined);
    const stop = new AbortController();
    const asked = repositories({ signal: stop.signal }).locate(wanted());
    stop.abort();
    await expect(asked).rejects.toThrow();
  });

  it('is named without user, password and query', async () => {
    server.routes.set('/index.yaml', { status: 401 });
    const url = server.url.replace('http://', 'http://ann:canary-7c1@');
    const failed = repositories().locate(wanted('1.0.0', `${url}?key=canary-7c1`));
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('canary') });
  });
});

describe('where a repository may lead', () => {
  it.each([
    ['another https host', 302, true],
    ['nowhere', 302, false],
  ])('a redirect to %s', async (_name, status, found) => {
    await server.publish('web', '1.0.0', TEMPLATE);
    const other = await ChartServer.start();
    other.routes.set(
      '/index.yaml',
      found ? { status, headers: { location: `${server.url}/index.yaml` } } : { status, headers: { location: 'file:///etc/passwd' } },
    );
    const asked = repositories().locate(wanted('1.0.0', other.url));
    if (found) expect((await asked).entry.version).toBe('1.0.0');
    else await expect(asked).rejects.toMatchObject({ code: 'source/refused' });
    await other[Symbol.asyncDispose]();
  });

  it('a redirect to a private network is refused', async () => {
    server.routes.set('/index.yaml', { status: 301, headers: { location: 'https://169.254.169.254/latest' } });
    await expect(repositories().locate(wanted())).rejects.toMatchObject({
      code: 'source/refused',
      message: expect.stringContaining('private network'),
    });
  });

  it('an address that is none shows no password', () => {
    const check = () => checkChartUrl('ftp://ann:canary-7c1@charts.example/x', { allowedHosts: [] });
    expect(check).toThrow(expect.objectContaining({ message: expect.not.stringContaining('canary') }));
  });

  it('a redirect in a circle ends', async () => {
    server.routes.set('/index.yaml', { status: 302, headers: { location: '/index.yaml' } });
    await expect(repositories().locate(wanted())).rejects.toMatchObject({
      code: 'source/refused',
      message: expect.stringContaining('10 times'),
    });
  });

  it('an archive elsewhere is under the same rules', async () => {
    server.index([{ name: 'web', version: '1.0.0', urls: ['file:///etc/passwd'] }]);
    await expect(repositories().locate(wanted())).rejects.toMatchObject({ code: 'source/refused' });
    server.index([{ name: 'web', version: '1.0.0', urls: ['http://charts.example/web.tgz'] }]);
    await expect(repositories().locate(wanted())).rejects.toMatchObject({
      code: 'source/refused',
      message: expect.stringContaining('not encrypted'),
    });
  });

  it('a name that answers with a private address is refused', async () => {
    const port = new URL(server.url).port;
    await server.publish('web', '1.0.0', TEMPLATE);
    const policy = { allowedHosts: [] };
    await expect(repositories({ policy }).locate(wanted('1.0.0', `https://localhost:${port}`))).rejects.toMatchObject({
      code: 'source/refused',
      message: expect.stringContaining('private network'),
    });
    expect(server.requests).toEqual([]);
  });

  it.each([
    'http://charts.example',
    'ftp://charts.example',
    'file:///charts',
    'charts',
    'https://10.0.0.1/c',
    'https://[::1]/c',
    'https://0x7f.1/c',
  ])('%s is refused', (url) => {
    expect(() => checkChartUrl(url, { allowedHosts: [] })).toThrow(expect.objectContaining({ code: 'source/refused' }));
  });

  it.each(['https://charts.example', 'https://93.184.216.34/c', 'https://[2606:2800::1]/c'])('%s is not', (url) => {
    expect(checkChartUrl(url, { allowedHosts: [] }).href).toContain('https://');
  });

  it.each([
    ['127.0.0.1', true],
    ['100.64.1.1', true],
    ['::ffff:10.0.0.1', true],
    ['fe80::1', true],
    ['8.8.8.8', false],
    ['2001:4860::1', false],
  ])('%s is private: %s', (address, expected) => {
    expect(isPrivateAddress(address)).toBe(expected);
  });
});
