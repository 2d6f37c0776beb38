import { HivekeepError } from '@hivekeep/contracts';
import { decode, toPlain } from '@hivekeep/goyaml';
import { describe, expect, it } from 'vitest';
import type { ChartFiles } from '../testing/memory-chart.ts';
import { renderMemoryChart } from '../testing/render-memory-chart.ts';

/** A chart of these templates and nothing else. */
const templates = (files: Record<string, string>): ChartFiles => ({
  'templates/stack.yaml': '',
  ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`templates/${name}`, content])),
});
const WEB = 'services:\n  web:\n    image: nginx\n';
const manifest = async (files: Record<string, string>, values?: string) => (await renderMemoryChart(templates(files), values)).manifest;
const document = async (files: Record<string, string>, values?: string) => toPlain(decode(await manifest(files, values)));
const one = (expression: string, values?: string) =>
  document({ a: `${WEB}x-a: "${expression}"\n` }, values).then((found) => (found as Record<string, unknown>)['x-a']);

async function refusal(files: Record<string, string>, values?: string): Promise<HivekeepError> {
  try {
    await renderMemoryChart(templates(files), values);
  } catch (error) {
    if (error instanceof HivekeepError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('outputs lie on each other in the order of their names', () => {
  it('maps merge, lists and scalars are replaced', async () => {
    const files = {
      a: 'services: {w: {image: a, ports: ["80"], labels: {x: 1}}}',
      b: 'services: {w: {ports: ["81"], labels: {y: 2}}, v: {image: b}}',
    };
    expect(await document(files)).toEqual({ services: { v: { image: 'b' }, w: { image: 'a', labels: { x: 1, y: 2 }, ports: ['81'] } } });
  });

  it('the version goes, what is blank adds nothing, helpers are executed and add nothing', async () => {
    const files = {
      '_h.tpl': '{{ define "n" }}x{{ end }}services: {no: {image: no}}',
      a: `version: "3.9"\n${WEB}x-n: {{ template "n" }}\n`,
      b: '{{ if .Values.no }}a: 1{{ end }}\n',
      c: '# remark\n',
    };
    expect(await manifest(files)).toBe('services:\n  web:\n    image: nginx\nx-n: x\n');
  });

  it('of two helpers the later counts, unless it is blank', async () => {
    const use = `${WEB}x-n: {{ template "n" }}`;
    expect(await manifest({ _a: '{{ define "n" }}a{{ end }}', _b: '{{ define "n" }}b{{ end }}', c: use })).toContain('x-n: b');
    expect(await manifest({ _a: '{{ define "n" }}a{{ end }}', _b: '{{ define "n" }} {{/* b */}}{{ end }}', c: use })).toContain('x-n: a');
  });

  it('a second document is not read', async () => {
    expect(await document({ a: `${WEB}---\nx: 1\n` })).toEqual({ services: { web: { image: 'nginx' } } });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a list', { a: '- x', b: WEB }, /^templates\/a:1:1: /],
    ['only a version', { a: 'version: "3"' }, /manifest is empty/],
    ['only blanks', { a: '{{ if false }}x{{ end }}' }, /manifest is empty/],
    ['no services', { a: 'volumes: {v: }' }, /has no services/],
    ['empty services', { a: 'services: {}' }, /has no services/],
    ['a helper that fails', { _h: '{{ fail "no" }}', b: WEB }, /templates\/_h:1:\d+: .*no/],
    ['a template that does not parse', { a: WEB, b: '{{ if }}' }, /templates\/b:1/],
  ])('%s is refused', async (_name, files, message) => {
    expect(await refusal(files)).toMatchObject({ code: 'chart/invalid', message: expect.stringMatching(message) });
  });
});

describe('what templates see', () => {
  it.each<[string, string, unknown]>([
    ['{{ .Values.nope }}', '', '<no value>'],
    ['{{ .Values.nope.deep }}', '', '<no value>'],
    ['{{ .Values.n }}', 'n: 31536000', '31536000'],
    ['{{ .Values.n }}', 'n: 1.0', '1'],
    ['{{ .Values.n }}', 'n: 017', '15'],
    ['{{ .Values.n }}', 'n: yes', 'yes'],
    ['{{ range $k, $v := .Values.m }}{{ $k }},{{ end }}', 'm: {b10: 1, b2: 1, B: 1, a: 1}', 'B,a,b10,b2,'],
    ['{{ .Release.Name }} {{ .Release.Namespace }} {{ .Release.Revision }}', '', 'shop shop 1'],
    ['{{ .Chart.Name }} {{ .Chart.Version }} {{ .Chart.AppVersion }}', '', 'demo 1.0.0 '],
    ['{{ .Values.v | len }}', 'v: é', '2'],
  ])('%s with %s', async (expression, values, expected) => {
    expect(await one(expression, values)).toBe(expected);
  });

  it.each([
    '.Chart.Nope',
    '.Files',
    '.Capabilities',
    '.Release.Service',
    'include "a" .',
    'tpl "a" .',
    'required "a" .Values.a',
    'env "HOME"',
    'lookup "a"',
  ])('%s is refused', async (expression) => {
    expect((await refusal({ a: `${WEB}x: {{ ${expression} }}` })).code).toBe('chart/invalid');
  });

  it('what one file sets the next ones see, and no other render', async () => {
    const files = { a: '{{ $_ := set .Values "x" 1 }}', b: `${WEB}x-a: {{ .Values.x }}\n` };
    expect(await document(files)).toMatchObject({ 'x-a': 1 });
    expect(await document({ b: files.b })).toMatchObject({ 'x-a': '<no value>' });
  });
});

describe('the manifest', () => {
  it('is the same text each time', async () => {
    const render = () => manifest({ a: `${WEB}x-m: {{ toYaml .Values | nindent 2 }}\n` }, 'b10: 1\nb2: 1\nB: 1\na: 1');
    const first = await render();
    expect(first).toContain('x-m:\n  B: 1\n  a: 1\n  b2: 1\n  b10: 1\n');
    for (let i = 0; i < 20; i++) expect(await render()).toBe(first);
  });

  it('is written as its engine writes it', async () => {
    const text = `${WEB}    ports: ["80:80", "22:22"]\n    logging: {options: {max-size: "10m"}}\n    scale: "3"\nvolumes: {v: }\n`;
    expect(await manifest({ a: text })).toBe(
      'services:\n  web:\n    image: nginx\n    logging:\n      options:\n        max-size: 10m\n    ports:\n      - 80:80\n      - "22:22"\n    scale: "3"\nvolumes:\n  v: null\n',
    );
  });

  it('holds everything at once that is wrong with it', async () => {
    const text =
      'services:\n  web:\n    image: nginx\n    environment: {A: $B}\n    volumes: [./x:/x]\nconfigs:\n  c: {file: nginx.conf}\n';
    const { issues = [] } = await refusal({ a: text });
    expect(issues.map(({ rule }) => rule)).toEqual(['file-reference', 'interpolation', 'bind-source']);
  });
});

describe('requirements', () => {
  const networks = 'networks: [{name: a}]';
  const external = `${WEB}networks:\n  a: {external: true}\n`;
  it('are rendered with the helpers of the chart', async () => {
    const files = {
      ...templates({ _h: '{{ define "n" }}edge{{ end }}', a: WEB }),
      'requirements.yaml': 'networks:\n{{ range .Values.n }}\n- name: {{ template "n" }}-{{ . }}\n{{ end }}',
    };
    const rendered = await renderMemoryChart(files, 'n: [x, y]');
    expect(rendered.requirements?.networks.map(({ name }) => name)).toEqual(['edge-x', 'edge-y']);
    const none = await renderMemoryChart(files);
    expect(none.requirements).toEqual({ networks: [], secrets: [], configs: [] });
  });

  it('must name what is external', async () => {
    expect((await renderMemoryChart({ ...templates({ a: external }), 'requirements.yaml': networks })).requirements?.networks).toHaveLength(
      1,
    );
    expect((await renderMemoryChart(templates({ a: external }))).requirements).toBeUndefined();
    await expect(renderMemoryChart({ ...templates({ a: external }), 'requirements.yaml': 'networks: []' })).rejects.toMatchObject({
      message: expect.stringContaining('network a is not declared'),
    });
    await expect(renderMemoryChart({ ...templates({ a: WEB }), 'requirements.yaml': 'networks:\n- {{ 1 }}\n' })).rejects.toMatchObject({
      message: expect.stringMatching(/^requirements\.yaml:/),
    });
  });
});

describe('a chart that asks for a newer engine', () => {
  const metadata = (floor: string) => ({ 'Chart.yaml': `name: x\nversion: 1.0.0\n${floor}`, ...templates({ a: '{{ include "x" . }}' }) });
  it('says so when it fails, and only then', async () => {
    await expect(renderMemoryChart(metadata('swarmcliVersion: ">= 99"'))).rejects.toMatchObject({
      message: expect.stringMatching(/include.*asks for an engine >= 99/),
    });
    await expect(renderMemoryChart(metadata(''))).rejects.toMatchObject({ message: expect.not.stringContaining('engine') });
    expect((await renderMemoryChart({ ...metadata('swarmcliVersion: ">= 99"'), ...templates({ a: WEB }) })).manifest).toContain('nginx');
  });
});

describe('a chart that renders differently each time', () => {
  it.each<[string, boolean]>([
    ['{{ now | date "2006" }}', true],
    ['{{ randAlphaNum 8 }}', true],
    ['{{ uuidv4 }}', true],
    ['{{ now | date "2006" | len }}', false],
    ['{{ .Values.x | default "a" | sha256sum | trunc 12 }}', false],
  ])('%s: %s', async (expression, volatile) => {
    expect((await renderMemoryChart(templates({ a: `${WEB}x-a: "${expression}"\n` }))).volatile).toBe(volatile);
  });
});

describe('a render is bounded', () => {
  it.each<[string, string]>([
    ['recursion', '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}'],
    ['output', '{{ range until 100000 }}{{ range until 1000 }}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{{ end }}{{ end }}'],
    ['steps', '{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}'],
  ])('in %s', async (_name, text) => {
    const started = performance.now();
    expect((await refusal({ a: text })).code).toBe('chart/invalid');
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('for all its templates together', async () => {
    const some = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`t${i}`, `x-${i}: "{{ repeat 100000 "a" }}"\n`]));
    expect(await refusal({ ...some, a: WEB })).toMatchObject({ message: expect.stringMatching(/^templates\/t\d+:1:/) });
  });
});
