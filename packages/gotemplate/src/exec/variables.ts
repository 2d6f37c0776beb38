import type { Result } from './arguments.ts';

/** The variables of a template's execution, the innermost last; `$` is its data. */
export class Variables {
  readonly #names: string[] = ['$'];
  readonly #values: Result[];

  constructor(data: Result) {
    this.#values = [data];
  }

  /** How many there are, for `forget`. */
  get count(): number {
    return this.#names.length;
  }

  /** Drops those that were declared since. */
  forget(count: number): void {
    this.#names.length = count;
    this.#values.length = count;
  }

  declare(name: string, value: Result): void {
    this.#names.push(name);
    this.#values.push(value);
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  get(name: string): Result {
    return this.#values[this.#names.lastIndexOf(name)];
  }

  /** The innermost one of that name, which must exist. */
  assign(name: string, value: Result): void {
    this.#values[this.#names.lastIndexOf(name)] = value;
  }

  /** The one that was declared so many before the end: 1 is the last. */
  setFromEnd(distance: number, value: Result): void {
    this.#values[this.#values.length - distance] = value;
  }
}
