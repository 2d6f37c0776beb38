import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChartDirectory, digestOf, loadChartDirectory, packChart } from '@hivekeep/charts';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A chart repository on this machine, over plain http. */
export class ChartServer implements AsyncDisposable {
  /** Answers by path; a function is asked each time, an undefined answer is never given. */
  readonly routes = new Map<string, Answer | ((request: IncomingMessage) => Answer | undefined)>();
  /** `GET /index.yaml` and the status that was answered, in order. */
  readonly requests: string[] = [];
  readonly #server = createServer((request, response) => {
    const route = this.routes.get(request.url ?? '');
    const answer = typeof route === 'function' ? route(request) : (route ?? { status: 404 });
    if (answer === undefined) return;
    const { status = 200, headers = {}, body = '' } = answer;
    this.requests.push(`${request.url} ${status}`);
    response.writeHead(status, headers).end(body);
  });

  static async start(): Promise<ChartServer> {
    const server = new ChartServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Publishes a chart of one template and gives its digest; the index lists what was published last for each version. */
  async publish(name: string, version: string, template: string, { digest = true } = {}): Promise<string> {
    const { bytes, fileName } = packChart(await loadChartDirectory(oneTemplate(name, version, template), name));
    const sha = digestOf(bytes);
    this.routes.set(`/${fileName}`, { body: bytes });
    this.#versions.set(`${name} ${version}`, { name, version, urls: [fileName], ...(digest && { digest: `sha256:${sha.toUpperCase()}` }) });
    this.index([...this.#versions.values()]);
    return sha;
  }

  /** Serves an index with these entries, and answers 304 to who has it. */
  index(entries: readonly object[]): void {
    const body = JSON.stringify({
      apiVersion: 'v1',
      generated: 'now',
      entries: Object.groupBy(entries, (entry) => (entry as { name: string }).name),
    });
    const etag = `"${digestOf(Buffer.from(body)).slice(0, 16)}"`;
    this.routes.set('/index.yaml', ({ headers }) => (headers['if-none-match'] === etag ? { status: 304 } : { headers: { etag }, body }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  readonly #versions = new Map<string, object>();
}

function oneTemplate(name: string, version: string, template: string): ChartDirectory {
  const files: Record<string, string> = { 'Chart.yaml': `name: ${name}\nversion: ${version}\n`, 'templates/stack.yaml': template };
  return {
    list: async (path) =>
      path === ''
        ? [
            { name: 'Chart.yaml', kind: 'file' },
            { name: 'templates', kind: 'directory' },
          ]
        : [{ name: 'stack.yaml', kind: 'file' }],
    size: async (path) => Buffer.byteLength(files[path] ?? ''),
    read: async (path) => Buffer.from(files[path] ?? ''),
  };
}
