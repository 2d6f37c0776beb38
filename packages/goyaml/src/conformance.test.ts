import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evalYamlDecode, evalYamlEmit } from './index.ts';

interface Result {
  readonly id: string;
  readonly ok: boolean;
  readonly value?: unknown;
  readonly output?: string;
}

/** Recorded with gopkg.in/yaml.v3 3.0.1. */
const recorded = (name: string) =>
  readFileSync(new URL(`../fixtures/${name}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ line, want: JSON.parse(line) as Result }));

describe('the recorded cases of yaml.v3', () => {
  it.each([
    ['yaml-decode', evalYamlDecode, 578],
    ['yaml-emit', evalYamlEmit, 591],
  ] as const)('%s', (name, evaluate, count) => {
    const cases = recorded(name);
    const differing = cases.flatMap(({ line, want }) => {
      const got = JSON.parse(evaluate(line)) as Result;
      const expected = want.ok ? { ok: true, value: want.value, output: want.output } : { ok: false };
      const actual = got.ok ? { ok: true, value: got.value, output: got.output } : { ok: false };
      return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [{ id: want.id, expected, actual }];
    });
    expect(differing).toEqual([]);
    expect(cases).toHaveLength(count);
  });
});
