import { renderEnvironment } from '@hivekeep/render-environment';
import { ChartLoader } from '../build/chart-loader.ts';
import { ChartRenderer } from '../build/render-charts.ts';
import { ChartCache } from '../charts/chart-cache.ts';
import { ChartRepositories, type ChartRepositoriesOptions } from '../charts/chart-repositories.ts';

/** Repositories that are asked each time, on hosts that are allowed. */
export function chartRepositories(directory: string, options: Partial<ChartRepositoriesOptions> = {}): ChartRepositories {
  return new ChartRepositories({
    cache: new ChartCache(directory),
    policy: { allowedHosts: ['127.0.0.1', 'localhost'] },
    maxAgeMs: 0,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    now: () => Date.now(),
    onStale: () => undefined,
    ...options,
  });
}

/** Counts what it renders. */
export class CountingChartRenderer extends ChartRenderer {
  renders = 0;

  static over(repositories: ChartRepositories): CountingChartRenderer {
    return new CountingChartRenderer(new ChartLoader(repositories), renderEnvironment());
  }

  override render(...args: Parameters<ChartRenderer['render']>) {
    this.renders += 1;
    return super.render(...args);
  }
}
