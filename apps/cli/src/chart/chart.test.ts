import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lint, packageChart, show, template, values } from './run-chart.ts';

const FILES = {
  'Chart.yaml': '# a demo\nname: demo\nversion: 1.2.0\nswarmcliVersion: ">= 2.0.0"\n',
  'values.yaml': 'tag: "1"\n',
  'templates/stack.yaml': 'services:\n  web:\n    image: nginx:{{ .Values.tag }}\n    hostname: {{ .Release.Name }}\n',
};
let folder: string;
let chart: string;
let out: string[];
let err: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hk-chart-'));
  chart = join(folder, 'chart');
  write(FILES);
  [out, err] = [[], []];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(Buffer.from(text).toString()) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(Buffer.from(text).toString()) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function write(files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(chart, name)), { recursive: true });
    writeFileSync(join(chart, name), content);
  }
}

describe('hivekeep chart', () => {
  it('template prints the manifest alone, values in their order', async () => {
    const [first, text] = [join(folder, 'a.yaml'), join(folder, 'text')];
    writeFileSync(first, 'tag: "2"\nother: x\n');
    writeFileSync(text, 'true');
    await template(chart, { release: 'shop', file: [first], set: ['other=y'], setFile: [`note=${text}`] });
    expect(out.join('')).toBe('services:\n  web:\n    hostname: shop\n    image: nginx:2\n');
    expect(err).toEqual([]);
  });

  it('template says on stderr what is odd', async () => {
    write({ 'Chart.yaml': 'name: demo\nversion: 1.2.0\nswarmcliVersion: ">= 99"\n', 'templates/t.yaml': 'x-at: {{ now }}\n' });
    await template(chart, {});
    expect(err.join('')).toMatch(/asks for an engine >= 99.*\n.*renders differently/);
    expect(out.join('')).toContain('hostname: demo');
  });

  it('lint prints every problem with its place and fails', async () => {
    write({
      'templates/stack.yaml': 'services:\n  web:\n    image: a\n    environment: {API_TOKEN: canary-91f}\n    volumes: ["./x:/x"]\n',
      'values.schema.json': '{"properties": {"tag": {"type": "integer"}}}',
    });
    await expect(lint(chart, { output: 'table' })).rejects.toMatchObject({ code: 1 });
    expect(out.join('')).toMatch(
      /error: values\.tag: must be integer \[schema\]\nerror: templates\/stack\.yaml:5: services\.web\.volumes\[0\]: .*\nwarning: templates\/stack\.yaml:4: .*API_TOKEN/,
    );
    expect(out.join('')).not.toContain('canary');
  });

  it('lint names file, line and column of a template that fails', async () => {
    write({ 'templates/stack.yaml': 'services:\n  web: {{ .Values.tag.x }}\n' });
    await expect(lint(chart, { output: 'table' })).rejects.toMatchObject({ code: 1 });
    expect(out.join('')).toMatch(/error: templates\/stack\.yaml:2:\d+: /);
  });

  it('show prints a file as it is, values the merged ones', async () => {
    await show(chart, 'chart');
    expect(out.join('')).toBe(FILES['Chart.yaml']);
    out = [];
    await values(chart, { output: 'yaml', set: ['list={1,b}'] });
    expect(out.join('')).toBe('list:\n  - 1\n  - b\ntag: "1"\n');
  });

  it('package writes an archive that is the same chart, the same bytes each time', async () => {
    await packageChart(chart, { out: folder });
    const archive = join(folder, 'demo-1.2.0.tgz');
    const before = readFileSync(archive);
    await packageChart(chart, { out: folder });
    expect(readFileSync(archive)).toEqual(before);
    out = [];
    await template(archive, {});
    expect(out.join('')).toContain('hostname: demo');
  });

  it.each([
    ['a path that is nothing', () => template(join(folder, 'none'), {}), 'usage/invalid'],
    ['a file that is no archive', () => template(join(chart, 'values.yaml'), {}), 'chart/invalid'],
    ['a folder to write into that is not there', () => packageChart(chart, { out: join(folder, 'none') }), 'usage/invalid'],
    ['a values file that is not there', () => template(chart, { file: ['none.yaml'] }), 'usage/invalid'],
  ])('%s is refused', async (_name, run, code) => {
    await expect(run()).rejects.toMatchObject({ code });
  });

  it('a link in a chart is refused, the folder itself may be one', async () => {
    symlinkSync(chart, join(folder, 'link'));
    await template(join(folder, 'link'), {});
    symlinkSync('/etc/passwd', join(chart, 'templates', 'leak.yaml'));
    await expect(template(chart, {})).rejects.toMatchObject({ message: expect.stringContaining('templates/leak.yaml') });
  });
});
