import { DiffResponse, Event, History, HivekeepError, type SwarmEntry, type View, WireError } from '@hivekeep/contracts';
import { type EventuallyOptions, eventually, run } from '@hivekeep/testkit';
import { program } from './program.ts';

/** One event as the stream gave it. */
export interface StreamedEvent {
  readonly id: string;
  /** The event's type, or `reset`. */
  readonly type: string;
  /** Undefined for a reset. */
  readonly event: Event | undefined;
}

/** The longest that a call may take: a freeze's deadline. */
const CALL_MS = 30_000;

/** The HTTP API of a product under test, below `/api/v1`. */
export class ApiClient {
  readonly #base: string;
  readonly #token: string;

  constructor(port: number, token: string) {
    this.#base = `http://127.0.0.1:${port}/api/v1`;
    this.#token = token;
  }

  /** The JSON of an answer. @throws the HivekeepError that it answers with. */
  get(path: string): Promise<unknown> {
    return this.#call('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<unknown> {
    return this.#call('POST', path, body);
  }

  async view(application: string): Promise<View> {
    return (await this.get(`/applications/${application}`)) as View;
  }

  async views(): Promise<View[]> {
    return ((await this.get('/applications')) as { applications: View[] }).applications;
  }

  async diff(application: string): Promise<DiffResponse> {
    return DiffResponse.parse(await this.get(`/applications/${application}/diff`));
  }

  async history(application: string): Promise<History> {
    return History.parse(await this.get(`/applications/${application}/history`));
  }

  /** @throws when no application and no reconciler named it yet. */
  async swarm(name: string): Promise<SwarmEntry> {
    const { swarms } = (await this.get('/swarms')) as { swarms: SwarmEntry[] };
    const entry = swarms.find((one) => one.name === name);
    if (!entry) throw new Error(`the API shows no swarm ${name}: ${JSON.stringify(swarms)}`);
    return entry;
  }

  /** Waits until the status is as the predicate says; 30 s by default. */
  async waitFor(application: string, is: (status: View['status']) => boolean, options?: EventuallyOptions): Promise<View['status']> {
    const found = async () => {
      const { status } = await this.view(application);
      if (is(status)) return status;
      throw new Error(`its status is ${JSON.stringify(status)}`);
    };
    return eventually(found, { timeoutMs: 90_000, ...options });
  }

  /** Collects events, those after `lastEventId` first, until the signal or the end of the connection. Resolves when it is connected. */
  async follow(events: StreamedEvent[], signal: AbortSignal, lastEventId?: string): Promise<void> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const response = await this.#request('GET', '/events', { headers, signal });
    if (!response.ok) throw new Error(`the event stream answers ${response.status}`);
    void collect(response, events);
  }

  /** Runs the command line against this API and gives its stdout. @throws when it ends with another status than 0. */
  cli(...args: string[]): Promise<string> {
    const env = { PATH: process.env.PATH, HIVEKEEP_SERVER: new URL(this.#base).origin, HIVEKEEP_TOKEN: this.#token };
    return run(process.execPath, ['--enable-source-maps', program, ...args], { env });
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const sent = { ...(body !== undefined && { body: JSON.stringify(body) }), signal: AbortSignal.timeout(CALL_MS) };
    const response = await this.#request(method, path, sent);
    const answer: unknown = await response.json();
    if (response.ok) return answer;
    const problem = answer as { code: string; detail: string; issues?: unknown }; // what httpApi's Problem says
    throw HivekeepError.from(WireError.parse({ code: problem.code, message: problem.detail, issues: problem.issues }));
  }

  #request(
    method: string,
    path: string,
    init: { headers?: Record<string, string>; body?: string; signal: AbortSignal },
  ): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json', ...init.headers };
    return fetch(`${this.#base}${path}`, { ...init, method, headers });
  }
}

async function collect(response: Response, events: StreamedEvent[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of response.body ?? []) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      events.push(...frames.flatMap(parsed));
    }
  } catch {
    // the process was killed, or the test is over
  }
}

function parsed(frame: string): StreamedEvent[] {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1];
  const [id, type, data] = [field('id'), field('event'), field('data')];
  if (id === undefined || type === undefined || data === undefined) return []; // a heartbeat
  return [{ id, type, event: Event.safeParse(JSON.parse(data)).data }];
}
