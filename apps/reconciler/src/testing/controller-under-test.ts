import { type Status, type SwarmView, View } from '@hivekeep/contracts';
import { createLogger, MemoryBroker, MemoryBus, type RunningService, silentLogger } from '@hivekeep/runtime';
import { FakeEngine } from '@hivekeep/swarm/testing';
import { eventually } from '@hivekeep/testkit';
import { ReconcilerOptions } from '../config.ts';
import { type RunningReconciler, startReconciler } from '../start-reconciler.ts';
import { SourceState, startFakeSource } from './fake-source.ts';

/** A reconciler over an engine in memory and a source of the test's making, on the in-process bus. */
export class ControllerUnderTest implements AsyncDisposable {
  readonly engine: FakeEngine;
  readonly source = new SourceState();
  readonly bus: MemoryBus;
  readonly events: string[] = [];
  /** What the reconcilers logged. */
  readonly lines: Record<string, unknown>[] = [];
  readonly #broker = new MemoryBroker();
  readonly #undo: (() => Promise<void>)[] = [];
  #source: RunningService | undefined;
  readonly #views = new Map<string, unknown>();

  private constructor(engine: FakeEngine) {
    this.engine = engine;
    this.bus = new MemoryBus(this.#broker, silentLogger);
  }

  static async start(): Promise<ControllerUnderTest> {
    const test = new ControllerUnderTest(await FakeEngine.start());
    await test.startSource();
    test.#undo.push(() => test.stopSource());
    await test.bus.views.watch(
      ({ key, value }) => (value === undefined ? test.#views.delete(key) : test.#views.set(key, value)),
      () => undefined,
    );
    await test.bus.events.subscribe(undefined, (stored) => {
      if ('event' in stored) test.events.push(`${stored.event.type} ${stored.event.application}`.trim());
    });
    return test;
  }

  async startSource(): Promise<void> {
    this.#source = await startFakeSource(new MemoryBus(this.#broker, silentLogger), this.source);
  }

  async stopSource(): Promise<void> {
    await this.#source?.close();
  }

  /** Starts a reconciler; closing the test ends it. */
  async reconciler(options: Partial<ReconcilerOptions> = {}): Promise<RunningReconciler> {
    const running = await startReconciler({
      bus: new MemoryBus(this.#broker, silentLogger),
      endpoint: { kind: 'socket', path: this.engine.socket },
      options: ReconcilerOptions.parse({ swarm: 'test', home: true, appSetIntervalMs: 200, reconcileIntervalMs: 60_000, ...options }),
      logger: createLogger({ format: 'json', write: (line) => this.lines.push(JSON.parse(line)) }),
      version: '0.0.0',
    });
    this.#undo.push(() => running.close());
    return running;
  }

  status(application: string): Status | undefined {
    const view = this.#views.get(`test.application.${application}`);
    return view === undefined ? undefined : View.parse(view).status;
  }

  swarmView(): SwarmView | undefined {
    return this.#views.get('test.swarm') as SwarmView | undefined;
  }

  async until(application: string, holds: (status: Status) => boolean): Promise<Status> {
    return eventually(
      () => {
        const status = this.status(application);
        return status !== undefined && holds(status) && status;
      },
      { timeoutMs: 10_000, intervalMs: 20 },
    );
  }

  /** `POST /services/create web_web` and the like, in order, leases left out. */
  writes(): string[] {
    return this.engine.calls
      .filter(({ method }) => method !== 'GET')
      .filter(({ body, path }) => !body.includes('hivekeep.lease.') && path !== '/containers')
      .map(({ method, path, body }) => `${method} ${path.replace(/[a-z]+-\d+/g, 'ID')} ${nameIn(body)}`.trim());
  }

  names(kind: 'services' | 'networks' | 'configs' | 'secrets'): string[] {
    return this.engine
      .objects(kind)
      .map(({ Spec }) => Spec.Name)
      .filter((name) => !name.startsWith('hivekeep.lease.'))
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const undo of this.#undo.reverse()) await undo();
    await this.bus.close();
    await this.engine[Symbol.asyncDispose]();
  }
}

function nameIn(body: string): string {
  return /"Name":"([^"]+)"/.exec(body)?.[1] ?? '';
}
