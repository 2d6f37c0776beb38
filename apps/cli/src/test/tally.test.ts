import { expect, test } from 'vitest';
import { sumTallies, tallyVitest } from './tally.ts';

function report(success: boolean, ...files: { status: string; tests: string[] }[]) {
  return {
    success,
    testResults: files.map(({ status, tests }, i) => ({
      name: `f${i}.test.ts`,
      status,
      message: status === 'failed' ? 'hook broke\n  at f' : '',
      assertionResults: tests.map((test) => ({
        status: test,
        fullName: `a ${test} one`,
        failureMessages: test === 'failed' ? ['Error: expected 1\n  at g', 'Error: later'] : [],
      })),
    })),
  };
}

test('counts what passed, says what failed and why, and names the others', () => {
  const counted = tallyVitest(report(false, { status: 'failed', tests: ['passed', 'failed', 'skipped', 'todo', 'passed'] }));
  expect(counted).toEqual({ passed: 2, failed: ['a failed one: Error: expected 1'], notRun: ['a skipped one', 'a todo one'] });
});

test('a file that could not be loaded is a failure', () => {
  expect(tallyVitest(report(false, { status: 'failed', tests: [] }, { status: 'passed', tests: ['passed'] }))).toMatchObject({
    passed: 1,
    failed: ['f0.test.ts: hook broke'],
  });
});

test('a hook that fails after good tests is a failure', () => {
  expect(tallyVitest(report(false, { status: 'failed', tests: ['passed'] }))).toMatchObject({
    passed: 1,
    failed: ['f0.test.ts: hook broke'],
  });
});

test('a run that failed without a failed test is a failure', () => {
  expect(tallyVitest(report(false, { status: 'passed', tests: ['passed'] }))).toMatchObject({
    passed: 1,
    failed: ['the run itself, though none of its tests did'],
  });
});

test('tallies add up', () => {
  const one = { passed: 1, failed: ['a', 'b'], notRun: ['x'] };
  expect(sumTallies([one, { passed: 3, failed: [], notRun: ['y'] }])).toEqual({ passed: 4, failed: ['a', 'b'], notRun: ['x', 'y'] });
  expect(sumTallies([])).toEqual({ passed: 0, failed: [], notRun: [] });
});
