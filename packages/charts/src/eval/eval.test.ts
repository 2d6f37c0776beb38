import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { utc } from '@hivekeep/gotemplate';
import { expect, test } from 'vitest';
import { evalSemver } from './eval-semver.ts';
import { evalTemplates } from './eval-templates.ts';

interface Recorded {
  readonly id: string;
  readonly ok: boolean;
  readonly output?: string;
  readonly outputHex?: string;
  readonly satisfied?: boolean;
  readonly cmp?: number;
}

const environment = { now: () => 0n, localZone: utc, randomBytes: (count: number) => randomBytes(count), crypto: {} };

function recordedLines(kind: string): string[] {
  const file = join(import.meta.dirname, `../../fixtures/${kind}.jsonl.gz`);
  return gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean);
}

/** What a case and an answer must have in common; error texts are not compared. */
function comparable(line: string): unknown {
  const { id, ok, output, outputHex, satisfied, cmp } = JSON.parse(line) as Recorded;
  if (!ok) return { id, ok };
  return { id, ok, output: outputHex ?? output, satisfied: cmp === undefined ? satisfied : undefined, cmp };
}

test.for([
  ['templates', 2470, (line: string) => evalTemplates(line, environment)],
  ['semver', 806, evalSemver],
] as const)('%s: all %i recorded cases end as they did in Go', ([kind, count, answer]) => {
  const lines = recordedLines(kind);
  expect(lines).toHaveLength(count);
  const different = lines.filter((line) => JSON.stringify(comparable(answer(line))) !== JSON.stringify(comparable(line)));
  expect(different).toEqual([]);
});
