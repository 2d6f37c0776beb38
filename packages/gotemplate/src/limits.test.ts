import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { TemplateError } from './failure.ts';
import { attacks, matching, patterns } from './testing/attacks.ts';
import { renderText } from './testing/render-text.ts';
import type { Outcome } from './testing/run-attacks.ts';

/** Time of the processor since a start, in milliseconds: what other programs do does not count. */
function cpuMs(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

test.for(Object.entries(attacks))('%s ends in an error', { timeout: 60_000 }, ([, template]) => {
  const started = process.cpuUsage();
  expect(() => renderText(template)).toThrow(TemplateError);
  expect(cpuMs(started)).toBeLessThan(2_000);
});

test.for(patterns)('%s over %i letters takes time that grows with their number', { timeout: 60_000 }, ([pattern, letters]) => {
  const started = process.cpuUsage();
  expect(renderText(matching(pattern, letters))).toMatch(/true|false/);
  expect(cpuMs(started)).toBeLessThan(2_000);
});

test('all of that in one process takes less than 256 MiB, the process itself included', { timeout: 60_000 }, async () => {
  const program = join(import.meta.dirname, 'testing/run-attacks.ts');
  // A bound on the heap: without one the collector puts off its work while others want the processor, and that is not what is measured.
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-semi-space-size=4', '--max-old-space-size=128', program]);
  const { refused, answered, peakMiB } = JSON.parse(stdout) as Outcome;
  expect([refused, answered]).toEqual([Object.keys(attacks).length, patterns.length]);
  expect(peakMiB).toBeLessThan(256);
});

test('each bound can be set and says so', () => {
  expect(() => renderText('{{ range 10 }}x{{ end }}', {}, { limits: { steps: 15 } })).toThrow('takes more than 15 steps');
  expect(() => renderText('{{ range 10 }}x{{ end }}', {}, { limits: { outputBytes: 9 } })).toThrow('larger than 9 bytes');
  const nested = '{{ define "a" }}{{ template "b" }}{{ end }}{{ define "b" }}b{{ end }}{{ template "a" }}';
  expect(() => renderText(nested, {}, { limits: { depth: 1 } })).toThrow('deeper than 1');
  expect(renderText(nested, {}, { limits: { depth: 2 } })).toBe('b');
});
