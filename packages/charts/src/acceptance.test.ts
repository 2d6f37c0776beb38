import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { loadChartDirectory } from './chart/load-chart-directory.ts';
import { decodeRecord, encodeRecord, type ReleaseRecord, readReleaseFile } from './index.ts';
import { type ChartFiles, chartFiles, memoryDirectory } from './testing/memory-chart.ts';
import { renderMemoryChart } from './testing/render-memory-chart.ts';
import { compareChartVersions } from './version/chart-order.ts';

/** Cases of the format's own list that no other test has whole; ACCEPTANCE.md says where the others are. */

const load = (files: ChartFiles) => loadChartDirectory(memoryDirectory(chartFiles(files)), '');
const service = (image: string) => `services:\n  web:\n    image: ${image}\n`;

test('case 3: a folder of templates that holds folders alone is no chart', async () => {
  const { 'templates/stack.yaml': _, ...rest } = chartFiles({ 'templates/sub/x.yaml': service('a') });
  await expect(loadChartDirectory(memoryDirectory(rest), '')).rejects.toMatchObject({
    code: 'chart/invalid',
    message: expect.stringContaining('at least one template'),
  });
});

test('case 5: a version of an application is its text', async () => {
  const chart = {
    'Chart.yaml': 'name: x\nversion: 1.0.0\nappVersion: 1.10\n',
    'templates/stack.yaml': service('a:{{ .Chart.AppVersion }}'),
  };
  expect((await renderMemoryChart(chart)).manifest).toContain('image: a:1.10');
});

test('case 22: services of several templates stand side by side, one of two is made of both', async () => {
  const { manifest } = await renderMemoryChart({
    'templates/stack.yaml': service('a'),
    'templates/t.yaml': 'services:\n  web:\n    hostname: h\n  other:\n    image: b\n',
  });
  expect(manifest).toBe('services:\n  other:\n    image: b\n  web:\n    hostname: h\n    image: a\n');
});

test('case 44: a requirement without a name is an error as soon as the chart is loaded', async () => {
  await expect(load({ 'requirements.yaml': 'networks: [{driver: overlay}]' })).rejects.toMatchObject({
    code: 'chart/invalid',
    message: expect.stringMatching(/requirements\.yaml.*name/),
  });
});

test('case 45: requirements that break when they are rendered are an error then', async () => {
  const files = {
    'templates/stack.yaml': service('a'),
    'requirements.yaml': 'networks:\n{{ range .Values.n }}\n- {name: {{ . }}\n{{ end }}',
  };
  await expect(load(files)).resolves.toBeDefined();
  await expect(renderMemoryChart(files, 'n: [x]')).rejects.toMatchObject({ code: 'chart/invalid' });
});

test('case 54: waves say the order, the file what stands in one of them', () => {
  const release = (name: string, wave?: number) => `- {name: ${name}, chart: ./c${wave === undefined ? '' : `, wave: ${wave}`}}\n`;
  const order = (...lines: string[]) => {
    const { releases } = readReleaseFile(Buffer.from(`releases:\n${lines.join('')}`), 'r.yaml');
    return releases.toSorted((a, b) => a.wave - b.wave).map(({ name }) => name);
  };
  expect(order(release('web', 2), release('db'), release('migrate', 1), release('api', 2))).toEqual(['db', 'migrate', 'web', 'api']);
  expect(order(release('late'), release('first', -1))).toEqual(['first', 'late']);
  expect(order(release('b'), release('a'))).toEqual(['b', 'a']);
});

test('case 65: files of any bytes are kept', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const record: ReleaseRecord = {
    release: 'shop',
    revision: 1,
    status: 'deployed',
    chart: { name: 'web', version: '1.0.0' },
    values: {},
    manifest: service('a'),
    created: '2026-01-02T03:04:05Z',
    files: { 'files/all.bin': bytes.toString('base64') },
  };
  const config = encodeRecord(record);
  expect(gunzipSync(config.data).toString()).toContain(`files/all.bin: ${bytes.toString('base64').slice(0, 20)}`);
  expect(Buffer.from(decodeRecord(config).files?.['files/all.bin'] ?? '', 'base64')).toEqual(bytes);
});

test('case 80: of what an index has the newest is told by version, not by place or letters', () => {
  expect(['0.1.6', '0.1.8', '0.1.7'].toSorted(compareChartVersions).at(-1)).toBe('0.1.8');
  expect(['0.1.9', 'v0.1.10', '0.1.10-rc.1'].toSorted(compareChartVersions).at(-1)).toBe('v0.1.10');
});
