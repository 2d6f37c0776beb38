import { setTimeout as sleep } from 'node:timers/promises';
import { HivekeepError } from '@hivekeep/contracts';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { EngineEvent } from '../client/engine-answers.ts';

export type ObjectKind = 'service' | 'network' | 'config' | 'secret' | 'node';

/** That something happened to an object. A hint: it is never the data, and some are lost without a word. */
export interface Hint {
  readonly kind: ObjectKind;
  readonly id: string;
  /** Empty where the daemon gives none. */
  readonly name: string;
  readonly action: 'create' | 'update' | 'remove';
}

export interface EventSink {
  hint(hint: Hint): void;
  /** A new stream is open: hints before it may be missing. */
  connected(): void;
  disconnected(error: HivekeepError): void;
}

const FILTERS = JSON.stringify({ type: ['service', 'network', 'config', 'secret', 'node'], scope: ['swarm'] });
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 10_000;
const MAX_LINE_CHARS = 1024 * 1024;

/**
 * Reads the daemon's events until the signal: connects again with a growing pause, and does nothing else, because the daemon
 * drops events of a slow reader silently. `sink` must return at once. Tasks are not in a manager's stream.
 */
export async function followEvents(swarm: DockerSwarm, sink: EventSink, signal: AbortSignal): Promise<void> {
  let pause = FIRST_RETRY_MS;
  while (!signal.aborted) {
    const error = await readOneStream(swarm, sink, signal, () => {
      pause = FIRST_RETRY_MS;
    });
    if (signal.aborted) return;
    sink.disconnected(error);
    await sleep(pause, undefined, { signal }).catch(() => {});
    pause = Math.min(pause * 2, MAX_RETRY_MS);
  }
}

async function readOneStream(swarm: DockerSwarm, sink: EventSink, signal: AbortSignal, opened: () => void): Promise<HivekeepError> {
  try {
    const request = { method: 'GET', path: '/events', query: { filters: FILTERS }, action: 'follow events' } as const;
    const stream = await swarm.http.stream(request, signal);
    opened();
    sink.connected();
    const split = new LineSplitter();
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      for (const line of split.push(chunk)) {
        const hint = hintOf(line);
        if (hint) sink.hint(hint);
      }
    }
    return new HivekeepError('swarm/unreachable', 'follow events: the daemon ended the stream');
  } catch (cause) {
    if (cause instanceof HivekeepError) return cause;
    return new HivekeepError('swarm/unreachable', 'follow events: the connection broke', { cause });
  }
}

/** Puts a stream's lines together from chunks that may end anywhere, inside a character too. */
export class LineSplitter {
  readonly #decoder = new TextDecoder();
  #rest = '';

  /** The lines that `chunk` completes. @throws HivekeepError `swarm/unreachable` for a line without an end */
  push(chunk: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_LINE_CHARS) throw new HivekeepError('swarm/unreachable', 'follow events: a line without an end');
    return lines;
  }
}

const KINDS: readonly string[] = ['service', 'network', 'config', 'secret', 'node'] satisfies ObjectKind[];

/** One line of the stream; undefined for what is no hint. */
export function hintOf(line: string): Hint | undefined {
  if (line.trim() === '') return undefined;
  const event = parseEvent(line);
  const id = event?.Actor?.ID;
  if (!event || !id || !event.Type || !KINDS.includes(event.Type)) return undefined;
  const action = event.Action === 'remove' || event.Action === 'destroy' ? 'remove' : event.Action === 'create' ? 'create' : 'update';
  return { kind: event.Type as ObjectKind, id, name: event.Actor?.Attributes?.name ?? '', action };
}

function parseEvent(line: string): EngineEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? (value as EngineEvent) : undefined;
  } catch {
    return undefined;
  }
}
