import { RE2JS, RE2JSException } from 're2js';
import { CallFailure, LimitFailure } from '../failure.ts';
import { bytesOf, isAscii, isValidUtf8, textOf, toBytes } from './bytes.ts';

const MAX_PATTERN_BYTES = 4096;
const MAX_CACHED = 200;
const compiled = new Map<string, Regex>();

/** Where a match and its groups stand, in bytes: start, end, start of group 1, … with -1 for a group that took no part. */
export type Match = readonly number[];

/** A pattern in RE2's syntax and meaning, over byte strings; time grows with the length of the text alone. */
export class Regex {
  readonly #re: RE2JS;
  /** The groups of each name: Go lets several have the same. */
  readonly groupNames: ReadonlyMap<string, readonly number[]>;

  private constructor({ re, groupNames }: Compiled) {
    this.#re = re;
    this.groupNames = groupNames;
  }

  /** Throws `CallFailure` when it is none, `LimitFailure` when it is longer than 4 KiB. */
  static compile(pattern: string): Regex {
    const known = compiled.get(pattern);
    if (known) return known;
    if (pattern.length > MAX_PATTERN_BYTES) throw new LimitFailure(`a regular expression is longer than ${MAX_PATTERN_BYTES} bytes`);
    if (compiled.size >= MAX_CACHED) compiled.clear();
    const regex = new Regex(compilePattern(pattern));
    compiled.set(pattern, regex);
    return regex;
  }

  /** Instructions of its program: how much work a byte of the text may be. */
  get size(): number {
    return this.#re.programSize();
  }

  matches(text: string): boolean {
    return this.#re.matcher(inputOf(text)).find();
  }

  /** The first match. */
  find(text: string): Match | undefined {
    return this.findAll(text, 1)[0];
  }

  /** Up to `limit` matches (all when negative); an empty one right after another match is none, as in Go. */
  findAll(text: string, limit: number, onMatch: () => void = () => undefined): Match[] {
    const found: Match[] = [];
    const matcher = this.#re.matcher(inputOf(text));
    let previousEnd = -1;
    while (found.length !== limit && matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      if (start !== end || start !== previousEnd) {
        const match: number[] = [];
        for (let group = 0; group <= matcher.groupCount(); group++) match.push(matcher.start(group), matcher.end(group));
        found.push(match);
        onMatch();
      }
      previousEnd = end;
    }
    return found;
  }
}

/** Bytes are matched as such where they are not all ASCII, so that positions are ours. */
const inputOf = (text: string) => (isAscii(text) ? text : toBytes(text));

interface Compiled {
  readonly re: RE2JS;
  readonly groupNames: ReadonlyMap<string, readonly number[]>;
}

function compilePattern(pattern: string): Compiled {
  if (!isValidUtf8(pattern)) throw new CallFailure('error parsing regexp: invalid UTF-8');
  const names: string[] = [];
  const numbered = textOf(pattern).replace(/\(\?P?<([A-Za-z0-9_]+)>/g, (_all, name: string) => `(?P<g${names.push(name) - 1}>`);
  const hasTwice = new Set(names).size < names.length;
  try {
    const re = RE2JS.compile(hasTwice ? numbered : textOf(pattern));
    const groups = Object.entries(re.namedGroups()).map(
      ([name, index]) => [hasTwice ? (names[Number(name.slice(1))] ?? name) : name, index] as const,
    );
    return {
      re,
      groupNames: new Map([...Map.groupBy(groups, ([name]) => name)].map(([name, all]) => [name, all.map(([, index]) => index)])),
    };
  } catch (error) {
    if (error instanceof RE2JSException) throw new CallFailure(bytesOf(error.message));
    throw error;
  }
}
