import { randomBytes } from 'node:crypto';
import { evalTemplates, type RenderEnvironment } from '@hivekeep/charts';
import { utc } from '@hivekeep/gotemplate';
import type { Oracle } from './oracle.ts';

export interface Comparison {
  readonly compared: number;
  /** Left out: Go itself answered twice in two ways. */
  readonly varying: number;
  /** Where the outcome or the output differs: the template and both answers. */
  readonly differences: string[];
  /** The longest of our renders, in milliseconds of the processor's time. */
  readonly slowestMs: number;
}

interface Answer {
  readonly ok: boolean;
  readonly output?: string;
  /** The bytes, where they are no UTF-8. */
  readonly outputHex?: string;
  readonly error: string;
}

const environment: RenderEnvironment = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  localZone: utc,
  randomBytes: (count) => randomBytes(count),
  crypto: {},
};

const MAX_TOLD = 10;

/** Renders requests here and there, and there twice. */
export async function compareWith(oracle: Oracle, requests: readonly string[]): Promise<Comparison> {
  const input = `${requests.join('\n')}\n`;
  const [first, second] = [await oracle.lines('batch', [], input), await oracle.lines('batch', [], input)];
  let [varying, slowestMs] = [0, 0];
  const differences: string[] = [];
  for (const [index, request] of requests.entries()) {
    const wanted = first[index] ?? '{}';
    if (outcome(wanted) !== outcome(second[index] ?? '{}')) {
      varying++;
      continue;
    }
    const started = process.cpuUsage();
    const found = evalTemplates(request, environment);
    const { user, system } = process.cpuUsage(started);
    slowestMs = Math.max(slowestMs, (user + system) / 1000);
    if (outcome(found) !== outcome(wanted) && differences.length < MAX_TOLD)
      differences.push(`${request}\n  Go:   ${wanted}\n  here: ${found}`);
  }
  return { compared: requests.length - varying, varying, differences, slowestMs };
}

/** What must be equal: the bytes of the output, or that there is none. */
function outcome(line: string): string {
  const { ok, output, outputHex } = JSON.parse(line) as Answer;
  return ok ? `${outputHex === undefined ? 'text' : 'bytes'} ${outputHex ?? output}` : 'refused';
}
