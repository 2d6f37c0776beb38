import { gzipSync } from 'node:zlib';
import {
  type ChartDirectory,
  layerValues,
  loadChartArchive,
  loadChartDirectory,
  packChart,
  readReleaseFile,
  readRepositoryIndex,
  releaseStack,
  renderRelease,
} from '@hivekeep/charts';
import { utc } from '@hivekeep/gotemplate';
import { GoMap } from '@hivekeep/goyaml';
import fc from 'fast-check';
import { fuzz, nearly, yamlWords } from './lib/fuzz.ts';

const words = [
  ...yamlWords,
  ...[
    'name: a',
    'version: 1.0.0',
    'apiVersion: v1',
    'swarmcliVersion: ">= 1"',
    'releases:',
    'chart: ./c',
    'chart: r/c',
    'wave: 1',
    'values: [a]',
  ],
  ...['repositories:', 'url: https://c.example', 'entries:', 'urls: [a.tgz]', 'digest: abc', 'networks:', 'secrets:', 'external: true'],
  ...[
    'services:',
    'web:',
    'image: nginx',
    'configs:',
    'file: files/a',
    'env_file: files/e',
    'environment:',
    'A=$B',
    '$$',
    '$',
    'volumes: [./a:/b]',
  ],
  ...[
    '{{ .Values.a }}',
    '{{ now }}',
    '{{ toYaml .Values }}',
    '{{ range ',
    '{{ end }}',
    '{{ set .Values "a" . }}',
    'a[0].b=1',
    'a={1,2}',
    '\\,',
  ],
];
const environment = { now: () => 0n, localZone: utc, randomBytes: (size: number) => new Uint8Array(size), crypto: {} };

function folder(files: Readonly<Record<string, string>>): ChartDirectory {
  const below = (path: string) => Object.keys(files).filter((name) => name.startsWith(`${path}/`));
  return {
    list: async (path) =>
      path === ''
        ? [...new Set(Object.keys(files).map((name) => name.split('/')[0] ?? ''))].map((name) => ({
            name,
            kind: name in files ? 'file' : 'directory',
          }))
        : below(path).map((name) => ({ name: name.slice(path.length + 1), kind: 'file' })),
    size: async (path) => Buffer.byteLength(files[path] ?? ''),
    read: async (path) => Buffer.from(files[path] ?? ''),
  };
}

async function renderChart(text: string, member: string): Promise<void> {
  const files = {
    'Chart.yaml': 'name: a\nversion: 1.0.0\n',
    'templates/a': 'services: {web: {image: a}}\n',
    'files/a': 'x',
    'files/e': text,
    [member]: text,
  };
  const chart = await loadChartDirectory(folder(files), '');
  const { manifest, files: used } = renderRelease({ chart, release: 'a', values: chart.values, environment });
  const contents = Object.fromEntries([...(used ?? [])].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]));
  releaseStack({ stack: 'a', chart: chart.metadata, manifest, files: contents });
}

/** An archive with some of its bytes changed, before it is compressed or after. */
async function damagedArchive(text: string): Promise<void> {
  const { bytes } = packChart(await loadChartDirectory(folder({ 'Chart.yaml': 'name: a\nversion: 1.0.0\n', 'templates/a': text }), ''));
  const damage = Buffer.from(`${text}.`);
  const unpacked = Buffer.concat([damage, Buffer.alloc(512 - (damage.length % 512)), damage]);
  for (const archive of [Buffer.from(bytes).fill(damage.subarray(0, 8), 20, 28), gzipSync(unpacked)]) {
    try {
      loadChartArchive(archive, 'a.tgz');
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'HivekeepError') throw error;
    }
  }
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'an index': (text) => readRepositoryIndex(Buffer.from(text), 'index.yaml'),
  'a release file': (text) => readReleaseFile(Buffer.from(text), 'release.yaml'),
  'an expression': (text) => layerValues(new GoMap(), { set: [text] }),
  'an archive': damagedArchive,
  ...Object.fromEntries(
    ['Chart.yaml', 'values.yaml', 'templates/a', 'requirements.yaml', 'values.schema.json', 'files/e'].map((member) => [
      member,
      (text: string) => renderChart(text, member),
    ]),
  ),
};

const inputs = fc.record({ reader: fc.constantFrom(...Object.keys(readers)), text: nearly(words) });
await fuzz('charts', inputs, ({ reader, text }) => readers[reader]?.(text));
