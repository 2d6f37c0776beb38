import type { Cursor, Mark } from './cursor.ts';
import type { Fail } from './tokens.ts';

/** A place where a key without `?` may have started; it is one when a `:` follows on the same line. */
export interface SimpleKey {
  /** It stands where only a key can stand. */
  readonly required: boolean;
  /** The token that would be its first, counted from the start of the text. */
  readonly tokenNumber: number;
  readonly mark: Mark;
}

interface Level {
  key: SimpleKey | undefined;
  /** Whether the scanner holds back the key's first token until it knows. */
  awaited: boolean;
  hadKey: boolean;
  /** The number of the token that opened it. */
  readonly opening: number;
}

/** A key without `?` may not be longer (YAML 1.1, 7.4.2). */
const SIMPLE_KEY_LENGTH = 1024;

/** The possible keys that are open: one in the block, one in each flow collection. */
export class SimpleKeys {
  readonly #cursor: Cursor;
  readonly #fail: Fail;
  readonly #levels: Level[] = [{ key: undefined, awaited: false, hadKey: false, opening: -1 }];

  constructor(cursor: Cursor, fail: Fail) {
    this.#cursor = cursor;
    this.#fail = fail;
  }

  /** Notes a possible key in place of the one before. */
  save(key: SimpleKey): void {
    this.drop();
    Object.assign(this.#innermost(), { key, awaited: true, hadKey: true });
  }

  /** What stands here is no key; fails when it had to be one. */
  drop(): void {
    const level = this.#innermost();
    if (level.key?.required) this.#missingColon(level.key);
    level.key = undefined;
  }

  /** The innermost possible key when a `:` may still make it one; it is no longer possible afterwards. */
  take(): SimpleKey | undefined {
    const level = this.#innermost();
    const key = this.#stillPossible(level);
    level.key = undefined;
    return key;
  }

  /** Whether the token of this number may turn out to be the first of a key. */
  awaits(tokenNumber: number): boolean {
    const level = this.#levels.find(({ key, awaited }) => awaited && key?.tokenNumber === tokenNumber);
    return level !== undefined && this.#stillPossible(level) !== undefined;
  }

  /** A flow collection starts with the token of this number. */
  enterFlow(opening: number): void {
    this.#levels.push({ key: undefined, awaited: false, hadKey: false, opening });
  }

  /** yaml.v3 no longer holds back an empty `[]` or `{}`, though it may still become a key. */
  leaveFlow(): void {
    const left = this.#levels.pop();
    const around = this.#innermost();
    if (left?.hadKey === false && around.key?.tokenNumber === left.opening) around.awaited = false;
  }

  #innermost(): Level {
    return this.#levels.at(-1) as Level;
  }

  #stillPossible(level: Level): SimpleKey | undefined {
    const { key } = level;
    if (key === undefined) return undefined;
    if (key.mark.line === this.#cursor.line && key.mark.index + SIMPLE_KEY_LENGTH >= this.#cursor.index) return key;
    if (key.required) this.#missingColon(key);
    level.key = undefined;
    return undefined;
  }

  #missingColon(key: SimpleKey): never {
    return this.#fail("could not find expected ':'", key.mark);
  }
}
