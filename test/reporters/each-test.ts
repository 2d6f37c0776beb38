import type { Reporter, TestCase } from 'vitest/node';

/** A line for each test when it has ended, and what failed in it: a tier that takes an hour tells at once, not at its end. */
export default class EachTest implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === 'skipped') return;
    const seconds = ((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1);
    const reasons = (errors ?? []).map(({ message, stack }) => `\n${stack ?? message}`);
    process.stderr.write(`${state}: ${test.fullName} (${seconds} s)${reasons.join('')}\n`);
  }
}
