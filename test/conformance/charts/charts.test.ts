import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ChartDirectory, type DirectoryEntry, layerValues, loadChartDirectory, renderRelease } from '@hivekeep/charts';
import { renderEnvironment } from '@hivekeep/render-environment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOracle, hasGo, type Oracle } from '../gotemplate/oracle.ts';
import { type ChartCase, chartCases } from './chart-cases.ts';

const METADATA = 'name: demo\nversion: 1.0.0\nappVersion: 1.10\n';
const withGo = await hasGo();
let oracle: Oracle | undefined;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hivekeep-charts-'));
  if (withGo) oracle = await buildOracle();
}, 300_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await oracle?.remove();
});

/** What an engine makes of a chart; undefined when it refuses it. */
type Outcome = { readonly manifest: string; readonly requirements: unknown; readonly files: readonly string[] } | undefined;

const filesOf = ({ files }: ChartCase) => ({ 'Chart.yaml': METADATA, ...files });

async function oracleOutcome(chart: ChartCase, index: number): Promise<Outcome> {
  const root = join(folder, String(index));
  for (const [path, content] of Object.entries({ ...filesOf(chart), '../given.yaml': chart.values ?? '' })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const args = ['-release', 'shop', '-json', root, join(root, '../given.yaml')];
  const [line = '{}'] = (await oracle?.lines('chart', args).catch(() => [])) ?? [];
  const { ok, manifest, requirements, files = [] } = JSON.parse(line);
  return ok ? { manifest, requirements: namesOf(requirements), files } : undefined;
}

async function ourOutcome(chart: ChartCase): Promise<Outcome> {
  try {
    const loaded = await loadChartDirectory(inMemory(filesOf(chart)), '');
    const values = layerValues(loaded.values, { files: [{ path: 'given.yaml', bytes: Buffer.from(chart.values ?? '') }] });
    const { manifest, requirements, files } = renderRelease({ chart: loaded, release: 'shop', values, environment: renderEnvironment() });
    return { manifest, requirements: namesOf(requirements), files: [...(files ?? new Map<string, unknown>()).keys()].sort() };
  } catch {
    return undefined;
  }
}

/** The engine leaves out empty lists. */
function namesOf(requirements: unknown): unknown {
  if (typeof requirements !== 'object' || requirements === null) return undefined;
  return Object.fromEntries(Object.entries(requirements).filter(([, entries]) => !Array.isArray(entries) || entries.length > 0));
}

function inMemory(files: Readonly<Record<string, string>>): ChartDirectory {
  return {
    list: async (path) => {
      const prefix = path === '' ? '' : `${path}/`;
      const entries = new Map<string, DirectoryEntry>();
      for (const name of Object.keys(files).filter((each) => each.startsWith(prefix))) {
        const [first = '', ...rest] = name.slice(prefix.length).split('/');
        entries.set(first, { name: first, kind: rest.length > 0 ? 'directory' : 'file' });
      }
      return entries.size > 0 ? [...entries.values()] : undefined;
    },
    size: async (path) => Buffer.byteLength(files[path] ?? ''),
    read: async (path) => Buffer.from(files[path] ?? ''),
  };
}

describe.runIf(withGo)('a chart renders as in the real engine (needs Go 1.24)', () => {
  it.each(chartCases.map((chart, index) => [chart.name, chart, index] as const))('%s', async (_name, chart, index) => {
    expect(await ourOutcome(chart)).toEqual(await oracleOutcome(chart, index));
  });

  it('some do, and some are refused by both', async () => {
    const outcomes = await Promise.all(chartCases.map(ourOutcome));
    expect([outcomes.length, outcomes.filter((outcome) => outcome === undefined).length]).toEqual([35, 12]);
  });
});
