import { expect, test } from 'vitest';
import { sumTallies, tallyVitest } from './tally.ts';

function report(success: boolean, ...files: { status: string; tests: string[] }[]) {
  return {
    success,
    testResults: files.map(({ status, tests }, i) => ({
      name: `f${i}.test.ts`,
      status,
      assertionResults: tests.map((test) => ({ status: test, fullName: `a ${test} one` })),
    })),
  };
}

test('counts passed and failed tests, and names the others', () => {
  const counted = tallyVitest(report(false, { status: 'failed', tests: ['passed', 'failed', 'skipped', 'todo', 'passed'] }));
  expect(counted).toEqual({ passed: 2, failed: 1, notRun: ['a skipped one', 'a todo one'] });
});

test('a file that could not be loaded is a failure', () => {
  expect(tallyVitest(report(false, { status: 'failed', tests: [] }, { status: 'passed', tests: ['passed'] }))).toMatchObject({
    passed: 1,
    failed: 1,
  });
});

test('a hook that fails after good tests is a failure', () => {
  expect(tallyVitest(report(false, { status: 'failed', tests: ['passed'] }))).toMatchObject({ passed: 1, failed: 1 });
});

test('a run that failed without a failed test is a failure', () => {
  expect(tallyVitest(report(false, { status: 'passed', tests: ['passed'] }))).toMatchObject({ passed: 1, failed: 1 });
});

test('tallies add up', () => {
  const one = { passed: 1, failed: 2, notRun: ['x'] };
  expect(sumTallies([one, { passed: 3, failed: 0, notRun: ['y'] }])).toEqual({ passed: 4, failed: 2, notRun: ['x', 'y'] });
  expect(sumTallies([])).toEqual({ passed: 0, failed: 0, notRun: [] });
});
