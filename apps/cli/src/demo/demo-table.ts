import type { View } from '@hivekeep/contracts';
import { applicationTable } from '../output/views.ts';
import type { ProgressSink } from '../sync/progress.ts';

/** The applications as a table that is drawn over itself on a terminal, and as a line for each change elsewhere. */
export class DemoTable {
  readonly #sink: ProgressSink;
  #drawn = 0;
  readonly #said = new Map<string, string>();

  constructor(sink: ProgressSink) {
    this.#sink = sink;
  }

  show(applications: readonly View[]): void {
    if (this.#sink.isTTY) this.#redraw(applicationTable(applications).trimEnd().split('\n'));
    else for (const view of applications) this.#append(view);
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

  /** An error's wording may change all the time, so it makes no new line by itself. */
  #append({ spec, status }: View): void {
    const { healthy, total } = status.health.services;
    const line = `${spec.name}: ${status.sync.state}, ${status.health.state}, ${healthy}/${total} services`;
    if (this.#said.get(spec.name) !== line) this.#sink.write(`  ${line}${status.error ? ` (${status.error})` : ''}\n`);
    this.#said.set(spec.name, line);
  }
}
