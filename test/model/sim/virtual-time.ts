import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, syncBuiltinESMExports } from 'node:module';

interface Due {
  readonly at: number;
  readonly order: number;
  readonly host: Host;
  readonly run: () => void;
  cancelled: boolean;
}

/**
 * Time of a simulated world: events in the order of their moments, each run to its end (all promises settled that can) before the next.
 * What runs inside a host's events sees that host's clock through the globals that programs use: timers, `performance.now`,
 * `AbortSignal.timeout`. Outside of any host they are the real ones.
 */
export class VirtualTime {
  /** Milliseconds since the beginning, and of the wall clock since the epoch. */
  now = 0;
  /** What no program does: writes that land, nature. */
  readonly world: Host = new Host(this, 'world');
  readonly #due: Due[] = [];
  #order = 0;

  at(host: Host, delayMs: number, run: () => void): Due {
    const due: Due = { at: this.now + Math.max(0, delayMs), order: this.#order++, host, run, cancelled: false };
    push(this.#due, due);
    return due;
  }

  /** Runs what is due within `ms` from now; then it is that much later. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    await settled();
    for (let next = this.#due[0]; next && next.at <= end; next = this.#due[0]) {
      pop(this.#due);
      if (next.cancelled || next.host.dead) continue;
      this.now = Math.max(this.now, next.at);
      if (next.host.suspended) next.host.held.push(next.run);
      else {
        within.run(next.host, next.run);
        await settled();
      }
    }
    this.now = end;
  }
}

/** A process or machine of the simulated world, with a clock of its own. */
export class Host {
  readonly time: VirtualTime;
  readonly name: string;
  dead = false;
  suspended = false;
  /** Whether a suspended one is but a stopped process, whose machine's clock runs on; else the machine stands with it. */
  clockMoves = false;
  readonly held: (() => void)[] = [];
  /** How far its monotonic clock is ahead of others. */
  ahead = 0;
  /** How long its monotonic clock stood still. */
  #stood = 0;
  #since = 0;

  constructor(time: VirtualTime, name: string) {
    this.time = time;
    this.name = name;
  }

  /** Its monotonic clock. A suspended machine's stands still. */
  get monotonic(): number {
    return (this.suspended && !this.clockMoves ? this.#since : this.time.now) - this.#stood + this.ahead;
  }

  /** Runs `start` as a program of this host. */
  run<T>(start: () => T): T {
    return within.run(this, start);
  }

  after(ms: number, run: () => void): () => void {
    const wanted = this.monotonic + ms;
    const arm = (delay: number): Due =>
      this.time.at(this, delay, () => {
        const left = wanted - this.monotonic;
        if (left > 1e-6) due = arm(left);
        else run();
      });
    let due = arm(ms);
    return () => {
      due.cancelled = true;
    };
  }

  suspend(): void {
    this.suspended = true;
    this.#since = this.time.now;
  }

  /** Goes on where it stood. */
  resume(): void {
    if (!this.suspended) return;
    this.suspended = false;
    if (!this.clockMoves) this.#stood += this.time.now - this.#since;
    this.clockMoves = false;
    for (const run of this.held.splice(0)) this.time.at(this, 0, run);
  }
}

const within = new AsyncLocalStorage<Host>();
const real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, now: performance.now.bind(performance) };

/** The host whose program runs now. */
export function currentHost(): Host | undefined {
  return within.getStore();
}

/** Resolves when no promise can go on any more by itself. */
function settled(): Promise<void> {
  return new Promise((resolve) => real.setImmediate(resolve));
}

/** A handle as programs expect it of a timer. */
class Timer {
  cancel: () => void = () => undefined;
  unref(): this {
    return this;
  }
  ref(): this {
    return this;
  }
}

function virtualTimeout(host: Host, run: () => void, ms: number): Timer {
  const timer = new Timer();
  timer.cancel = host.after(ms, run);
  return timer;
}

function virtualInterval(host: Host, run: () => void, ms: number): Timer {
  const timer = new Timer();
  const again = (): void => {
    timer.cancel = host.after(ms, () => {
      again();
      run();
    });
  };
  again();
  return timer;
}

function sleep(host: Host, ms: number, value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = host.after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** As `AbortSignal.any`, whose signals Node keeps as long as somebody listens to them: for ever, where a simulated process crashed. */
function anyOf(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  }
  return controller.signal;
}

/** Puts the clocks of hosts under the globals, once for the process. */
export function installVirtualTime(): void {
  const patch = (target: object, name: string, value: unknown): void => {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  };
  patch(globalThis, 'setTimeout', (run: () => void, ms = 0, ...rest: unknown[]) => {
    const host = within.getStore();
    return host ? virtualTimeout(host, run, ms) : Reflect.apply(real.setTimeout, undefined, [run, ms, ...rest]);
  });
  patch(globalThis, 'setInterval', (run: () => void, ms = 0, ...rest: unknown[]) => {
    const host = within.getStore();
    return host ? virtualInterval(host, run, ms) : Reflect.apply(real.setInterval, undefined, [run, ms, ...rest]);
  });
  const clear = (realClear: (timer: unknown) => void) => (timer: unknown) => (timer instanceof Timer ? timer.cancel() : realClear(timer));
  patch(globalThis, 'clearTimeout', clear(real.clearTimeout as (timer: unknown) => void));
  patch(globalThis, 'clearInterval', clear(real.clearInterval as (timer: unknown) => void));
  patch(performance, 'now', () => within.getStore()?.monotonic ?? real.now());
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  patch(AbortSignal, 'timeout', (ms: number) => {
    const host = within.getStore();
    if (!host) return timeout(ms);
    const controller = new AbortController();
    host.after(ms, () => controller.abort(new DOMException('timed out', 'TimeoutError')));
    return controller.signal;
  });
  const any = AbortSignal.any.bind(AbortSignal);
  patch(AbortSignal, 'any', (signals: AbortSignal[]) => (within.getStore() ? anyOf(signals) : any(signals)));
  const promises = createRequire(import.meta.url)('node:timers/promises') as Record<string, (...given: unknown[]) => unknown>;
  const { setTimeout: realSleep, setImmediate: realImmediate } = promises;
  patch(promises, 'setTimeout', (ms = 0, value?: unknown, options: { signal?: AbortSignal } = {}) => {
    const host = within.getStore();
    return host ? sleep(host, ms as number, value, options.signal) : realSleep?.(ms, value, options);
  });
  patch(promises, 'setImmediate', (...given: unknown[]) => {
    const host = within.getStore();
    return host ? sleep(host, 0, undefined, undefined) : realImmediate?.(...given);
  });
  syncBuiltinESMExports();
}

function earlier(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** A binary heap: the earliest is first. */
function push(heap: Due[], due: Due): void {
  let index = heap.push(due) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!earlier(due, heap[parent] as Due)) break;
    heap[index] = heap[parent] as Due;
    index = parent;
  }
  heap[index] = due;
}

function pop(heap: Due[]): void {
  const last = heap.pop() as Due;
  if (heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && earlier(heap[child + 1] as Due, heap[child] as Due)) child += 1;
    if (!earlier(heap[child] as Due, last)) break;
    heap[index] = heap[child] as Due;
    index = child;
  }
  heap[index] = last;
}
