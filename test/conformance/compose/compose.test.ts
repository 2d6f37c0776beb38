import { describe, expect, it } from 'vitest';
import { compareResult } from './compare-result.ts';
import { convertRecorded, type RecordedCase, readCorpusCases, readPackedCases } from './recorded-case.ts';

/** At most as many cases may differ by a declared deviation. */
const MAX_DEVIATING = 50;
const { HIVEKEEP_CORPUS: corpus } = process.env;

async function judge(cases: readonly RecordedCase[]): Promise<{ different: object[]; deviating: string[] }> {
  const different: object[] = [];
  const deviating: string[] = [];
  for (const recorded of cases) {
    const actual = await convertRecorded(recorded);
    const verdict = compareResult(recorded.expected, actual);
    if (verdict.equal) continue;
    if (verdict.paths.length === 0) deviating.push(recorded.name);
    else different.push({ case: recorded.name, paths: verdict.paths, error: (actual as { error?: string }).error });
  }
  return { different, deviating };
}

describe('what the docker CLI sends for a compose file', () => {
  it('is sent for every handmade case, but where a declared deviation says otherwise', async () => {
    const cases = await readPackedCases('cases');
    const { different, deviating } = await judge(cases);
    expect(different).toEqual([]);
    expect(deviating.length).toBeLessThanOrEqual(MAX_DEVIATING);
    expect(cases).toHaveLength(899);
  });

  it('is sent for every form of a field, but where a declared deviation says otherwise', async () => {
    const { different } = await judge(await readPackedCases('forms'));
    expect(different).toEqual([]);
  });

  it.runIf(corpus)('is sent for every case of the corpus that HIVEKEEP_CORPUS names', async () => {
    const { different, deviating } = await judge(await readCorpusCases(corpus ?? ''));
    expect(different).toEqual([]);
    expect(deviating.length).toBeLessThanOrEqual(MAX_DEVIATING);
  });
});
