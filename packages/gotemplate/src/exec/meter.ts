import { LimitFailure } from '../failure.ts';
import { Dict, List, Struct, type Value } from '../values.ts';

export interface RenderLimits {
  /** Units of work of one render: an action, a call, an element or 8 bytes made are one each. */
  readonly steps: number;
  /** Bytes of its output. */
  readonly outputBytes: number;
  /** How deep templates may call each other. */
  readonly depth: number;
}

export const defaultLimits: RenderLimits = { steps: 2_000_000, outputBytes: 16 * 1024 * 1024, depth: 1000 };

/** How much text may be made for a step. */
const BYTES_PER_STEP = 8;
const MAX_VALUE_DEPTH = 1000;

/** Counts the work of a render, or of several together, and stops it when it is too much. */
export class Meter {
  readonly limits: RenderLimits;
  #left: number;
  #written = 0;

  constructor(limits: Partial<RenderLimits> = {}) {
    this.limits = { ...defaultLimits, ...limits };
    this.#left = this.limits.steps;
  }

  /** Whether so many steps were left. */
  take(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  /** Throws `LimitFailure` when that was more than what is left. */
  charge(steps: number): void {
    if (!this.take(steps)) throw new LimitFailure(this.exhausted);
  }

  get exhausted(): string {
    return `the render takes more than ${this.limits.steps} steps; is there an endless loop?`;
  }

  /** Throws `LimitFailure` when all that was written is more than the output may have. */
  chargeOutput(bytes: number): void {
    this.#written += bytes;
    const { outputBytes } = this.limits;
    if (this.#written > outputBytes) throw new LimitFailure(`the output is larger than ${outputBytes} bytes`);
  }

  /** For text that is about to be made. */
  chargeBytes(bytes: number): void {
    this.charge(bytes / BYTES_PER_STEP);
  }

  /** For a call and what it gave. */
  chargeMade(value: Value): void {
    if (typeof value === 'string') this.charge(1 + value.length / BYTES_PER_STEP);
    else if (value instanceof List) this.charge(1 + 2 * value.items.length);
    else this.charge(value instanceof Dict ? 1 + 2 * value.size : 1);
  }

  /** How long a text may become with what is left. */
  get bytesLeft(): number {
    return Math.max(this.#left, 0) * BYTES_PER_STEP;
  }

  /** For a walk through all of a value. Throws when it is deeper than 1,000, as one that holds itself is. */
  chargeWalk(value: Value, depth = 0): void {
    this.charge(1);
    if (typeof value !== 'object' || value === null) {
      if (typeof value === 'string') this.chargeBytes(value.length);
      return;
    }
    if (depth > MAX_VALUE_DEPTH) throw new LimitFailure(`a value is nested deeper than ${MAX_VALUE_DEPTH}; does it hold itself?`);
    if (value instanceof List) for (const item of value.items) this.chargeWalk(item, depth + 1);
    else if (value instanceof Dict) for (const item of value.values()) this.chargeWalk(item, depth + 1);
    else if (value instanceof Struct) for (const item of value.fields.values()) this.chargeWalk(item, depth + 1);
  }
}
