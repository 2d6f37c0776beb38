import { HivekeepError } from '@hivekeep/contracts';
import fc from 'fast-check';

/** How long one input may take, in milliseconds: more is as bad as a crash. */
const SLOWEST_MS = 2_000;

const seconds = Number(process.env.HIVEKEEP_FUZZ_SECONDS ?? '5');
const seed = Number(process.env.HIVEKEEP_FUZZ_SEED ?? String(Date.now() % 2 ** 31));

/**
 * Feeds inputs to `target` until the time is over. An input ends in a result or in an error of ours; anything else thrown, a
 * slow answer, or a polluted prototype ends the program with the input and the seed that makes it again.
 */
export async function fuzz<T>(name: string, inputs: fc.Arbitrary<T>, target: (input: T) => unknown): Promise<void> {
  const property = fc.asyncProperty(inputs, async (input) => {
    const started = performance.now();
    try {
      await target(input);
    } catch (error) {
      if (!(error instanceof HivekeepError) || error.code === 'internal') throw error;
    }
    const took = performance.now() - started;
    if (took > SLOWEST_MS) throw new Error(`took ${Math.round(took)} ms`);
    if (Object.keys(Object.prototype).length > 0 || 'polluted' in {}) throw new Error('Object.prototype was changed');
  });
  const outcome = await fc.check(property, {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: seconds * 1000,
    endOnFailure: false,
  });
  if (outcome.failed && !outcome.interrupted) {
    process.stderr.write(
      `${name}: seed ${seed}, input ${JSON.stringify(outcome.counterexample)}\n${outcome.errorInstance instanceof Error ? outcome.errorInstance.stack : ''}\n`,
    );
    process.exit(1);
  }
  process.stderr.write(`${name}: ${outcome.numRuns} inputs in ${seconds} s, seed ${seed}\n`);
}

/** Text that is nearly what a parser expects: words of its language, cut, repeated and mixed with any character. */
export function nearly(words: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...words) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  );
  return fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
}

/** YAML's own signs and traps. */
export const yamlWords: readonly string[] = [
  '\n',
  '\n  ',
  '\n    ',
  ': ',
  '- ',
  '[',
  ']',
  '{',
  '}',
  ', ',
  '&a ',
  '*a',
  '<<: ',
  '!!binary ',
  '!!str ',
  '|\n',
  '>-\n',
  '"',
  "'",
  '#',
  '---\n',
  '...\n',
  '\t',
  '? ',
  '~',
  'yes',
  '0o17',
  '0x1F',
  '1e400',
  '.inf',
  '2001-01-01',
  '__proto__',
  'constructor',
  '%YAML 1.1\n',
];
