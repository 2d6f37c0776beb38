import type { Hint, ObjectKind } from './event-stream.ts';

/** One write of this process, from before it is sent. */
export interface OwnWrite {
  readonly kind: ObjectKind;
  readonly name: string;
  /** Unknown before a create. */
  readonly id?: string;
  readonly action: Hint['action'];
}

const MAX_EXPECTED = 5_000;

/**
 * Tells the echo of our own writes from other people's. Hints about an object that is being written are held until the write is
 * over; afterwards one hint of its kind is expected and swallowed.
 */
export class OwnWrites {
  readonly #writing = new Map<string, number>();
  readonly #expected = new Set<string>();
  #held: Hint[] = [];

  begin({ kind, name }: OwnWrite): void {
    const key = `${kind}/${name}`;
    this.#writing.set(key, (this.#writing.get(key) ?? 0) + 1);
  }

  /** Ends a write; `id` of the object written, undefined when the write failed. Gives the hints held meanwhile. */
  end({ kind, name, action }: OwnWrite, id: string | undefined): Hint[] {
    const key = `${kind}/${name}`;
    const left = (this.#writing.get(key) ?? 1) - 1;
    if (left > 0) this.#writing.set(key, left);
    else this.#writing.delete(key);
    if (id !== undefined) this.#expect(`${kind}/${id}/${action}`);
    const held = this.#held;
    this.#held = [];
    return held;
  }

  /** Whether the hint is held back or was our own: then nobody should react. */
  swallow(hint: Hint): boolean {
    if (this.#writing.has(`${hint.kind}/${hint.name}`)) {
      this.#held.push(hint);
      return true;
    }
    return this.#expected.delete(`${hint.kind}/${hint.id}/${hint.action}`);
  }

  /** After a reconnect no echo of earlier writes will come. */
  forget(): void {
    this.#expected.clear();
  }

  #expect(key: string): void {
    const oldest = this.#expected.values().next();
    if (this.#expected.size >= MAX_EXPECTED && !oldest.done) this.#expected.delete(oldest.value);
    this.#expected.add(key);
  }
}
