import { setTimeout as sleep } from 'node:timers/promises';
import { Event } from '@hivekeep/contracts';
import type { Installation } from './installation.ts';

/** What the stream told, and when, in milliseconds of `performance.now`. Without an event it was a reset. */
export interface Heard {
  readonly id: string;
  readonly event: Event | undefined;
  readonly at: number;
}

const RECONNECT_MS = 500;

/** A client of `/events` that comes back after each lost connection, to whichever gateway answers, with the last id it has. */
export class EventFollower implements AsyncDisposable {
  readonly heard: Heard[] = [];
  readonly #hive: Installation;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(hive: Installation) {
    this.#hive = hive;
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { nodes } = this.#hive.lab;
    for (let turn = 0; !signal.aborted; turn += 1) {
      const node = nodes[turn % nodes.length];
      if (node) await this.#hear(node).catch(() => undefined); // its gateway is away, or went: another one goes on
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #hear(node: Installation['lab']['nodes'][number]): Promise<void> {
    const last = this.heard.at(-1);
    const answer = await this.#hive.follow(node, '/events', last ? { 'last-event-id': last.id } : {});
    const end = () => answer.destroy();
    this.#stop.signal.addEventListener('abort', end, { once: true });
    try {
      if (this.#stop.signal.aborted) return;
      let rest = '';
      for await (const chunk of answer.setEncoding('utf8')) {
        const frames = (rest + chunk).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) this.#take(frame);
      }
    } finally {
      this.#stop.signal.removeEventListener('abort', end);
      answer.destroy();
    }
  }

  #take(frame: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
    const [id, type, data] = [field('id'), field('event'), field('data')];
    if (id === undefined || data === undefined) return; // a heartbeat
    this.heard.push({ id, event: type === 'reset' ? undefined : Event.parse(JSON.parse(data)), at: performance.now() });
  }
}

/** Places where the sequence goes on without what is between, and no reset says so. */
export function holesIn(heard: readonly Pick<Heard, 'id' | 'event'>[]): string[] {
  return heard.flatMap(({ id, event }, index) => {
    const before = heard[index - 1];
    return !before || event === undefined || id === follows(before.id) ? [] : [`${before.id} is followed by ${id}`];
  });
}

/** The id that comes next in the same log. */
function follows(id: string): string {
  const [, log, sequence] = /^(.*)-(\d+)$/.exec(id) ?? [];
  return `${log}-${Number(sequence) + 1}`;
}
