import { describe, expect, it } from 'vitest';
import { loadChartDirectory } from '../chart/load-chart-directory.ts';
import { judgeCompat } from '../compat/engine-level.ts';
import { type ChartFiles, chartFiles, memoryDirectory } from '../testing/memory-chart.ts';
import { fixedEnvironment } from '../testing/render-memory-chart.ts';
import { lintChart } from './lint-chart.ts';

const METADATA = 'name: demo\nversion: 1.0.0\nswarmcliVersion: ">= 1.0.0"\n';
async function lint(files: ChartFiles, engine = '2.1.1') {
  const chart = await loadChartDirectory(memoryDirectory(chartFiles({ 'Chart.yaml': METADATA, ...files })), '');
  return lintChart({ chart, values: {}, environment: fixedEnvironment(), engine });
}
const service = (fields: string) => ({ 'templates/stack.yaml': `services:\n  web:\n    image: nginx\n${fields}` });

describe('lint', () => {
  it('finds nothing in a good chart', async () => {
    expect(await lint({})).toEqual({ errors: [], warnings: [] });
  });

  it('warns of a missing floor and of one that is no constraint', async () => {
    expect(await lint({ 'Chart.yaml': 'name: a\nversion: 1\n' })).toMatchObject({ errors: [], warnings: [{ path: 'swarmcliVersion' }] });
    expect(await lint({ 'Chart.yaml': 'name: a\nversion: 1\nswarmcliVersion: soon\n' })).toMatchObject({
      errors: [],
      warnings: [{ rule: 'engine' }],
    });
  });

  it('fails on a floor that another engine does not meet', async () => {
    expect(await lint({}, '0.9.0')).toMatchObject({ errors: [{ message: expect.stringContaining('>= 1.0.0') }], warnings: [] });
  });

  it('says of a broken template and a broken schema together', async () => {
    const report = await lint({ 'templates/stack.yaml': '{{ fail "no" }}', 'values.schema.json': '{"required": ["a"]}' });
    expect(report.errors.map(({ rule }) => rule)).toEqual(['schema', 'template/execution']);
  });

  it('says what of the manifest is no compose file, beside what no chart may hold', async () => {
    const { errors } = await lint(service('    imagge: x\n    ports: [abc]\n    volumes: ["./x:/x"]\n'));
    expect(errors).toMatchObject([
      { path: 'services.web.volumes[0]', rule: 'bind-source' },
      { path: 'services.web.imagge', message: expect.stringContaining('did you mean image?') },
      { path: 'services.web.ports[0]', message: expect.stringContaining('found "abc"') },
    ]);
  });

  it('names the template and its line, and where that is not one, the line of what it renders', async () => {
    const { errors } = await lint({
      'templates/db.yaml': 'services:\n  db:\n    image: x:1\n    volumes: ["./x:/x"]\n',
      'templates/web.yaml': [
        'services:',
        '{{- range list "a" "b" }}',
        '  {{ . }}:',
        '    image: x:1',
        '    ports: [{{ . }}]',
        '{{- end }}',
        '  one: {image: x:1, imagge: y}',
        '  two: {image: x:1, imagge: y}',
      ].join('\n'),
    });
    expect(errors.map(({ file, line, path }) => `${file}:${line} ${path}`)).toEqual([
      'templates/db.yaml:4 services.db.volumes[0]',
      'templates/web.yaml:5 services.a.ports[0]',
      'templates/web.yaml:5 services.b.ports[0]',
      'templates/web.yaml (rendered):8 services.one.imagge',
      'templates/web.yaml (rendered):9 services.two.imagge',
    ]);
  });

  it.each<[string, string, RegExp | undefined]>([
    [
      'too short',
      'healthcheck: {start_period: 30s, interval: 10s, retries: 3}\n    deploy: {update_config: {monitor: 15s}}',
      /needs 1m0s to fail/,
    ],
    ['long enough', 'healthcheck: {start_period: 30s, interval: 10s}\n    deploy: {update_config: {monitor: 60s}}', undefined],
    ['by default too short', 'healthcheck: {test: [CMD, x]}', /watched for 5s, .* needs 1m30s/],
    ['disabled', 'healthcheck: {disable: true}', undefined],
    ['disabled by its test', 'healthcheck: {test: [NONE]}', undefined],
  ])('a healthcheck is watched %s', async (_name, fields, message) => {
    const { warnings } = await lint(service(`    ${fields}\n`));
    expect(warnings.map((warning) => warning.message)).toEqual(message ? [expect.stringMatching(message)] : []);
  });

  it.each<[string, boolean]>([
    ['DB_PASSWORD: canary', true],
    ['API-KEY: ""', true],
    ['DB_PASSWORD_FILE: /run/secrets/db', false],
    ['DB_PASSWORD: /run/secrets/db', false],
    ['DB_PASSWORD: $$DB_PASSWORD', false],
    ['HOST: db', false],
    ['CERT_FILE: "-----BEGIN RSA PRIVATE KEY-----"', true],
  ])('%s is a credential: %s', async (variable, expected) => {
    const { warnings } = await lint(service(`    environment: {${variable}}\n`));
    expect(warnings.map(({ rule }) => rule)).toEqual(expected ? ['inline-credential'] : []);
    expect(JSON.stringify(warnings)).not.toContain('canary');
  });
});

it('warns of a secret that stands in the chart', async () => {
  const { errors, warnings } = await lint({ 'templates/s.yaml': 'secrets: {s: {file: files/s}}', 'files/s': 'x' });
  expect([errors, warnings.map(({ rule }) => rule)]).toEqual([[], ['secret-file']]);
});

describe('the engine a chart asks for', () => {
  it.each<[string | undefined, string, string]>([
    ['>= 1.13.0', '1.13.0-rc1', 'ok'],
    ['>= 1.13.0', 'v1.13.0+build', 'ok'],
    ['>= 1.13.0', '1.12.0', 'incompatible'],
    ['>= 1.13.0', '', 'unknown'],
    ['nonsense', '1.0.0', 'unknown'],
    [`>= 1.0.0${' '.repeat(300)}`, '1.0.0', 'unknown'],
    [undefined, '1.0.0', 'unknown'],
    ['^2 || 3.x', '2.1.1', 'ok'],
  ])('%s on %s: %s', (required, engine, status) => {
    expect(judgeCompat(required, engine).status).toBe(status);
  });
});
