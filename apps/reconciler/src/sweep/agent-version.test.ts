import { expect, test } from 'vitest';
import { isTooOld } from './agent-version.ts';

test.each([
  ['1.4.2', '1.4.0', false],
  ['1.3.9', '1.4.0', false],
  ['1.2.9', '1.4.0', true],
  ['1.9.0', '2.0.0', true],
  ['2.0.0', '1.9.0', false],
  ['1.10.0', '1.4.0', false],
  ['dev', '1.4.0', false],
])('agent %s beside reconciler %s: too old is %s', (agent, own, expected) => {
  expect(isTooOld(agent, own)).toBe(expected);
});
