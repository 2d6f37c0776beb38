import { expect, test } from 'vitest';
import { type EvalKind, evaluate } from './eval-action.ts';

/** Chunks that end anywhere, as a pipe gives them. */
async function* chunked(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function answers(kind: EvalKind, input: string): Promise<unknown[]> {
  let output = '';
  await evaluate(kind, chunked(input, 3), async (text) => {
    output += text;
  });
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
}

test.for([
  ['templates', { template: '{{ .Values.é }}', values: { é: 'a\u2028b' } }, { ok: true, output: 'a\u2028b' }],
  ['templates', { template: '{{ .Values.f }} {{ kindOf .Values.f }}', values: { f: 3 } }, { ok: true, output: '3 int' }],
  ['templates', { template: '{{ trunc 1 "é" }}' }, { ok: true, outputHex: 'c3' }],
  ['templates', { template: '{{ (genCA "a" 1).Cert | contains "BEGIN CERTIFICATE" }}' }, { ok: true, output: 'true' }],
  [
    'templates',
    { template: '{{ $c := genCA "a" 1 }}{{ eq $c.Key (buildCustomCert (b64enc $c.Cert) (b64enc $c.Key)).Key }}' },
    { ok: true, output: 'true' },
  ],
  ['templates', { template: '{{ buildCustomCert (b64enc "a") (b64enc "b") }}' }, { ok: false }],
  ['templates', { template: '{{ nosuch }}' }, { ok: false }],
  ['yaml-decode', { yaml: 'a: 1' }, { ok: true }],
  ['yaml-emit', { json: { a: 'y' } }, { ok: true, output: 'a: "y"\n' }],
  ['yaml-emit', '{"json":[1000000,1e6,1000000.0]}', { ok: true, output: '- 1000000\n- 1e+06\n- 1e+06\n' }],
  ['semver', { constraint: '>=1.2 <2', version: '1.9.0' }, { ok: true, satisfied: true }],
  ['semver', { order: ['1.0.0', '1.0.0-rc.1'] }, { ok: true, cmp: 1 }],
  ['semver', { constraint: '', version: '1.0.0' }, { ok: false }],
] as const)('dev eval %s: %j', async ([kind, request, expected]) => {
  const text = typeof request === 'string' ? request : JSON.stringify(request); // a text keeps its numbers as they are
  const lines = [`{"id":"a",${text.slice(1)}`, '', `{"id":"b",${text.slice(1)}`];
  const found = await answers(kind, lines.join('\n'));
  expect(found).toMatchObject([
    { id: 'a', ...expected },
    { id: 'b', ...expected },
  ]);
});

test('dev eval ends at a line that is no JSON, and says so', async () => {
  await expect(answers('semver', '{"id"')).rejects.toMatchObject({
    code: 'usage/invalid',
    message: expect.stringContaining('a line of JSON'),
  });
});
