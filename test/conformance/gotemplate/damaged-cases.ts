import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const packages = join(import.meta.dirname, '../../../packages');
/** Where damage is done: at words, blanks and single signs. */
const PIECE = /\n *|[A-Za-z0-9_.+-]+|: ?|- |[\s\S]/gu;
const NUMBERS = ['0', '-0', '1.0', '1e6', '-1e-7', '0.1', '9007199254740993', '18446744073709551616', '1e400'];

interface Recorded {
  readonly yaml?: string;
  readonly json?: unknown;
  readonly constraint?: string;
  readonly version?: string;
  readonly order?: readonly string[];
}

export type Damaged = 'yaml' | 'emits' | 'semver';

/** So many requests made of recorded cases by cutting, doubling, swapping and putting in pieces of each other; equal seeds give equal ones. */
export function damagedCases(kind: Damaged, seed: number, count: number): string[] {
  const random = randomNumbers(seed);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T; // never empty
  const damaged = (from: readonly string[]): string => {
    let text = pick(from).slice(0, 2_000).toWellFormed();
    for (let left = random(4); left > 0; left--) {
      const [pieces, others] = [text.match(PIECE) ?? [], pick(from).match(PIECE) ?? ['']];
      const [at, start] = [random(pieces.length + 1), random(others.length)];
      const put = random(3) === 0 ? [] : others.slice(start, start + 1 + random(6));
      pieces.splice(at, random(3), ...put);
      text = pieces.join('');
    }
    return text.replaceAll('-0.0', '-0.5'); // as a key, minus zero is zero here
  };
  const cases = recorded(kind === 'semver' ? 'charts/fixtures/semver.jsonl.gz' : 'goyaml/fixtures/yaml-decode.jsonl');
  const emitted = recorded('goyaml/fixtures/yaml-emit.jsonl').flatMap(({ json }) => textsIn(json));
  const documents = cases.flatMap(({ yaml }) => yaml ?? []);
  const constraints = cases.flatMap(({ constraint }) => constraint ?? []);
  const versions = cases.flatMap(({ version, order = [] }) => [...(version === undefined ? [] : [version]), ...order]);
  const json = () => `{${JSON.stringify(damaged(emitted))}:[${JSON.stringify(damaged(emitted))},${pick(NUMBERS)}]}`;
  const makers: Record<Damaged, () => string> = {
    yaml: () =>
      JSON.stringify({ yaml: damaged(documents), ...(random(5) === 0 && { into: 'values' }), ...(random(5) === 0 && { all: true }) }),
    emits: () => (random(3) === 0 ? JSON.stringify({ yaml: damaged(documents) }) : `{"json":${json()},"indent":${2 + 2 * random(2)}}`),
    semver: () =>
      JSON.stringify(
        random(4) === 0
          ? { order: [damaged(versions), damaged(versions)] }
          : { constraint: damaged(constraints), version: random(2) === 0 ? pick(versions) : damaged(versions) },
      ),
  };
  return Array.from({ length: count }, makers[kind]);
}

function recorded(file: string): Recorded[] {
  const bytes = readFileSync(join(packages, file));
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Recorded);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsIn(member)]);
}

/** Numbers from 0 to below a bound, the same for each seed (mulberry32). */
function randomNumbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}
