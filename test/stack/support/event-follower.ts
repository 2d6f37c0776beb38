import { Event } from '@hivekeep/contracts';
import type { LabNode } from '@hivekeep/testkit';
import { again, type Repeated } from './again.ts';
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
  readonly #running: Repeated;

  constructor(hive: Installation) {
    this.#hive = hive;
    const { nodes } = hive.lab;
    this.#running = again(RECONNECT_MS, async (turn, signal) => {
      const node = nodes[turn % nodes.length];
      if (node) await this.#hear(node, signal).catch(() => undefined); // its gateway is away, or went: another one goes on
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.stop();
  }

  async #hear(node: LabNode, signal: AbortSignal): Promise<void> {
    const last = this.heard.at(-1);
    const answer = await this.#hive.follow(node, '/events', last ? { 'last-event-id': last.id } : {});
    const end = () => answer.destroy();
    signal.addEventListener('abort', end, { once: true });
    try {
      if (signal.aborted) return;
      let rest = '';
      for await (const chunk of answer.setEncoding('utf8')) {
        const frames = (rest + chunk).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) this.#take(frame);
      }
    } finally {
      signal.removeEventListener('abort', end);
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
