import { type Chart, loadChartArchive, loadChartDirectory } from '@hivekeep/charts';
import type { ChartRepositories, WantedChart } from '../charts/chart-repositories.ts';
import type { Tree } from '../seams/fetcher.ts';
import { BoundedCache } from './bounded-cache.ts';
import { refuseEncrypted } from './encrypted-content.ts';

/** Charts kept in memory; a larger one is loaded each time it is rendered. */
const KEPT_CHARTS = 64;
const KEPT_BYTES = 1024 * 1024;

/** A chart and what it is: equal while its content is. */
export interface LoadedChart {
  readonly chart: Chart;
  readonly identity: string;
}

/** Loads charts of trees and of repositories; what was loaded before is not read again. */
export class ChartLoader {
  readonly #repositories: ChartRepositories;
  readonly #kept = new BoundedCache<string, Chart>(KEPT_CHARTS);

  constructor(repositories: ChartRepositories) {
    this.#repositories = repositories;
  }

  /** Throws what `loadChartDirectory` and `Tree.folder` throw, and `source/unsupported` for encrypted files. */
  async fromTree(tree: Tree, path: string): Promise<LoadedChart> {
    const folder = await tree.folder(path);
    return this.#load(`tree:${folder.id}`, async () => {
      const chart = await loadChartDirectory(folder, path);
      for (const [name, bytes] of deployedFiles(chart)) refuseEncrypted(`${path}/${name}`, bytes);
      return chart;
    });
  }

  /** Throws what `ChartRepositories` and `loadChartArchive` throw. */
  async fromRepository(wanted: WantedChart): Promise<LoadedChart & { readonly digest: string | undefined }> {
    const located = await this.#repositories.locate(wanted);
    const origin = `${wanted.repository}/${wanted.chart}-${located.entry.version}.tgz`;
    const load = async () => loadChartArchive(await this.#repositories.archive(located), origin);
    const loaded = await this.#load(`archive:${located.identity}`, load);
    return { ...loaded, digest: located.digest };
  }

  /** What a chart of a repository is now, without loading it. Throws as `ChartRepositories.locate`. */
  async identityOf(wanted: WantedChart): Promise<string> {
    return `archive:${(await this.#repositories.locate(wanted)).identity}`;
  }

  async #load(identity: string, load: () => Promise<Chart>): Promise<LoadedChart> {
    const known = this.#kept.get(identity);
    if (known) return { chart: known, identity };
    const chart = await load();
    if (sizeOf(chart) <= KEPT_BYTES) this.#kept.set(identity, chart);
    return { chart, identity };
  }
}

function deployedFiles(chart: Chart): [name: string, bytes: Uint8Array][] {
  return [...(chart.rawValues ? [['values.yaml', chart.rawValues] as [string, Uint8Array]] : []), ...(chart.files ?? [])];
}

function sizeOf(chart: Chart): number {
  const parts = [...chart.templates.values(), ...(chart.files?.values() ?? []), chart.rawValues, chart.schema, chart.readme];
  return parts.reduce((sum, part) => sum + (part?.byteLength ?? 0), 0);
}
