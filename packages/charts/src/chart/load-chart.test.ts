import { HivekeepError } from '@hivekeep/contracts';
import { toPlain } from '@hivekeep/goyaml';
import { describe, expect, it } from 'vitest';
import { type ChartFiles, chartArchive, chartFiles, LINK, memoryDirectory, tgz } from '../testing/memory-chart.ts';
import { loadChartArchive } from './load-chart-archive.ts';
import { loadChartDirectory } from './load-chart-directory.ts';

const MiB = 1024 * 1024;
const directory = (files: ChartFiles) => loadChartDirectory(memoryDirectory(files), 'charts/demo');
const archive = (files: ChartFiles) => loadChartArchive(chartArchive(files), 'demo.tgz');
const without = (name: string): ChartFiles => Object.fromEntries(Object.entries(chartFiles()).filter(([path]) => path !== name));

async function refusal(load: () => unknown): Promise<HivekeepError> {
  try {
    await load();
  } catch (error) {
    if (error instanceof HivekeepError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('a chart loads equally from a folder and from an archive', () => {
  it.each<[string, ChartFiles]>([
    ['the least one', chartFiles()],
    ['apiVersion v1 and unknown keys', chartFiles({ 'Chart.yaml': 'apiVersion: v1\nname: x\nversion: 1\nannotations: {a: [1]}\n' })],
    [
      'all members',
      chartFiles({
        'values.yaml': '# a comment\na: 1\n',
        'values.schema.json': '{}',
        'README.md': 'hi',
        'requirements.yaml': 'networks: []',
      }),
    ],
    ['files and what is ignored', chartFiles({ 'files/tls/ca.pem': 'ca', 'templates/sub/x.yaml': 'x', 'ci/a.yaml': 'a', 'charts/b': 'b' })],
    ['an unmet floor', chartFiles({ 'Chart.yaml': 'name: x\nversion: 1\nswarmcliVersion: ">= 99"\n' })],
    ['a template for requirements', chartFiles({ 'requirements.yaml': 'networks:\n{{ range .Values.n }}\n- name: {{ . }}\n{{ end }}' })],
  ])('%s', async (_name, files) => {
    expect(await directory(files)).toEqual(archive(files));
  });
});

describe('what a chart holds', () => {
  it('has no files, no requirements and no raw values when there are none', async () => {
    const chart = await directory(chartFiles());
    expect(chart).toMatchObject({ files: null, metadata: { name: 'demo', version: '1.0.0' } });
    expect(chart).not.toHaveProperty('requirements');
    expect(chart).not.toHaveProperty('rawValues');
  });

  it('keeps texts as they are written', async () => {
    const { metadata } = await directory(chartFiles({ 'Chart.yaml': 'name: x\nversion: 1.20\nappVersion: 1.10\n' }));
    expect(metadata).toMatchObject({ version: '1.20', appVersion: '1.10' });
  });

  it('keeps values byte by byte and parsed', async () => {
    const { values, rawValues } = await directory(chartFiles({ 'values.yaml': '# note\nmode: 0444\n' }));
    expect(Buffer.from(rawValues ?? '').toString()).toBe('# note\nmode: 0444\n');
    expect(toPlain(values)).toEqual({ mode: 292 });
  });

  it('keeps files by their path and no template of a folder', async () => {
    const { files, templates } = await directory(
      chartFiles({ 'files/tls/ca.pem': 'ca', 'templates/sub/x.yaml': 'x', 'templates/n.txt': '' }),
    );
    expect([...(files ?? new Map()).keys()]).toEqual(['files/tls/ca.pem']);
    expect([...templates.keys()]).toEqual(['templates/n.txt', 'templates/stack.yaml']);
  });
});

describe('what is no chart is refused', () => {
  it.each<[string, ChartFiles, RegExp]>([
    ['no Chart.yaml', without('Chart.yaml'), /charts\/demo\/Chart\.yaml: .*is missing/],
    ['no templates', without('templates/stack.yaml'), /templates.*at least one template/],
    ['apiVersion v2', chartFiles({ 'Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1\n' }), /Chart\.yaml:1:13: apiVersion: expected v1/],
    ['a linked template', chartFiles({ 'templates/leak.yaml': LINK }), /templates\/leak\.yaml: is a symlink/],
    ['a linked file', chartFiles({ 'files/app.conf': LINK }), /files\/app\.conf: is a symlink/],
    ['a linked README', chartFiles({ 'README.md': LINK }), /README\.md: is a symlink/],
    ['values that are a list', chartFiles({ 'values.yaml': '- a' }), /values\.yaml:1/],
    [
      'requirements without a name',
      chartFiles({ 'requirements.yaml': 'networks: [{driver: overlay}]' }),
      /networks\[0\]\.name: is required/,
    ],
    ['a key twice', chartFiles({ 'Chart.yaml': 'name: x\nname: y\nversion: 1\n' }), /Chart\.yaml:2:1: .*already defined/],
  ])('%s', async (_name, files, message) => {
    const error = await refusal(() => directory(files));
    expect(error).toMatchObject({ code: 'chart/invalid', message: expect.stringMatching(message) });
  });

  it('all its problems at once', async () => {
    const { issues = [] } = await refusal(() => directory({ 'Chart.yaml': 'apiVersion: v2\n', 'values.yaml': 'a: [', 'README.md': LINK }));
    expect(issues.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      expect.stringMatching(/README.md: is a symlink/),
      expect.stringMatching(/Chart.yaml: is required/),
      expect.stringMatching(/Chart.yaml: is required/),
      expect.stringMatching(/Chart.yaml: expected v1/),
      expect.stringMatching(/values.yaml: /),
      expect.stringMatching(/templates: /),
    ]);
  });

  it('a folder that is not there', async () => {
    const nowhere = { ...memoryDirectory({}), list: async () => undefined };
    expect(await refusal(() => loadChartDirectory(nowhere, 'x'))).toMatchObject({ code: 'chart/not-found' });
  });
});

describe('limits hold for a whole chart', () => {
  const many = Object.fromEntries(Array.from({ length: 4095 }, (_, i) => [`files/f${i}`, '']));
  const parts = (folder: string) => Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`${folder}/${i}`, new Uint8Array(8 * MiB)]));

  it('4,096 files are loaded, 4,097 are not', async () => {
    await expect(directory({ ...many, 'Chart.yaml': 'name: x\nversion: 1' })).rejects.toMatchObject({ code: 'chart/invalid' });
    await expect(directory(chartFiles(many))).rejects.toMatchObject({ code: 'source/too-large' });
    expect(await refusal(() => archive(chartFiles(many)))).toMatchObject({ code: 'source/too-large' });
  });

  it('a file of more than 10 MiB is not', async () => {
    const files = chartFiles({ 'files/big': new Uint8Array(10 * MiB + 1) });
    expect(await refusal(() => directory(files))).toMatchObject({
      code: 'source/too-large',
      message: expect.stringContaining('files/big'),
    });
    expect(await refusal(() => archive(files))).toMatchObject({ code: 'source/too-large' });
  });

  it('40 MiB of templates and 40 MiB of files are not', async () => {
    const files = chartFiles({ ...parts('templates'), ...parts('files') });
    expect(await refusal(() => directory(files))).toMatchObject({ code: 'source/too-large' });
    expect(await refusal(() => archive(files))).toMatchObject({ code: 'source/too-large' });
  });
});

