import { utc } from '@hivekeep/gotemplate';
import { loadChartDirectory } from '../chart/load-chart-directory.ts';
import type { RenderEnvironment } from '../render/render-environment.ts';
import { type RenderedRelease, renderRelease } from '../render/render-release.ts';
import { layerValues } from '../values/layer-values.ts';
import { type ChartFiles, chartFiles, memoryDirectory } from './memory-chart.ts';

/** A clock that stands and random numbers that count. */
export function fixedEnvironment(): RenderEnvironment {
  let count = 0;
  return {
    now: () => 1_767_225_600_000_000_000n,
    localZone: utc,
    randomBytes: (size) => Buffer.alloc(size, count++),
    crypto: {},
  };
}

/** Renders the least chart with these files over it, as release `shop`. */
export async function renderMemoryChart(files: ChartFiles, values = ''): Promise<RenderedRelease> {
  const chart = await loadChartDirectory(memoryDirectory(chartFiles(files)), '');
  const merged = layerValues(chart.values, { files: [{ path: 'given.yaml', bytes: Buffer.from(values) }] });
  return renderRelease({ chart, release: 'shop', values: merged, environment: fixedEnvironment() });
}
