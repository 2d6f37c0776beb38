import { describe, expect, it } from 'vitest';
import { chartFiles, memoryDirectory } from '../testing/memory-chart.ts';
import { loadChartArchive } from './load-chart-archive.ts';
import { loadChartDirectory } from './load-chart-directory.ts';
import { packChart } from './pack-chart.ts';

describe('a packed chart', () => {
  const files = chartFiles({
    'values.yaml': '# remark\na: 1\n',
    'requirements.yaml': 'networks: []\n',
    'README.md': 'é',
    [`files/${'long/'.repeat(30)}name-é`]: new Uint8Array([0, 255]),
    'files/empty': '',
  });

  it('is the chart it was made of', async () => {
    const chart = await loadChartDirectory(memoryDirectory(files), 'x');
    const { fileName, bytes } = packChart(chart);
    expect(fileName).toBe('demo-1.0.0.tgz');
    expect(loadChartArchive(bytes, 'x.tgz')).toEqual(chart);
    expect(packChart(loadChartArchive(bytes, 'x.tgz')).bytes).toEqual(bytes);
  });
});
