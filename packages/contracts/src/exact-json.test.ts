import { expect, test } from 'vitest';
import { canonicalJson, readArtifact } from './index.ts';

test('an artifact keeps whole numbers of any size, apart from floats', () => {
  const values = { small: 1, max: 18446744073709551615n, above: 9007199254740993n, below: -9223372036854775808n, float: 1e16, ratio: 0.5 };
  const release = { name: 'a', wave: 0, chart: { name: 'a', version: '1', ref: './a' }, values, manifest: '', files: {}, secrets: [] };
  const artifact = { format: 'hivekeep.artifact/v1', releases: [release], warnings: [] };
  const text = canonicalJson(artifact);
  expect(text).toContain('"above":9007199254740993,"below":-9223372036854775808,"float":1e+16,"max":18446744073709551615');
  expect(readArtifact(text)).toEqual(artifact);
  expect(canonicalJson(readArtifact(text))).toBe(text);
});
