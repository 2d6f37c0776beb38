import { sprintValue } from '../fmt/sprint.ts';
import type { Result } from './arguments.ts';
import type { Meter } from './meter.ts';

/** What a render has written so far (byte strings). */
export class Output {
  readonly #meter: Meter;
  readonly #pieces: string[] = [];

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** Throws `LimitFailure` when the output becomes larger than it may be. */
  write(text: string): void {
    this.#meter.chargeOutput(text.length);
    this.#pieces.push(text);
  }

  /** The value of an action, as templates print it. */
  print(value: Result): void {
    if (value === undefined || value === null) this.write('<no value>');
    else if (typeof value !== 'object') this.write(sprintValue(value));
    else {
      this.#meter.chargeWalk(value);
      const printed = value.kind === 'ptr' ? value.version.toString() : sprintValue(value, this.#meter.bytesLeft);
      this.#meter.chargeBytes(printed.length);
      this.write(printed);
    }
  }

  toString(): string {
    return this.#pieces.join('');
  }
}
