import { evalSemver, evalTemplates } from '@hivekeep/charts';
import { HivekeepError } from '@hivekeep/contracts';
import { evalYamlDecode, evalYamlEmit } from '@hivekeep/goyaml';
import { renderEnvironment } from '@hivekeep/render-environment';

/** What can be answered line by line: rendering, reading and writing YAML, versions. */
export type EvalKind = 'templates' | 'yaml-decode' | 'yaml-emit' | 'semver';

/** As much as is read at once; a line is at most as long. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

function answering(kind: EvalKind): (line: string) => string {
  switch (kind) {
    case 'templates': {
      const environment = renderEnvironment();
      return (line) => evalTemplates(line, environment);
    }
    case 'yaml-decode':
      return evalYamlDecode;
    case 'yaml-emit':
      return evalYamlEmit;
    case 'semver':
      return evalSemver;
  }
}

/** Reads cases, one a line of JSON, and writes one line of JSON for each: the result, or that there is none and why. Dates are in UTC. */
export async function evaluate(kind: EvalKind, input: AsyncIterable<Buffer>, write: (text: string) => Promise<void>): Promise<void> {
  const answer = answering(kind);
  for await (const line of linesOf(input)) if (line.trim() !== '') await write(`${answerTo(line, answer)}\n`);
}

function answerTo(line: string, answer: (line: string) => string): string {
  try {
    return answer(line);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new HivekeepError('usage/invalid', `expected a case as a line of JSON: ${cause.message}`, { cause });
  }
}

/** Lines end at a line feed alone: texts hold other line separators. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of input) {
    const data = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let start = 0;
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, start)) {
      yield data.subarray(start, end).toString('utf8');
      start = end + 1;
    }
    pending = data.subarray(start);
    if (pending.length > MAX_LINE_BYTES)
      throw new HivekeepError('usage/invalid', `expected lines of at most ${MAX_LINE_BYTES} bytes on stdin`);
  }
  yield pending.toString('utf8');
}

/** Waits until stdout has taken it. */
export async function toStdout(text: string): Promise<void> {
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
