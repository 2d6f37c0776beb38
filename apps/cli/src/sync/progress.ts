import type { ServiceStatus, View } from '@hivekeep/contracts';

/** Where progress goes: a terminal is redrawn, anything else gets lines appended. */
export interface ProgressSink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** One line a service: running of desired, health, and the scheduler's word where something is wrong. */
export class SyncProgress {
  readonly #sink: ProgressSink;
  #drawn = 0;
  readonly #said = new Map<string, string>();

  constructor(sink: ProgressSink) {
    this.#sink = sink;
  }

  show(view: View): void {
    const lines = progressLines(view);
    if (this.#sink.isTTY) this.#redraw(lines);
    else this.#append(lines);
  }

  /** What is drawn stays; what comes next starts below. */
  end(): void {
    this.#drawn = 0;
  }

  #redraw(lines: readonly string[]): void {
    const width = Math.max(20, this.#sink.columns ?? 80);
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : '';
    this.#sink.write(`${up}\u001b[J${lines.map((line) => `${line.slice(0, width - 1)}\n`).join('')}`);
    this.#drawn = lines.length;
  }

  #append(lines: readonly string[]): void {
    for (const line of lines) {
      const name = line.split(' ', 1)[0] ?? '';
      if (this.#said.get(name) !== line) this.#sink.write(`${line}\n`);
      this.#said.set(name, line);
    }
  }
}

/** Control characters of a message would move the cursor. */
const plain = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim();

function progressLines({ spec, status }: View): string[] {
  const services = (status.releases ?? []).flatMap((release) => release.services);
  const width = Math.max(spec.name.length, ...services.map((service) => service.name.length));
  const head = [spec.name.padEnd(width), status.sync.state, status.working ? 'working' : '', plain(status.error ?? '')];
  return [head.filter(Boolean).join('  '), ...services.map((service) => serviceLine(service, width))];
}

function serviceLine(service: ServiceStatus, width: number): string {
  const count = service.completed ? `${service.completed} completed` : `${service.running}/${service.desired}`;
  const parts = [service.name.padEnd(width), count.padEnd(5), service.health, service.updateState, plain(service.message ?? '')];
  return parts.filter((part) => part !== '').join('  ');
}