describe('archives', () => {
  const least = [
    { name: 'x/Chart.yaml', content: 'name: x\nversion: 1' },
    { name: 'x/templates/a.yaml', content: 'services: {}' },
  ];
  const load = (entries: Parameters<typeof tgz>[0]) => loadChartArchive(tgz(entries), 'x.tgz');

  it('skips what leads out and what is no file', () => {
    const chart = load([
      ...least,
      { name: '../../evil', content: 'e' },
      { name: 'x/files/l', type: '2' },
      { name: 'x/files/d/', type: '5' },
    ]);
    expect(chart.files).toBeNull();
  });

  it('keeps nothing of the archive but what is the chart', () => {
    const chart = load([...least, { name: 'x/docs/large', content: new Uint8Array(MiB) }]);
    const [template] = chart.templates.values();
    expect(template?.buffer.byteLength).toBeLessThan(MiB);
  });

  it('takes the last of two entries of one name', () => {
    const chart = load([...least, { name: 'x/templates/a.yaml', content: 'second' }]);
    expect(Buffer.from(chart.templates.get('templates/a.yaml') ?? '').toString()).toBe('second');
  });

  it('reads names that pax and GNU write beside the header', () => {
    const long = `files/${'n'.repeat(120)}`;
    const record = (text: string) => `${text.length + 5} ${text}\n`;
    const pax = load([...least, { name: 'p', type: 'x', content: record(`path=x/${long}`) }, { name: 'short', content: 'a' }]);
    const gnu = load([...least, { name: '././@LongLink', type: 'L', content: `x/${long}\0` }, { name: 'short', content: 'a' }]);
    expect([...(pax.files ?? new Map()).keys()]).toEqual([long]);
    expect([...(gnu.files ?? new Map()).keys()]).toEqual([long]);
  });

  it.each<[string, Uint8Array]>([
    ['no gzip', Buffer.from('hello')],
    ['no tar', tgz([]).slice(0, 5)],
    ['without Chart.yaml', tgz([{ name: 'x/templates/a', content: 'a' }])],
  ])('%s is refused', async (_name, bytes) => {
    expect(await refusal(() => loadChartArchive(bytes, 'x.tgz'))).toMatchObject({ code: 'chart/invalid' });
  });

  it('names a missing Chart.yaml by what it should say', async () => {
    const error = await refusal(() => load([{ name: 'x/templates/a', content: 'a' }]));
    expect(error.message).toMatch(/x\.tgz\/Chart\.yaml:1:1: name: is required/);
  });
});
